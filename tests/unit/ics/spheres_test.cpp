// The sampled spheres against the formulas of their papers, written here a second time.
#include <array>
#include <numbers>

#include "ics/check_config.hpp"
#include "ics/sphere.hpp"
#include "tests/unit/ics/statistics.hpp"

namespace aureole::test::spheres_test {
namespace {

using ics::Component;
using ics::Model;
using std::numbers::pi;

/// Mass 3 and scale radius 2, so that no factor of either can hide.
constexpr double mass = 3, scale = 2;

struct Theory {
    Model model;
    double (*enclosed)(double r);           ///< M(<r)
    double (*radial_dispersion)(double r);  ///< <v_r^2>
};

double hernquist_enclosed(double r) { return mass * r * r / ((r + scale) * (r + scale)); }

double hernquist_dispersion(double r)  // Hernquist (1990), eq. 10
{
    const double x = r / scale;
    return mass / (12 * scale) *
           (12 * x * std::pow(1 + x, 3) * std::log((1 + x) / x) -
            x / (1 + x) * (25 + 52 * x + 42 * x * x + 12 * x * x * x));
}

double plummer_enclosed(double r) { return mass * std::pow(1 + scale * scale / (r * r), -1.5); }
double plummer_dispersion(double r) { return mass / (6 * std::hypot(r, scale)); }

double uniform_enclosed(double r) { return mass * std::pow(std::fmin(r / scale, 1), 3); }
double uniform_dispersion(double r)  // <K^2> / 2 of the distribution in uniform_sphere.hpp
{
    return mass / scale * (1 - r * r / (scale * scale)) / 4;
}

class Spheres : public testing::TestWithParam<Theory> {
protected:
    static constexpr std::size_t n = 100000;

    static Component component()
    {
        return {.model = GetParam().model, .particles = n, .mass = mass, .scale_radius = scale};
    }
    static std::vector<PhaseSpacePoint> sampled(const Component& c)
    {
        const auto sphere = make_sphere(c);
        std::vector<PhaseSpacePoint> result;
        for (std::size_t i = 0; i < n; ++i) result.push_back(sample(*sphere, c, 12345, i + 1));
        return result;
    }
};

double norm(Vec3 v) { return std::sqrt(dot(v, v)); }
double radial_speed(const PhaseSpacePoint& p) { return dot(p.position, p.velocity) / norm(p.position); }

TEST_P(Spheres, EncloseTheirMassAtEveryRadius)
{
    const Component c = component();
    const double outer = outer_radius(c), carried = GetParam().enclosed(outer);
    EXPECT_NEAR(carried_mass(c), carried, 1e-14 * carried);
    const auto points = sampled(c);
    for (double r : {0.05, 0.2, 0.5, 1.0, 1.9, 4.0, 20.0, 100.0}) {
        std::size_t inside = 0;
        for (const auto& p : points) inside += norm(p.position) < r;
        EXPECT_TRUE(count_is(inside, n, GetParam().enclosed(r) / carried)) << "radius " << r;
    }
}

TEST_P(Spheres, RadiusAndMassAreInverse)
{
    const auto sphere = make_sphere(component());
    for (double fraction : {1e-14, 1e-6, 0.1, 0.5, 0.9, 0.98}) {
        const double r = sphere->radius_enclosing(fraction * mass);
        EXPECT_NEAR(sphere->enclosed_mass(r), fraction * mass, 1e-13 * fraction * mass);
        EXPECT_NEAR(GetParam().enclosed(r), fraction * mass, 1e-13 * fraction * mass);
    }
}

TEST_P(Spheres, PointNowhereInParticular)
{
    std::vector<double> x, y, z, xx, xy;
    for (const auto& p : sampled(component())) {
        const Vec3 d = 1 / norm(p.position) * p.position;
        x.push_back(d.x);
        y.push_back(d.y);
        z.push_back(d.z);
        xx.push_back(d.x * d.x);
        xy.push_back(d.x * d.y);
    }
    for (const auto& component : {x, y, z, xy}) EXPECT_TRUE(mean_is(component, 0));
    EXPECT_TRUE(mean_is(xx, 1 / 3.0));
}

TEST_P(Spheres, HaveTheirRadialDispersionAtEveryRadius)
{
    const auto points = sampled(component());
    for (auto [from, to] : {std::array{0.0, 0.1}, std::array{0.1, 0.5}, std::array{0.5, 1.0},
                            std::array{1.0, 2.0}, std::array{2.0, 10.0}, std::array{10.0, 200.0}}) {
        std::vector<double> excess, speed;  // v_r^2 less what theory has at the particle's own radius
        for (const auto& p : points) {
            const double r = norm(p.position), v = radial_speed(p);
            if (r < from || r >= to) continue;
            excess.push_back(v * v - GetParam().radial_dispersion(r));
            speed.push_back(v);
        }
        if (excess.empty()) continue;
        EXPECT_TRUE(mean_is(excess, 0)) << from << " < r < " << to;
        EXPECT_TRUE(mean_is(speed, 0)) << from << " < r < " << to;
    }
}

TEST_P(Spheres, AreVirialised)
{
    // 2 T + sum m x.a = 0 with the model's own field, of which the cut at 100 scale radii takes 2e-4
    std::vector<double> virial;
    double kinetic = 0;
    for (const auto& p : sampled(component())) {
        const double r = norm(p.position);
        virial.push_back(dot(p.velocity, p.velocity) - GetParam().enclosed(r) / r);
        kinetic += dot(p.velocity, p.velocity) / 2 / n;
    }
    for (double& v : virial) v /= kinetic;
    EXPECT_TRUE(mean_is(virial, 0));
}

TEST_P(Spheres, StayInsideTheirTruncation)
{
    Component c = component();
    if (c.model != Model::uniform_sphere) c.truncation_radius = 3;
    const double outer = outer_radius(c);
    double farthest = 0;
    for (const auto& p : sampled(c)) farthest = std::fmax(farthest, norm(p.position));
    EXPECT_LE(farthest, outer * (1 + 1e-15));
    EXPECT_GT(farthest, 0.99 * outer);
    EXPECT_NEAR(carried_mass(c), GetParam().enclosed(outer), 1e-14);
}

TEST_P(Spheres, ColdOnesRestWhereWarmOnesMoveAndFactorsScale)
{
    Component cold = component(), fast = component();
    cold.velocities = ics::Velocities::cold;
    fast.velocity_factor = 1.5;
    const auto sphere = make_sphere(cold);
    for (std::uint64_t id = 1; id < 50; ++id) {
        const auto warm = sample(*sphere, component(), 5, id);
        const auto resting = sample(*sphere, cold, 5, id);
        EXPECT_EQ(resting.position.x, warm.position.x);
        EXPECT_EQ(norm(resting.velocity), 0);
        EXPECT_GT(norm(warm.velocity), 0);
        EXPECT_DOUBLE_EQ(sample(*sphere, fast, 5, id).velocity.y, 1.5 * warm.velocity.y);
    }
}

INSTANTIATE_TEST_SUITE_P(Model, Spheres,
                         testing::Values(Theory{Model::hernquist, hernquist_enclosed, hernquist_dispersion},
                                         Theory{Model::plummer, plummer_enclosed, plummer_dispersion},
                                         Theory{Model::uniform_sphere, uniform_enclosed, uniform_dispersion}),
                         [](const auto& info) { return std::string(ics::name_of(info.param.model)); });

/// Speeds in units of that of escape at one radius, in order of size.
std::vector<double> speeds_at(Model model, double r, double escape_speed, std::size_t n)
{
    const auto sphere =
        ics::make_sphere({.model = model, .particles = 1, .mass = mass, .scale_radius = scale});
    std::vector<double> result;
    for (std::size_t i = 0; i < n; ++i) {
        Random random(99, i, 0);
        result.push_back(norm(sphere->equilibrium_velocity({0, r, 0}, random)) / escape_speed);
    }
    return result;
}

/// v^2 f of Hernquist (1990), eq. 17 as printed there, for w = v / v_escape.
double hernquist_density(double x, double w)
{
    const double q2 = (1 - w * w) / (1 + x), q = std::sqrt(q2);
    if (w >= 1) return 0;
    const long double ql = q, ql2 = ql * ql;
    const long double bracket =
        3 * std::asin(ql) + ql * std::sqrt(1 - ql2) * (1 - 2 * ql2) * (8 * ql2 * ql2 - 8 * ql2 - 3);
    return w * w * std::pow(1 - q2, -2.5) * static_cast<double>(bracket);
}

class HernquistSpeeds : public testing::TestWithParam<double> {};

TEST_P(HernquistSpeeds, FollowTheDistributionFunctionFromCentreToEdge)
{
    const double x = GetParam();
    const double escape = std::sqrt(2 * mass / (scale * (1 + x)));
    const auto speeds = speeds_at(Model::hernquist, x * scale, escape, 40000);
    for (double w : speeds) ASSERT_TRUE(w >= 0 && w <= 1) << w;

    // the cumulative distribution on a grid that resolves the peak near w = sqrt(x) as well as w = 1
    std::vector<double> grid{0}, integral{0};
    for (int k = 0; k < 40000; ++k) {
        const double t = (k + 1) / 40000.0, shape = std::fmin(1e-2, x);
        const double w = t * t * t * (1 - shape) + t * shape;
        const double middle = (grid.back() + w) / 2, width = w - grid.back();
        integral.push_back(integral.back() + width * hernquist_density(x, middle));
        grid.push_back(w);
    }
    EXPECT_TRUE(distributed_as(
        speeds,
        [&](double w) {
            const auto k = std::lower_bound(grid.begin() + 1, grid.end() - 1, w) - grid.begin();
            const double t = (w - grid[k - 1]) / (grid[k] - grid[k - 1]);
            return (integral[k - 1] + t * (integral[k] - integral[k - 1])) / integral.back();
        }))
        << "at " << x << " scale radii";
}

INSTANTIATE_TEST_SUITE_P(At, HernquistSpeeds, testing::Values(1e-6, 1e-3, 0.1, 1.0, 10.0, 100.0));

TEST(HernquistVelocities, ExistAtExtremeRadii)
{
    const auto sphere = ics::make_sphere({.model = Model::hernquist, .particles = 1});
    for (double r : {1e-14, 1e-8, 1e5, 1e12}) {
        for (std::uint64_t id = 0; id < 1000; ++id) {
            Random random(1, id, 0);
            const double v = norm(sphere->equilibrium_velocity({r, 0, 0}, random));
            ASSERT_TRUE(v >= 0 && v <= std::sqrt(2 / (1 + r)) * (1 + 1e-15)) << v << " at " << r;
        }
    }
}

TEST(PlummerSpeeds, FollowTheDistributionFunction)
{
    // the integral of 512 / (7 pi) w^2 (1 - w^2)^(7/2), by w = sin t
    const auto cumulative = [](double w) {
        constexpr int steps = 200;
        const double end = std::asin(w);
        double sum = 0;
        for (int k = 0; k < steps; ++k) {
            const double t = (k + 0.5) * end / steps;
            sum += std::pow(std::sin(t), 2) * std::pow(std::cos(t), 8) * end / steps;
        }
        return 512 / (7 * pi) * sum;
    };
    const double escape = std::sqrt(2 * mass / std::hypot(1.3, scale));
    EXPECT_TRUE(distributed_as(speeds_at(Model::plummer, 1.3, escape, 20000), cumulative));
}

}  // namespace
}  // namespace aureole::test::spheres_test
