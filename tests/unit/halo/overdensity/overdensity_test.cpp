// Spherical overdensities on each backend: done by hand, against a slow search through all particles, across
// box corners. Many particles and real files: overdensity_backends_test.cpp.
#include "halo/overdensity/overdensity.hpp"

#include <omp.h>

#include <algorithm>
#include <numbers>

#include "tests/support/backends.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/halo/overdensity_reference.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::overdensity_test {
namespace {

using halo::Crossing;
using halo::OverdensitySphere;

constexpr Crossing both[] = {Crossing::outermost, Crossing::innermost};
constexpr Tolerance rounding{1e-12, "sums of up to 10^5 masses in another order"};

Particles with_masses(const Points& x, double mass = 1)
{
    Particles p = particles_at(x);
    for (double& m : p.mass.host()) m = mass;
    return p;
}

void expect_same(OverdensitySphere found, OverdensitySphere expected, const std::string& where)
{
    if (std::isnan(expected.radius)) {
        EXPECT_TRUE(std::isnan(found.radius) && std::isnan(found.mass)) << where << ": " << found.radius;
        return;
    }
    EXPECT_TRUE(close_to(found.mass, expected.mass, std::max(expected.mass, 1e-300), rounding)) << where;
    EXPECT_TRUE(close_to(found.radius, expected.radius, std::max(expected.radius, 1e-300), rounding))
        << where;
}

class OverdensitySpheres : public OnEachBackend {
protected:
    std::vector<OverdensitySphere> spheres(const Particles& p, const std::vector<Vec3>& centre,
                                           const std::vector<double>& density, double side = 0,
                                           Crossing crossing = Crossing::outermost)
    {
        const Particles there = p.copy_to(GetParam());
        return search_.spheres(exec(), {there.reading_view(), {side}, centre, density, {}, crossing});
    }
    OverdensitySphere sphere(const Particles& p, Vec3 centre, double density, double side = 0,
                             Crossing crossing = Crossing::outermost)
    {
        return spheres(p, {centre}, {density}, side, crossing)[0];
    }

private:
    halo::OverdensitySearch search_;
};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(OverdensitySpheres);

TEST_P(OverdensitySpheres, DoneByHand)
{
    const Particles p = with_masses({{0, 0, 0}, {1, 0, 0}});
    for (const Crossing crossing : both)
        expect_same(sphere(p, {}, 2 / (unit_sphere * 8), 0, crossing), {2, 2},
                    "ends behind the last particle");
    expect_same(sphere(p, {}, 1 / (unit_sphere * 0.125)), {1, 0.5}, "ends before the second particle");
    expect_same(sphere(p, {}, 2 / (unit_sphere * 8)), {2, 2}, "ends behind the last particle");
    expect_same(sphere(with_masses({{7, 7, 7}}), {7, 7, 7}, 1 / unit_sphere), {1, 1}, "one particle");
    const auto two = spheres(p, {{1, 0, 0}, {0, 0, 0}}, {2 / (unit_sphere * 8), 8 / unit_sphere});
    for (const std::size_t c : {0u, 1u}) {
        expect_same(two[2 * c], {2, 2}, "the lower threshold, given first");
        expect_same(two[2 * c + 1], {1, 0.5}, "the higher threshold");
    }
}

TEST_P(OverdensitySpheres, EndBehindTheLastDistanceThatReachesTheDensityOrBeforeTheFirstGap)
{
    // within 1, 2, 3 and 4 lie 1, 5, 6 and 40 particles: density in units of the threshold 1, 0.625, 0.222,
    // 0.625
    Points x{{1, 0, 0}};
    x.insert(x.end(), 4, {0, 2, 0});
    x.push_back({0, 0, 3});
    x.insert(x.end(), 34, {0, -4, 0});
    const Particles p = with_masses(x);
    const auto ends = [&](double density, Crossing crossing, OverdensitySphere expected) {
        for (const double side : {0.0, 20.0})
            expect_same(sphere(p, {}, density / unit_sphere, side, crossing), expected,
                        fmt::format("density {} side {}", density, side));
    };
    ends(0.99, Crossing::outermost, {1, std::cbrt(1 / 0.99)});
    ends(0.99, Crossing::innermost, {1, std::cbrt(1 / 0.99)});
    ends(0.63, Crossing::outermost, {1, std::cbrt(1 / 0.63)});
    ends(0.62, Crossing::outermost, {40, std::cbrt(40 / 0.62)});
    ends(0.62, Crossing::innermost, {1, std::cbrt(1 / 0.62)});
    ends(0.1, Crossing::outermost, {40, std::cbrt(400)});
    ends(0.1, Crossing::innermost, {6, std::cbrt(60)});
    ends(1.1, Crossing::outermost, {0, 0});
    ends(1.1, Crossing::innermost, {0, 0});
    const auto two = spheres(p, {{0, 0, 0}}, {0.63 / unit_sphere, 0.62 / unit_sphere});
    expect_same(two[0], {1, std::cbrt(1 / 0.63)}, "each density on its own");
    expect_same(two[1], {40, std::cbrt(40 / 0.62)}, "each density on its own");
    const Particles empty_inside = with_masses({{5, 0, 0}, {0, 5, 0}, {0, 0, 5}, {0, 0, -5}});
    for (const Crossing crossing : both)
        expect_same(sphere(empty_inside, {}, 5 / (unit_sphere * 125), 0, crossing), {0, 0}, "too thin");
}

TEST_P(OverdensitySpheres, ParticlesAtOneDistanceEnterTogether)
{
    const Particles p = with_masses({{1, 0, 0}, {-1, 0, 0}});
    expect_same(sphere(p, {}, 1.5 / unit_sphere), {2, std::cbrt(2 / 1.5)}, "one alone would not suffice");
    expect_same(sphere(p, {}, 2.5 / unit_sphere), {0, 0}, "already the innermost shell is too thin");
}

TEST_P(OverdensitySpheres, ParticlesWithoutMassDoNotCount)
{
    Particles p = with_masses({{0.1, 0, 0}, {1, 0, 0}, {-1, 0, 0}});
    p.mass.host()[0] = 0;
    expect_same(sphere(p, {}, 1.5 / unit_sphere), {2, std::cbrt(2 / 1.5)}, "two of three");
    expect_same(sphere(with_masses({{0, 0, 0}}, 0), {}, 1), {0, 0}, "no particle has mass");
    expect_same(sphere(particles_at({}), {}, 1), {0, 0}, "no particles");
}

TEST_P(OverdensitySpheres, UnknownDensitiesGiveNothing)
{
    const Particles p = with_masses({{0, 0, 0}});
    const auto found = spheres(p, {{0, 0, 0}}, {NAN, 1 / unit_sphere});
    EXPECT_TRUE(std::isnan(found[0].mass) && std::isnan(found[0].radius));
    expect_same(found[1], {1, 1}, "the known one");
    EXPECT_TRUE(spheres(p, {}, {1}).empty());
    EXPECT_TRUE(spheres(p, {{0, 0, 0}}, {}).empty());
    EXPECT_TRUE(contains(message_of<Error>([&] { spheres(p, {{0, 0, 0}}, {-1}); }), "-1"));
}

TEST_P(OverdensitySpheres, NeedFinitePlaces)
{
    Particles p = with_masses({{0, 0, 0}, {1, NAN, 0}});
    EXPECT_TRUE(contains(message_of<Error>([&] { sphere(p, {}, 1); }), "particle 1 (id 2)"));
    p = with_masses({{0, 0, 0}});
    EXPECT_TRUE(contains(message_of<Error>([&] { sphere(p, {0, INFINITY, 0}, 1); }), "centre 0"));
}

TEST_P(OverdensitySpheres, AreNotWiderThanThePeriodicBox)
{
    const Particles p = with_masses({{0, 0, 0}});
    EXPECT_TRUE(std::isnan(sphere(p, {}, 1 / unit_sphere, 1.9).radius));
    expect_same(sphere(p, {}, 1 / unit_sphere, 2.1), {1, 1}, "just fits");
}

TEST_P(OverdensitySpheres, EqualASlowSearchInOpenSpaceAndInABox)
{
    for (const std::uint64_t seed : {1u, 2u}) {
        Particles p = with_masses(clustered_points(1500, seed));
        for (Index i = 0; i < p.size(); ++i) p.mass.host()[i] = 1.0 + i % 3;
        std::vector<Vec3> centre;
        for (Index i = 0; i < 750; i += 40) centre.push_back(p.position.load(i));  // in the clumps
        for (const auto& x : uniform_points(15, seed + 7)) centre.push_back({x[0], x[1], x[2]});
        centre.push_back({0, 0, 0});
        centre.push_back({0.9999999, 0, 1e-9});
        const std::vector<double> density{8e3, 16e6, 4e4, 3.1e3, 4e5};  // the mean is 3e3
        for (const double side : {0.0, 1.0}) {
            const auto outermost = spheres(p, centre, density, side);
            const auto innermost = spheres(p, centre, density, side, Crossing::innermost);
            for (std::size_t c = 0; c < centre.size(); ++c) {
                const OverdensityReference reference(p, centre[c], side);
                for (std::size_t k = 0; k < density.size(); ++k) {
                    const std::string where =
                        fmt::format("seed {} side {} centre {} density {}", seed, side, c, density[k]);
                    const std::size_t place = c * density.size() + k;
                    expect_same(outermost[place], reference.sphere(density[k]), "outermost, " + where);
                    expect_same(innermost[place], reference.sphere(density[k], Crossing::innermost),
                                "innermost, " + where);
                }
            }
        }
    }
}

TEST_P(OverdensitySpheres, ManyCoincidentParticlesAreOneShell)
{
    Points x(3000, {0.5, 0.5, 0.5});
    x.push_back({0.6, 0.5, 0.5});
    const Particles p = with_masses(x);
    expect_same(sphere(p, {0.5, 0.5, 0.5}, 3000 / (unit_sphere * 1e-6)), {3000, 0.01}, "from the heap");
    expect_same(sphere(p, {0.6, 0.5, 0.5}, 3001 / (unit_sphere * 1e-6)), {1, 0.01 * std::cbrt(1 / 3001.0)},
                "from its neighbour");
}

TEST_P(OverdensitySpheres, AHaloOnTheCornerEqualsTheShiftedOne)
{
    Points x = clustered_points(2000, 11), shifted = x;
    const Vec3 centre = {x[0][0], x[0][1], x[0][2]};
    for (auto& q : shifted)  // puts particle 0 on the corner; others on either side, some outside the box
        for (int k = 0; k < 3; ++k) q[k] -= x[0][k];
    for (const double density : {5e5, 1e5, 1e4}) {
        const OverdensitySphere at = sphere(with_masses(x), centre, density, 1);
        EXPECT_GT(at.mass, 1);
        expect_same(sphere(with_masses(shifted), {0, 0, 0}, density, 1), at, "corner");
        expect_same(sphere(with_masses(shifted), {1, 1, 1}, density, 1), at, "opposite corner");
    }
}

TEST_P(OverdensitySpheres, ThreadsAndOrderOfCentresDoNotChangeABit)
{
    // one sphere of nearly all of 80 000 particles is shared by the threads, the small ones are dealt out
    Uniform u(5);
    Points x;
    for (int i = 0; i < 80000; ++i) {
        const double r = std::pow(u(), 2.0), z = 2 * u() - 1, phi = 2 * std::numbers::pi * u();
        const double across = std::sqrt(1 - z * z);
        x.push_back({r * across * std::cos(phi), r * across * std::sin(phi), r * z});
    }
    Particles p = with_masses(x);
    for (Index i = 0; i < p.size(); ++i) p.mass.host()[i] = 1.0 / (1 + i % 13);
    const std::vector<Vec3> centre{{0, 0, 0}, {0.5, 0, 0}, {0, 0.9, 0}, {5, 5, 5}};
    const std::vector<double> density{3e3, 1e6, 1e3};
    const int threads = omp_get_max_threads();
    const OverdensityReference reference(p, centre[0], 0);
    for (const Crossing crossing : both) {
        omp_set_num_threads(1);
        const auto one = spheres(p, centre, density, 0, crossing);
        omp_set_num_threads(3);
        const auto three = spheres(p, centre, density, 0, crossing);
        const auto backwards = spheres(p, {centre.rbegin(), centre.rend()}, density, 0, crossing);
        omp_set_num_threads(threads);
        for (std::size_t k = 0; k < one.size(); ++k) {
            EXPECT_EQ(one[k].mass, three[k].mass);
            EXPECT_EQ(one[k].radius, three[k].radius);
            EXPECT_EQ(one[k].mass, backwards[(3 - k / 3) * 3 + k % 3].mass);
        }
        EXPECT_GT(std::count_if(one.begin(), one.end(), [](auto s) { return s.radius > 0.7; }), 0);
        for (std::size_t k = 0; k < 3; ++k)
            expect_same(one[k], reference.sphere(density[k], crossing), "slow search");
    }
}

}  // namespace
}  // namespace aureole::test::overdensity_test
