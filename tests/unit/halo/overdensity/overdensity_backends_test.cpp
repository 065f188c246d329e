// Spherical overdensities of many particles: models of halos, real files and awkward heaps, on each backend
// against the search on the CPU with its own guesses.
#include <numbers>

#include "halo/overdensity/overdensity.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/halo/mock_halos.hpp"
#include "tests/support/halo/overdensity_reference.hpp"
#include "tests/support/point_sets.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test::overdensity_backends_test {
namespace {

using halo::Crossing;
using halo::OverdensitySphere;
using Spheres = std::vector<OverdensitySphere>;

constexpr Crossing both[] = {Crossing::outermost, Crossing::innermost};
constexpr Tolerance rounding{1e-12, "sums of up to 10^6 masses in another order"};

/// Concentric shells of equal mass per radius, about as steep as a halo: rho ~ r^-2, radius 1.
Particles isothermal_sphere(std::size_t n, std::uint64_t seed)
{
    Uniform u(seed);
    Points x;
    for (std::size_t i = 0; i < n; ++i) {
        const double r = u(), z = 2 * u() - 1, phi = 2 * std::numbers::pi * u(),
                     across = std::sqrt(1 - z * z);
        x.push_back({r * across * std::cos(phi), r * across * std::sin(phi), r * z});
    }
    Particles p = particles_at(x);
    for (double& mass : p.mass.host()) mass = 1.0 / static_cast<double>(n);
    return p;
}

/// Density of a whole sphere of mass 1 and this radius.
double mean_density(double radius, double mass = 1)
{
    return mass / (unit_sphere * radius * radius * radius);
}

void expect_same(OverdensitySphere found, OverdensitySphere expected, const std::string& where)
{
    EXPECT_EQ(std::isnan(found.mass), std::isnan(expected.mass)) << where;
    EXPECT_EQ(std::isnan(found.radius), std::isnan(expected.radius)) << where;
    if (std::isnan(expected.mass)) return;
    EXPECT_TRUE(close_to(found.mass, expected.mass, std::max(expected.mass, 1e-300), rounding)) << where;
    EXPECT_TRUE(close_to(found.radius, expected.radius, std::max(expected.radius, 1e-300), rounding))
        << where;
}

class ManyParticles : public OnEachBackend {
protected:
    Spheres spheres(const Particles& p, const std::vector<Vec3>& centre, const std::vector<double>& density,
                    double side = 0, const std::vector<double>& expected = {},
                    Crossing crossing = Crossing::outermost)
    {
        const Particles there = p.copy_to(GetParam());
        return search_.spheres(exec(), {there.reading_view(), {side}, centre, density, expected, crossing});
    }

    /// Both crossings; outermost ones to the bit.
    void expect_as_on_the_cpu(const Particles& p, const std::vector<Vec3>& centre,
                              const std::vector<double>& density, double side = 0,
                              const std::vector<double>& expected = {})
    {
        for (const Crossing crossing : both) {
            const Spheres found = spheres(p, centre, density, side, expected, crossing);
            const Spheres cpu = halo::overdensity_spheres({p, {side}, centre, density, {}, crossing});
            ASSERT_EQ(found.size(), cpu.size());
            for (std::size_t k = 0; k < cpu.size(); ++k) {
                const std::string where =
                    fmt::format("crossing {} centre {} threshold {}", static_cast<int>(crossing),
                                k / density.size(), k % density.size());
                expect_same(found[k], cpu[k], where);
                if (crossing == Crossing::innermost || std::isnan(cpu[k].mass)) continue;
                EXPECT_EQ(found[k].mass, cpu[k].mass) << where;
                EXPECT_EQ(found[k].radius, cpu[k].radius) << where;
            }
        }
    }

    /// Both crossings about the origin.
    void expect_as_the_slow_search(const Particles& p, const std::vector<double>& density, double side = 0)
    {
        const OverdensityReference reference(p, {}, side);
        for (const Crossing crossing : both) {
            const Spheres found = spheres(p, {{0, 0, 0}}, density, side, {}, crossing);
            for (std::size_t k = 0; k < density.size(); ++k)
                expect_same(
                    found[k], reference.sphere(density[k], crossing),
                    fmt::format("crossing {} side {} threshold {}", static_cast<int>(crossing), side, k));
        }
    }

private:
    halo::OverdensitySearch search_;
};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ManyParticles);

TEST_P(ManyParticles, SpheresOfEverySizeAreThoseOfTheCpu)
{
    if (GetParam() == Backend::cpu) GTEST_SKIP() << "on the CPU this compares the host with itself";
    const Particles p = isothermal_sphere(300000, 1);  // from a few particles to all of them
    std::vector<Vec3> centre{{0, 0, 0}, {0.001, 0, 0}, {0.4, 0, 0}, {0, 0, 1.2}, {30, 0, 0}};
    for (Index i = 0; i < 10; ++i) centre.push_back(p.position.load(1000 * i));
    std::vector<double> density;  // unsorted, two of them equal
    for (const double r : {0.3, 1e-4, 0.9, 1.5, 0.01, 0.3, 0.6}) density.push_back(mean_density(r, r));
    expect_as_on_the_cpu(p, centre, density);
    expect_as_on_the_cpu(p, centre, density, 2.5);
    std::vector<double> expected;
    for (std::size_t c = 0; c < centre.size(); ++c)
        expected.push_back(std::pow(10.0, 1.0 - static_cast<double>(c)));
    expect_as_on_the_cpu(p, centre, density, 2.5, expected);
}

/// A sphere of n particles, mass and radius 1, whose centre is as far from a small group at the origin.
Particles small_group_beside_a_huge_one(std::size_t n, double distance)
{
    Particles p = isothermal_sphere(n, 7);
    for (double& x : p.position.x.host()) x += distance;
    for (std::size_t i = 0; i < 30; ++i) {
        const Vec3 at = p.position.load(static_cast<Index>(n - 1 - i)) - Vec3{distance, 0, 0};
        p.position.x.host()[i] = 0.01 * at.x;
        p.position.y.host()[i] = 0.01 * at.y;
        p.position.z.host()[i] = 0.01 * at.z;
    }
    return p;
}

TEST_P(ManyParticles, SpheresBesideAHugeGroupHoldItOrTheSmallOneAlone)
{
    // the sphere of the small group swallows the huge one at the lowest densities
    for (const double distance : {1.02, 1.1, 1.5}) {
        SCOPED_TRACE(distance);
        std::vector<double> density;
        for (const double radius : {0.02, 0.5, 1.0, 1.5, 2.0, 2.4}) density.push_back(mean_density(radius));
        expect_as_the_slow_search(small_group_beside_a_huge_one(8000, distance), density);
        expect_as_the_slow_search(small_group_beside_a_huge_one(8000, distance), density, 6);
        std::vector<Vec3> centre;
        for (int i = 0; i < 12; ++i) centre.push_back({-0.03 * i, 0.01 * i, 0});
        expect_as_on_the_cpu(small_group_beside_a_huge_one(80000, distance), centre, density);
    }
}

TEST_P(ManyParticles, UnequalMassesAndNoneAtAllAreWeighed)
{
    Particles p = isothermal_sphere(120000, 2);
    Uniform u(3);
    for (double& mass : p.mass.host()) mass = u() < 0.2 ? 0.0 : std::pow(10.0, -12 * u());
    double total = 0;
    for (const double mass : p.mass.host()) total += mass;
    std::vector<double> density;
    for (const double r : {0.01, 0.05, 0.2, 0.8}) density.push_back(mean_density(r, r * total));
    std::vector<Vec3> centre{{0, 0, 0}, {0.1, 0.1, 0}};
    for (Index i = 0; i < 30; ++i) centre.push_back(p.position.load(i));  // heavy, light and without mass
    expect_as_on_the_cpu(p, centre, density);
    expect_as_on_the_cpu(p, centre, density, 2);
}

TEST_P(ManyParticles, RepeatTheirBits)
{
    Particles p = isothermal_sphere(200000, 4);
    Uniform u(5);
    for (double& mass : p.mass.host()) mass = u();
    std::vector<Vec3> centre{{0, 0, 0}, {0.2, 0, 0}, {0.5, 0.5, 0}};
    const std::vector<double> density{mean_density(0.3, 3e4), mean_density(0.01, 1e3)};
    const Spheres once = spheres(p, centre, density);
    for (int repeat = 0; repeat < 3; ++repeat) {
        const Spheres again = spheres(p, centre, density);
        for (std::size_t k = 0; k < once.size(); ++k) {
            EXPECT_EQ(once[k].mass, again[k].mass);
            EXPECT_EQ(once[k].radius, again[k].radius);
        }
    }
    // other guesses, other paths: still the same particles
    const Spheres innermost = spheres(p, centre, density, 0, {}, Crossing::innermost);
    for (const double guess : {1e-3, 1e3, 1e9}) {
        const std::vector<double> expected(3, guess);
        const Spheres guessed = spheres(p, centre, density, 0, expected, Crossing::innermost);
        for (std::size_t k = 0; k < once.size(); ++k)
            expect_same(guessed[k], innermost[k], fmt::format("guess {} sphere {}", guess, k));
    }
}

TEST_P(ManyParticles, ABallAtTheDensityItselfEndsAtItsCrossings)
{
    // mean densities that hover about the threshold nearly everywhere; the slow search is O(N^2)
    for (const std::size_t n : {100000u, 8000u}) {
        Uniform u(6);
        Points x;
        while (x.size() < n) {
            const std::array<double, 3> q{2 * u() - 1, 2 * u() - 1, 2 * u() - 1};
            if (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] < 1) x.push_back(q);
        }
        x.push_back({0, 0, 0});
        Particles p = particles_at(x);
        for (double& mass : p.mass.host()) mass = 1;
        p.mass.host()[n] = 0.003 * static_cast<double>(n);
        std::vector<double> density;
        for (const double part : {0.97, 0.985, 0.99, 0.995, 0.998, 1.0, 1.003, 1.01})
            density.push_back(part * mean_density(1, static_cast<double>(n)));
        expect_as_on_the_cpu(p, {{0, 0, 0}, {0.02, 0, 0}}, density);
        if (n < 10000) expect_as_the_slow_search(p, density);
    }
}

TEST_P(ManyParticles, HeapsAtOneDistanceEnterTogether)
{
    // thousands at each of three distances whose squares are neighbours; what is nearer suffices there by a
    // hair
    const double r = 0.5, next = std::nextafter(r, 1.0), last = std::nextafter(next, 1.0);
    Points x{{0, 0, 0}};
    for (int i = 0; i < 2000; ++i) x.push_back({i % 2 == 0 ? r : -r, 0, 0});
    for (int i = 0; i < 3000; ++i) x.push_back({0, i % 2 == 0 ? next : 0, i % 2 == 0 ? 0 : next});
    for (int i = 0; i < 1000; ++i) x.push_back({0, 0, last});
    for (int i = 0; i < 100; ++i) x.push_back({0.9, 0, 0.01 * i});
    Particles p = particles_at(x);
    for (double& mass : p.mass.host()) mass = 1;
    std::vector<double> density;
    for (const double mass : {400.0, 499.0, 500 * (1 - 1e-9), 500 * (1 - 1e-13), 500 * (1 + 1e-9), 1999.0,
                              2000 * (1 - 1e-13), 2000 * (1 + 1e-9), 5001.0})
        density.push_back(mean_density(r, mass));
    for (const double nearest : {500.0, 0.0})
        for (const double side : {0.0, 4.0}) {
            SCOPED_TRACE(fmt::format("nearest {}", nearest));
            p.mass.host()[0] = nearest;
            expect_as_the_slow_search(p, density, side);
        }
}

TEST_P(ManyParticles, TooThinFromTheStartIsNoSphere)
{
    for (const double side : {0.0, 2.1}) {
        Particles p = isothermal_sphere(50000, 7);
        // some particles exactly at 0.05, all others farther than 0.1
        for (Index i = 0; i < p.size(); ++i) {
            const Vec3 x = p.position.load(i);
            const Vec3 at =
                i < 100 ? Vec3{i % 2 == 0 ? 0.05 : -0.05, 0, 0} : (0.9 + 0.1 / std::sqrt(dot(x, x))) * x;
            p.view().position.store(i, at);
        }
        const Spheres found = spheres(p, {{0, 0, 0}}, {mean_density(0.9, 0.8), mean_density(0.05, 1)}, side,
                                      {}, Crossing::innermost);
        expect_as_on_the_cpu(p, {{0, 0, 0}}, {mean_density(0.9, 0.8), mean_density(0.05, 1)}, side);
        EXPECT_GT(found[0].mass, 0.5);
        EXPECT_EQ(found[1].mass, 0);
    }
}

TEST_P(ManyParticles, ModelsOfHalosGiveTheSameSpheres)
{
    for (const ics::Component& model : {nfw_halo(60000, 1, 1, 10), king_halo(3000, 1, 1)}) {
        const Particles p = make_mock(8, {model});
        std::vector<Vec3> centre{{0, 0, 0}};
        for (Index i = 0; i < p.size(); i += 301) centre.push_back(p.position.load(i));
        std::vector<double> density;
        for (const double factor : {200.0, 500.0, 178.0, 2500.0})
            density.push_back(factor * mean_density(1) / 200);
        expect_as_on_the_cpu(p, centre, density);
        expect_as_on_the_cpu(p, centre, density, 5);
    }
}

TEST_P(ManyParticles, ARealSnapshotGivesTheSameSpheres)
{
    AUREOLE_TEST_DATA_OR_SKIP(file, "fof/psi_snapshot_010");
    const io::Snapshot snapshot = io::read_snapshot(file);
    const Particles& p = snapshot.particles;
    double total = 0;
    for (const double mass : p.mass.host()) total += mass;
    const double side = snapshot.header.box_size, mean = total / (side * side * side);
    std::vector<Vec3> centre;
    for (Index i = 0; i < p.size(); i += p.size() / 200) centre.push_back(p.position.load(i));
    expect_as_on_the_cpu(p, centre, {200 * mean, 500 * mean, 178 * mean, 50 * mean}, side);
}

}  // namespace
}  // namespace aureole::test::overdensity_backends_test
