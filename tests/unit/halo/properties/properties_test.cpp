// What lists of members are: by hand, against plain sums, and what must not change them.
#include "halo/properties/properties.hpp"

#include <omp.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "halo/catalogue/halo_parameters.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/halo/properties_on.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::properties_test {
namespace {

using halo::HaloProperties;
using halo::Members;

constexpr Tolerance rounding{1e-13, "sums of some thousand doubles"};

Members everyone(const Particles& p)
{
    Members members;
    for (Index i = 0; i < p.size(); ++i) members.particle.push_back(i);
    members.begin.push_back(p.size());
    return members;
}

class PropertiesOnEachBackend : public OnEachBackend {
protected:
    HaloProperties of_all(const Particles& p, const Box& box = {}, std::vector<Vec3> centre = {}) const
    {
        return properties_on(exec(), {.particles = p, .box = box, .centre = centre}, everyone(p))[0];
    }
};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(PropertiesOnEachBackend);

void expect_vector(Vec3 found, Vec3 expected, double scale, const char* what)
{
    EXPECT_TRUE(close_to(found.x, expected.x, scale, rounding)) << what << " x";
    EXPECT_TRUE(close_to(found.y, expected.y, scale, rounding)) << what << " y";
    EXPECT_TRUE(close_to(found.z, expected.z, scale, rounding)) << what << " z";
}

Particles random_halo(std::size_t n, std::uint64_t seed)
{
    Uniform u(seed);
    Particles p = particles_at(uniform_points(n, seed));
    for (Index i = 0; i < n; ++i) {
        p.mass.host()[i] = 0.5 + u();
        p.velocity.x.host()[i] = u();
        p.velocity.y.host()[i] = 2 * u() + p.position.x.host()[i];
        p.velocity.z.host()[i] = 3 * u() - 1;
        p.type.host()[i] = static_cast<ParticleType>(6 * u());
    }
    return p;
}

TEST_P(PropertiesOnEachBackend, TwoBodiesAboutAGivenCentreDoneByHand)
{
    Particles p = particles_at({{0, 0, 0}, {4, 0, 0}});
    p.mass.host()[0] = 3;
    p.mass.host()[1] = 1;
    p.velocity.y.host()[1] = 4;
    const std::vector<double> potential{-0.25, -0.75};  // G = 1: -m / 4
    const std::vector<Vec3> centre{{0, 0, 0}};
    const HaloProperties h =
        properties_on(exec(), {.particles = p, .centre = centre, .potential = potential}, everyone(p))[0];
    expect_vector(h.centre, {0, 0, 0}, 1, "centre");
    expect_vector(h.centre_of_mass, {1, 0, 0}, 1, "centre of mass");
    expect_vector(h.offset, {-1, 0, 0}, 1, "offset");
    expect_vector(h.velocity, {0, 1, 0}, 1, "velocity");
    EXPECT_EQ(h.velocity_dispersion.yy, 3);  // (3 * 1 + 1 * 9) / 4
    EXPECT_EQ(h.dispersion, 1);
    expect_vector(h.angular_momentum, {0, 0, 3}, 1, "angular momentum");  // 4 * 3 / 4
    EXPECT_EQ(h.extent, 4);
    EXPECT_EQ(h.half_mass_radius, 0);
    EXPECT_EQ(h.max_velocity, 1);  // sqrt(4 / 4)
    EXPECT_EQ(h.max_velocity_radius, 4);
    EXPECT_EQ(h.kinetic_energy, 6);
    EXPECT_EQ(h.potential_energy, -0.75);
    EXPECT_EQ(h.virial_ratio, 16);
    EXPECT_TRUE(close_to(halo::peebles_spin(h, 1), 3 * std::sqrt(5.25 / 4) / 4, 1, rounding));
    EXPECT_TRUE(close_to(halo::bullock_spin(h, {4, 4}, 1), 3 / std::sqrt(32.0), 1, rounding));
    EXPECT_EQ(h.shape.b_to_a, 0);
}

TEST_P(PropertiesOnEachBackend, ARotatingRingDoneByHand)
{
    // four bodies on a unit circle in the plane x = 0, turning at speed 2, moving along at (5, 6, 7)
    Particles p = particles_at({{1, 3, 2}, {1, 2, 3}, {1, 1, 2}, {1, 2, 1}});
    const Vec3 turn[] = {{0, 0, 2}, {0, -2, 0}, {0, 0, -2}, {0, 2, 0}};
    for (Index i = 0; i < 4; ++i) {
        p.mass.host()[i] = 0.25;
        const Vec3 v = Vec3{5, 6, 7} + turn[i];
        p.velocity.x.host()[i] = v.x;
        p.velocity.y.host()[i] = v.y;
        p.velocity.z.host()[i] = v.z;
    }
    const HaloProperties h = of_all(p);
    expect_vector(h.centre, {1, 2, 2}, 1, "centre");
    expect_vector(h.velocity, {5, 6, 7}, 1, "velocity");
    expect_vector(h.angular_momentum, {2, 0, 0}, 1, "angular momentum");
    EXPECT_TRUE(close_to(h.kinetic_energy, 2, 1, rounding));
    EXPECT_TRUE(close_to(h.max_velocity, 1, 1, rounding));
    EXPECT_TRUE(close_to(halo::bullock_spin(h, {1, 1}, 1), std::numbers::sqrt2, 1, rounding));
    EXPECT_TRUE(std::isnan(h.potential_energy) && std::isnan(h.virial_ratio));
    EXPECT_TRUE(std::isnan(halo::peebles_spin(h, 1)));
    EXPECT_TRUE(close_to(h.shape.b_to_a, 1, 1, rounding));
    EXPECT_EQ(h.shape.c_to_a, 0);
    EXPECT_EQ(std::abs(h.shape.axis[2].x), 1);
}

TEST_P(PropertiesOnEachBackend, SolidBodyRotationGivesItsSpinAndEllipsoidsTheirAxes)
{
    // inside an ellipsoid of half axes 5, 3, 2 along z, x, y; omega = (0.1, 0.2, 0.3)
    Uniform u(17);
    Points x;
    while (x.size() < 40000) {
        const double q[3] = {2 * u() - 1, 2 * u() - 1, 2 * u() - 1};
        if (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] < 1) x.push_back({3 * q[0], 2 * q[1], 5 * q[2]});
    }
    Particles p = particles_at(x);
    const Vec3 omega{0.1, 0.2, 0.3};
    for (Index i = 0; i < p.size(); ++i) {
        p.mass.host()[i] = 2;
        const Vec3 v = cross(omega, p.position.load(i));
        p.velocity.x.host()[i] = v.x;
        p.velocity.y.host()[i] = v.y;
        p.velocity.z.host()[i] = v.z;
    }
    const HaloProperties h = of_all(p);
    // means of squares along the half axes: 1/5 of their squares, with a relative scatter of sqrt(8/7 / n)
    const double xx = 9.0 / 5, yy = 4.0 / 5, zz = 25.0 / 5, error = 5 * std::sqrt(8.0 / 7 / 40000);
    EXPECT_NEAR(h.shape.b_to_a, 0.6, 0.6 * error);  // half of it from each of two axes, in quadrature
    EXPECT_NEAR(h.shape.c_to_a, 0.4, 0.4 * error);
    EXPECT_NEAR(std::abs(h.shape.axis[0].z), 1, 1e-3);
    EXPECT_NEAR(std::abs(h.shape.axis[1].x), 1, 1e-3);
    EXPECT_NEAR(h.angular_momentum.x, omega.x * (yy + zz), 0.1 * 5 * error);
    EXPECT_NEAR(h.angular_momentum.y, omega.y * (xx + zz), 0.2 * 5 * error);
    EXPECT_NEAR(h.angular_momentum.z, omega.z * (xx + yy), 0.3 * 5 * error);
    EXPECT_GT(h.reduced_shape.b_to_a, h.shape.b_to_a) << "one reduced tensor is rounder than the ellipsoid";
    EXPECT_LT(h.reduced_shape.b_to_a, 1);
    EXPECT_NEAR(std::abs(h.reduced_shape.axis[0].z), 1, 1e-3);
}

TEST_P(PropertiesOnEachBackend, EqualPlainSumsInLongDouble)
{
    const Particles p = random_halo(6000, 3);
    const std::vector<Vec3> centre{{0.3, 0.4, 0.5}};
    const HaloProperties h = of_all(p, {}, centre);
    using Long = long double;
    Long mass = 0, mean[3] = {}, speed[3] = {}, spin[3] = {}, vv[6] = {};
    const auto x = [&](Index i, int k) -> Long {
        return (k == 0 ? p.position.x : k == 1 ? p.position.y : p.position.z).host()[i];
    };
    const auto v = [&](Index i, int k) -> Long {
        return (k == 0 ? p.velocity.x : k == 1 ? p.velocity.y : p.velocity.z).host()[i];
    };
    for (Index i = 0; i < p.size(); ++i) {
        const Long m = p.mass.host()[i];
        mass += m;
        for (int k = 0; k < 3; ++k) mean[k] += m * x(i, k), speed[k] += m * v(i, k);
    }
    const Long c[3] = {0.3L, 0.4L, 0.5L};
    const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (Index i = 0; i < p.size(); ++i) {
        const Long m = p.mass.host()[i] / mass;
        Long d[3], w[3];
        for (int k = 0; k < 3; ++k) d[k] = x(i, k) - c[k], w[k] = v(i, k) - speed[k] / mass;
        for (int k = 0; k < 3; ++k)
            spin[k] += m * (d[(k + 1) % 3] * w[(k + 2) % 3] - d[(k + 2) % 3] * w[(k + 1) % 3]);
        for (int k = 0; k < 6; ++k) vv[k] += m * w[row[k]] * w[column[k]];
    }
    const auto vec = [](Long a, Long b, Long d) {
        return Vec3{static_cast<double>(a), static_cast<double>(b), static_cast<double>(d)};
    };
    EXPECT_TRUE(close_to(h.mass, static_cast<double>(mass), h.mass, rounding));
    expect_vector(h.centre_of_mass, vec(mean[0] / mass, mean[1] / mass, mean[2] / mass), 1, "centre of mass");
    expect_vector(h.velocity, vec(speed[0] / mass, speed[1] / mass, speed[2] / mass), 1, "velocity");
    expect_vector(h.angular_momentum, vec(spin[0], spin[1], spin[2]), 1, "angular momentum");
    const auto& t = h.velocity_dispersion;
    expect_vector({t.xx, t.yy, t.zz}, vec(vv[0], vv[1], vv[2]), 1, "diagonal");
    expect_vector({t.xy, t.xz, t.yz}, vec(vv[3], vv[4], vv[5]), 1, "off the diagonal");
    for (std::size_t type = 0; type < 6; ++type) {
        double in_type = 0;
        std::int64_t count = 0;
        for (Index i = 0; i < p.size(); ++i)
            if (p.type.host()[i] == type) in_type += p.mass.host()[i], ++count;
        EXPECT_EQ(h.n_members_by_type[type], count);
        EXPECT_TRUE(close_to(h.mass_by_type[type], in_type, in_type, rounding));
    }
}

TEST_P(PropertiesOnEachBackend, AHaloOnTheCornerOfTheBoxEqualsTheShiftedOne)
{
    Particles a = random_halo(700, 5), b = random_halo(700, 5);
    for (Index i = 0; i < 700; ++i)
        for (const auto x : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z}) {
            (a.position.*x).host()[i] += 3;
            (b.position.*x).host()[i] -= 0.5;  // partly below zero: wrapped
        }
    const HaloProperties first = of_all(a, {8}, {{3.25, 3.5, 3.75}}),
                         second = of_all(b, {8}, {{7.75, 8, 0.25}});
    for (const auto member :
         {&HaloProperties::offset, &HaloProperties::velocity, &HaloProperties::angular_momentum})
        expect_vector(first.*member, second.*member, 1, "vector");
    for (const auto member :
         {&HaloProperties::extent, &HaloProperties::half_mass_radius, &HaloProperties::dispersion,
          &HaloProperties::max_velocity, &HaloProperties::max_velocity_radius})
        EXPECT_TRUE(close_to(first.*member, second.*member, first.*member, rounding));
    EXPECT_TRUE(close_to(first.shape.c_to_a, second.shape.c_to_a, 1, rounding));
    EXPECT_GE(second.centre_of_mass.x, 0);
    expect_vector({second.centre.x, second.centre.y, second.centre.z}, {7.75, 0, 0.25}, 1, "wrapped centre");
}

TEST_P(PropertiesOnEachBackend, ListsMayBeEmptyOrOfOne)
{
    const Particles p = random_halo(3, 1);
    const auto rows = properties_on(exec(), {.particles = p}, {{2}, {0, 0, 1}});
    EXPECT_EQ(rows[0].n_members, 0);
    EXPECT_EQ(rows[0].mass, 0);
    EXPECT_EQ(rows[1].n_members, 1);
    EXPECT_EQ(rows[1].dispersion, 0);
    EXPECT_EQ(rows[1].extent, 0);
    EXPECT_EQ(rows[1].max_velocity, 0);
    EXPECT_TRUE(std::isnan(rows[1].shape.b_to_a));
    EXPECT_TRUE(properties_on(exec(), {.particles = p}, {}).empty());
}

TEST_P(PropertiesOnEachBackend, WithoutMassEachCountsAlike)
{
    Particles p = random_halo(50, 2), unit = random_halo(50, 2);
    for (Index i = 0; i < 50; ++i) {
        p.mass.host()[i] = 0;
        unit.mass.host()[i] = 1;
    }
    const HaloProperties massless = of_all(p), equal = of_all(unit);
    EXPECT_EQ(massless.mass, 0);
    EXPECT_EQ(massless.max_velocity, 0);
    EXPECT_EQ(massless.kinetic_energy, 0);
    EXPECT_EQ(massless.dispersion, equal.dispersion);
    EXPECT_EQ(massless.max_velocity_radius, equal.max_velocity_radius);
    EXPECT_EQ(massless.half_mass_radius, equal.half_mass_radius);
    EXPECT_EQ(massless.shape.b_to_a, equal.shape.b_to_a);
}

TEST_P(PropertiesOnEachBackend, ThreadsAndRepeatsDoNotChangeABit)
{
    const Particles p = random_halo(90000, 6);  // one list that all threads share, many that are dealt out
    std::vector<double> potential(p.size());
    for (Index i = 0; i < p.size(); ++i) potential[i] = -1.0 / (1 + i % 11);
    Members members = everyone(p);
    members.begin = {0, 70000};
    for (std::uint64_t end = 70000; end < 90000;)
        members.begin.push_back(end = std::min<std::uint64_t>(90000, end + 1 + end % 97));
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const auto one = properties_on(exec(), {.particles = p, .potential = potential}, members);
    omp_set_num_threads(3);
    const auto three = properties_on(exec(), {.particles = p, .potential = potential}, members);
    omp_set_num_threads(threads);
    static_assert(std::is_trivially_copyable_v<HaloProperties>);
    for (std::size_t k = 0; k < one.size(); ++k)
        ASSERT_EQ(std::memcmp(&one[k], &three[k], sizeof(HaloProperties)), 0) << k;
}

TEST_P(PropertiesOnEachBackend, InputThatDoesNotFitIsRefused)
{
    Particles p = random_halo(4, 1);
    const std::vector<Vec3> centres(2);
    const std::vector<double> potentials(3);
    const auto refused = [&](const halo::PropertyInput& input, const Members& members, const char* what) {
        EXPECT_TRUE(contains(message_of<Error>([&] { properties_on(exec(), input, members); }), what));
    };
    refused({.particles = p, .centre = centres}, everyone(p), "2 centres for 1 lists");
    const std::vector<Vec3> nowhere{{0, NAN, 0}};
    refused({.particles = p, .centre = nowhere}, everyone(p), "centre of list 0 is not finite");
    EXPECT_TRUE(contains(message_of<Error>([&] {
                             halo::halo_properties({.particles = p, .potential = potentials}, everyone(p));
                         }),
                         "3 potentials for 4 particles"));
    refused({.particles = p, .gravitational_constant = 0}, everyone(p), "gravitational constant is 0");
    refused({.particles = p}, {{4}, {0, 1}}, "particle 4, of 4");
    refused({.particles = p}, {{1}, {0, 2}}, "lists of 2 members");
    p.type.host()[2] = 6;
    refused({.particles = p}, everyone(p), "particle 2 has type 6");
}

TEST(Concentration, InvertsTheNfwProfile)
{
    const auto f = [](double x) { return std::log(1 + x) - x / (1 + x); };
    for (const double c : {2.5, 5.0, 10.0, 30.0, 1000.0}) {
        double best = 0;  // V_max^2 by a fine search, in units of G M_s / r_s
        for (double x = 2; x < 2.4; x += 1e-5) best = std::max(best, f(x) / x);
        const double ratio = std::sqrt(best / (f(c) / c));
        EXPECT_NEAR(halo::concentration_of_velocities(ratio), c, 1e-6 * c);
        HaloProperties h;
        h.max_velocity = ratio * std::sqrt(3.0 * 8 / 2);
        h.max_velocity_radius = 2.1626 * 2 / c;
        EXPECT_NEAR(halo::concentration_of_velocities(h, {8, 2}, 3), c, 1e-6 * c);
        EXPECT_NEAR(halo::concentration_of_radii(h, {8, 2}), c, 1e-4 * c);
        EXPECT_TRUE(std::isnan(halo::concentration_of_velocities(h, {0, 0}, 3)));
        EXPECT_TRUE(std::isnan(halo::concentration_of_radii(h, {NAN, NAN})));
    }
    EXPECT_TRUE(std::isnan(halo::concentration_of_velocities(0.99)));
    EXPECT_TRUE(std::isnan(halo::concentration_of_velocities(NAN)));
    EXPECT_NEAR(halo::concentration_of_velocities(1), halo::nfw_peak, 1e-6);
    EXPECT_EQ(halo::concentration_of_velocities(1e6), 1e4);
}

}  // namespace
}  // namespace aureole::test::properties_test
