// Profiles: shells by hand, a slow reference, the analytic Hernquist sphere, boxes, threads and edges.
#include "sim/analysis/radial_profile.hpp"

#include <omp.h>

#include <cmath>
#include <numbers>

#include "ics/make_initial_conditions.hpp"
#include "sim/core/error.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/point_sets.hpp"
#include "tests/support/quadrature.hpp"

namespace aureole::test {
namespace {

using std::numbers::pi;
constexpr Tolerance rounding{1e-13, "a handful of double operations"};

const std::vector<double>& numbers(const Table& table, const char* name)
{
    return std::get<std::vector<double>>(table.find(name)->values);
}
const std::vector<std::int64_t>& counts(const Table& table)
{
    return std::get<std::vector<std::int64_t>>(table.find("Count")->values);
}

void set_velocity(Particles& p, std::size_t i, Vec3 v) { p.velocity.view().store(static_cast<Index>(i), v); }

/// Rows of `found` agree with those of `expected` in every column of numbers.
void expect_alike(const Table& found, const Table& expected, double tolerance)
{
    EXPECT_EQ(counts(found), counts(expected));
    for (const Column& column : expected.columns) {
        const auto* values = std::get_if<std::vector<double>>(&column.values);
        if (!values) continue;
        for (std::size_t k = 0; k < values->size(); ++k) {
            const double there = numbers(found, column.name.c_str())[k];
            if (std::isnan((*values)[k]))
                EXPECT_TRUE(std::isnan(there)) << column.name << " " << k;
            else
                EXPECT_NEAR(there, (*values)[k], tolerance * (1 + std::abs((*values)[k])))
                    << column.name << k;
        }
    }
}

TEST(RadialProfile, ThreeShellsDoneByHand)
{
    // inside r_min; shell [1, 10): two at 2 and 4; shell [10, 100]: one, exactly on the outer edge; one
    // beyond
    Particles p = particles_at({{0.5, 0, 0}, {2, 0, 0}, {0, -4, 0}, {0, 0, 100}, {101, 0, 0}});
    const double mass[] = {3, 1, 3, 5, 7};
    for (Index i = 0; i < 5; ++i) p.mass.host()[i] = mass[i];
    set_velocity(p, 1, {2, 1, 0});   // outward 2, across 1
    set_velocity(p, 2, {0, 2, 1});   // inward 2, across 1
    set_velocity(p, 3, {0, 0, -6});  // inward 6
    const Table t = run::radial_profile(
        p, {.velocity = Vec3{}, .smallest = 1, .largest = 100, .bins = 2, .gravitational_constant = 2});
    EXPECT_EQ(t.rows, 2u);
    EXPECT_TRUE(close_to(numbers(t, "RadiusOuter")[0], 10, 10, rounding));
    EXPECT_EQ(numbers(t, "RadiusOuter")[1], 100);
    EXPECT_EQ(counts(t), (std::vector<std::int64_t>{2, 1}));
    EXPECT_EQ(numbers(t, "MassInside"), (std::vector<double>{7, 12}));
    EXPECT_TRUE(close_to(numbers(t, "Density")[0], 4 / (4 * pi / 3 * 999), 1e-3, rounding));
    EXPECT_TRUE(close_to(numbers(t, "CircularVelocity")[1], std::sqrt(2 * 12 / 100.0), 1, rounding));
    EXPECT_EQ(numbers(t, "MeanRadialVelocity"), (std::vector<double>{-1, -6}));
    EXPECT_TRUE(close_to(numbers(t, "RadialDispersion")[0], std::sqrt(3), 1, rounding));
    EXPECT_TRUE(close_to(numbers(t, "TangentialDispersion")[0], std::sqrt(0.5), 1, rounding));
    EXPECT_TRUE(close_to(numbers(t, "Anisotropy")[0], 1 - 0.5 / 3, 1, rounding));
    EXPECT_TRUE(std::isnan(numbers(t, "RadialDispersion")[1])) << "one particle has no dispersion";
}

TEST(RadialProfile, AHernquistSphereIsWhatHernquistSays)
{
    constexpr std::size_t n = 40000;
    ics::Config config;
    config.seed = 11;
    config.components = {{.model = ics::Model::hernquist, .particles = n}};
    const Particles p = make_initial_conditions(config);
    const Table t = run::radial_profile(p, {.smallest = 0.1, .largest = 10, .bins = 12});
    // M = a = G = 1 (Hernquist 1990, eqs. 2, 3, 10); what lies within 100 a is shared by the particles
    const auto inside = [](double r) { return r * r / ((r + 1) * (r + 1)); };
    const auto rho = [](double r) { return 1 / (2 * pi * r * std::pow(1 + r, 3)); };
    const auto sigma_squared = [](double r) {
        return (12 * r * std::pow(1 + r, 3) * std::log((1 + r) / r) -
                r / (1 + r) * (25 + 52 * r + 42 * r * r + 12 * r * r * r)) /
               12;
    };
    const double particle_mass = inside(100) / n;
    for (std::size_t k = 0; k < t.rows; ++k) {
        const double low = numbers(t, "RadiusInner")[k], high = numbers(t, "RadiusOuter")[k];
        const double share = (inside(high) - inside(low)) / inside(100), count = double(counts(t)[k]);
        EXPECT_NEAR(count, n * share, 5 * std::sqrt(n * share * (1 - share))) << "binomial, 5 sigma";
        const double volume = 4 * pi / 3 * (high * high * high - low * low * low);
        EXPECT_NEAR(numbers(t, "Density")[k], (inside(high) - inside(low)) / volume,
                    5 * particle_mass / volume * std::sqrt(n * share));
        const double within = inside(high) / inside(100);
        EXPECT_NEAR(numbers(t, "MassInside")[k], inside(high),
                    5 * particle_mass * std::sqrt(n * within * (1 - within)));
        EXPECT_TRUE(close_to(numbers(t, "CircularVelocity")[k], std::sqrt(numbers(t, "MassInside")[k] / high),
                             1, rounding));
        double weight = 0, sigma = 0;
        for (const Node& node : gauss_legendre(16, low, high)) {
            const double shell = node.weight * node.x * node.x * rho(node.x);
            weight += shell;
            sigma += shell * sigma_squared(node.x);
        }
        const double expected = std::sqrt(sigma / weight);
        // a standard deviation from N normal numbers: sigma / sqrt(2 N); velocities below escape have thinner
        // tails
        EXPECT_NEAR(numbers(t, "RadialDispersion")[k], expected, 5 * expected / std::sqrt(2 * count));
        EXPECT_NEAR(numbers(t, "TangentialDispersion")[k], expected, 5 * expected / std::sqrt(4 * count));
        EXPECT_NEAR(numbers(t, "MeanRadialVelocity")[k], 0, 5 * expected / std::sqrt(count));
        EXPECT_NEAR(numbers(t, "Anisotropy")[k], 0, 5 * std::sqrt(3 / count));
    }
}

Particles moving_points(const Points& points)
{
    Particles p = particles_at(points);
    Uniform u(5);
    for (Index i = 0; i < p.size(); ++i) {
        p.mass.host()[i] = 0.5 + u();
        set_velocity(p, i, {u() - 0.5, u(), 3 * u()});
    }
    return p;
}

TEST(RadialProfile, ASlowReferenceFindsTheSame)
{
    const Particles p = moving_points(clustered_points(3000, 8));
    const Vec3 centre{0.4, 0.55, 0.5};
    const Table t = run::radial_profile(p, {.centre = centre, .smallest = 0.1, .largest = 0.4, .bins = 5});
    double total = 0;
    Vec3 mean;
    for (Index i = 0; i < p.size(); ++i) {
        const Vec3 d = p.position.load(i) - centre;
        if (dot(d, d) > 0.16) continue;
        total += p.mass.data()[i];
        mean = mean + p.mass.data()[i] * p.velocity.load(i);
    }
    for (std::size_t k = 0; k < 5; ++k) {
        const double low = numbers(t, "RadiusInner")[k], high = numbers(t, "RadiusOuter")[k];
        double mass = 0, first = 0, second = 0, across = 0;
        std::int64_t n = 0;
        for (Index i = 0; i < p.size(); ++i) {
            const Vec3 d = p.position.load(i) - centre, v = p.velocity.load(i) - (1 / total) * mean;
            const double r = std::sqrt(dot(d, d));
            if (r < low || r >= high) continue;
            const double radial = dot(v, d) / r, m = p.mass.data()[i];
            ++n;
            mass += m;
            first += m * radial;
            second += m * radial * radial;
            across += m * (dot(v, v) - radial * radial);
        }
        EXPECT_EQ(counts(t)[k], n);
        EXPECT_NEAR(numbers(t, "MeanRadialVelocity")[k], first / mass, 1e-12);
        EXPECT_NEAR(numbers(t, "RadialDispersion")[k],
                    std::sqrt(second / mass - first / mass * (first / mass)), 1e-12);
        EXPECT_NEAR(numbers(t, "TangentialDispersion")[k], std::sqrt(across / mass / 2), 1e-12);
    }
}

TEST(RadialProfile, AHaloOnTheCornerOfTheBoxEqualsTheShiftedOne)
{
    Points middle = uniform_points(800, 4), corner;
    for (auto& x : middle) {
        for (double& c : x) c = 4 + (c - 0.5);
        corner.push_back({x[0] - 4, x[1] - 4, x[2] + 4});  // partly outside [0, 8)
    }
    const Box box{8};
    const Table a = run::radial_profile(
        moving_points(middle), {.centre = {4, 4, 4}, .smallest = 0.1, .largest = 0.8, .bins = 4, .box = box});
    const Table b =
        run::radial_profile(moving_points(corner),
                            {.centre = {8, 0, -8}, .smallest = 0.1, .largest = 0.8, .bins = 4, .box = box});
    expect_alike(b, a, 1e-12);
}

TEST(RadialProfile, ThreadsDoNotChangeABit)
{
    const Particles p = moving_points(uniform_points(150000, 6));
    const run::ProfileRequest request{.centre = {0.5, 0.5, 0.5}, .smallest = 0.2, .largest = 0.5};
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const Table one = run::radial_profile(p, request);
    omp_set_num_threads(3);
    const Table three = run::radial_profile(p, request);
    omp_set_num_threads(threads);
    for (std::size_t c = 0; c < one.columns.size(); ++c)
        EXPECT_EQ(one.columns[c].values, three.columns[c].values) << one.columns[c].name;
}

TEST(RadialProfile, TypesAndUnitsAreTakenIntoAccount)
{
    Particles p = particles_at({{1, 0, 0}, {1.5, 0, 0}, {1.2, 0, 0}});
    for (Index i = 0; i < 3; ++i) p.mass.host()[i] = 2;
    p.type.host()[2] = 4;
    set_velocity(p, 0, {4, 0, 0});
    run::ProfileRequest request{.velocity = Vec3{}, .smallest = 0.5, .largest = 2, .bins = 1, .types = 0x02};
    request.scale_factor = 0.5;
    request.velocity_factor = 0.25;
    const Table t = run::radial_profile(p, request);
    EXPECT_EQ(counts(t)[0], 2);
    EXPECT_DOUBLE_EQ(numbers(t, "CircularVelocity")[0], 2.0);  // sqrt(4 / (0.5 * 2))
    EXPECT_DOUBLE_EQ(numbers(t, "MeanRadialVelocity")[0], 0.5);
    EXPECT_DOUBLE_EQ(run::farthest_distance(p, request), 1.5);
}

TEST(RadialProfile, NobodyAndAParticleAtTheCentreAreValid)
{
    const Table none = run::radial_profile(Particles(), {.smallest = 1, .largest = 2, .bins = 3});
    EXPECT_EQ(counts(none), (std::vector<std::int64_t>{0, 0, 0}));
    EXPECT_TRUE(std::isnan(numbers(none, "MeanRadialVelocity")[0]));
    Particles one = particles_at({{0, 0, 0}});
    one.mass.host()[0] = 4;
    EXPECT_EQ(numbers(run::radial_profile(one, {.smallest = 1, .largest = 4, .bins = 1}), "MassInside")[0],
              4);
    EXPECT_EQ(run::farthest_distance(Particles(), {}), 0);
}

TEST(RadialProfile, ImpossibleShellsAreRefused)
{
    const Particles p = particles_at(uniform_points(5, 1));
    const auto complaint = [&](const run::ProfileRequest& request) {
        return message_of<Error>([&] { run::radial_profile(p, request); });
    };
    EXPECT_TRUE(contains(complaint({.smallest = 0, .largest = 1}), "expected two rising radii above 0"));
    EXPECT_TRUE(contains(complaint({.smallest = 2, .largest = 1}), "from 2 to 1"));
    EXPECT_TRUE(contains(complaint({.smallest = 1, .largest = 2, .bins = 0}), "0 bins"));
    EXPECT_TRUE(contains(complaint({.smallest = 1, .largest = 5, .box = Box{8}}), "half the periodic box"));
}

}  // namespace
}  // namespace aureole::test
