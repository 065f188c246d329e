// The numbers of a record against slow references, on every backend.
#include "sim/run/diagnostics/measurement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/core/memory/ledger.hpp"
#include "sim/core/random.hpp"
#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"
#include "sim/run/diagnostics/lagrangian_radii.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/make_particles.hpp"

namespace aureole::test {
namespace {

using run::Measurement;

/// Two Plummer spheres of `n` particles each, with masses that differ, on their way past each other.
Particles two_spheres(std::size_t n)
{
    auto bodies = plummer_bodies(2 * n, 11);
    Particles p = to_particles(bodies, Backend::cpu);
    for (std::size_t i = 0; i < 2 * n; ++i) {
        const double side = i < n ? 1 : -1;
        p.mass.host()[i] = (1 + 0.5 * std::sin(static_cast<double>(i))) / static_cast<double>(n);
        p.position.x.host()[i] += 7 * side;
        p.velocity.y.host()[i] = 0.3 * side + 0.2 * std::cos(static_cast<double>(3 * i));
        p.acceleration.x.host()[i] = -0.1 * p.position.x.host()[i];
        p.potential.host()[i] = -0.1 - 1 / (1 + std::abs(p.position.z.host()[i]));
        p.component.host()[i] = i < n ? 0 : 1;
    }
    return p;
}

Measurement measured(Backend where, const Particles& host, const std::vector<IndexRange>& ranges)
{
    const Particles particles = host.copy_to(where);
    return run::Measurements().measure({where}, particles.view(), Box{}, ranges, particles.potential.data());
}

/// The radius about `centre` that holds a fraction of the mass, by sorting, in long double.
double slow_radius(const Particles& p, IndexRange range, Vec3 centre, double fraction)
{
    std::vector<std::pair<double, long double>> shells;
    long double total = 0;
    for (Index i = range.begin; i < range.end; ++i) {
        const Vec3 d = p.position.load(i) - centre;
        shells.emplace_back(std::sqrt(dot(d, d)), p.mass.host()[i]);
        total += p.mass.host()[i];
    }
    std::ranges::sort(shells);
    long double inside = 0;
    for (const auto& [radius, mass] : shells)
        if ((inside += mass) >= fraction * total) return radius;
    return NAN;
}

void expect_close(Vec3 a, Vec3 b, double tolerance)
{
    EXPECT_NEAR(a.x, b.x, tolerance);
    EXPECT_NEAR(a.y, b.y, tolerance);
    EXPECT_NEAR(a.z, b.z, tolerance);
}

class Measurements : public OnEachBackend {};

TEST_P(Measurements, OfTwoSpheresAreThoseOfSlowReferences)
{
    for (const std::size_t n : {30u, 700u, 20000u}) {
        const Particles host = two_spheres(n);
        const auto half = static_cast<Index>(n);
        const std::vector<IndexRange> ranges{{0, half}, {half, 2 * half}};
        const Measurement found = measured(GetParam(), host, ranges);
        long double kinetic = 0, mass = 0;
        for (Index i = 0; i < 2 * half; ++i) {
            const Vec3 v = host.velocity.load(i);
            kinetic += 0.5L * host.mass.host()[i] * dot(v, v);
            mass += host.mass.host()[i];
        }
        // sums of up to 40 000 terms in double: each addition rounds
        EXPECT_NEAR(found.energy.kinetic, static_cast<double>(kinetic), 1e-12);
        EXPECT_NEAR(found.energy.mass, static_cast<double>(mass), 1e-12);
        for (std::size_t f = 0; f < run::lagrangian_fractions.size(); ++f)
            EXPECT_EQ(
                found.energy.lagrangian_radii[f],
                slow_radius(host, {0, 2 * half}, found.energy.centre_of_mass, run::lagrangian_fractions[f]));
        ASSERT_EQ(found.orbits.size(), 2u);
        for (std::size_t k = 0; k < 2; ++k) {
            memory::CountedVector<Index> members(n);
            std::iota(members.begin(), members.end(), ranges[k].begin);
            const InnerSphere inner = shrinking_sphere(
                {host.mass.host(), host.position.x.host(), host.position.y.host(), host.position.z.host()},
                members);
            expect_close(found.orbits[k].centre, inner.centre, 1e-12);
            for (std::size_t f = 0; f < run::orbit_fractions.size(); ++f)
                EXPECT_DOUBLE_EQ(
                    found.orbits[k].lagrangian_radii[f],
                    slow_radius(host, ranges[k], found.orbits[k].centre, run::orbit_fractions[f]));
            long double bound = 0;
            for (Index i = ranges[k].begin; i < ranges[k].end; ++i) {
                const Vec3 v = host.velocity.load(i) - found.orbits[k].velocity;
                if (0.5 * dot(v, v) + host.potential.host()[i] < 0) bound += host.mass.host()[i];
            }
            EXPECT_GT(bound, 0.1L);
            EXPECT_NEAR(found.orbits[k].bound_mass, static_cast<double>(bound), 1e-12);
        }
    }
}

TEST_P(Measurements, AreThoseOfTheHostToRounding)
{
    const Particles host = two_spheres(5000);
    const std::vector<IndexRange> ranges{{0, 5000}, {5000, 10000}};
    const Measurement here = measured(GetParam(), host, ranges), there = measured(Backend::cpu, host, ranges);
    EXPECT_NEAR(here.energy.total(), there.energy.total(), 1e-13);
    EXPECT_NEAR(here.energy.virial_ratio, there.energy.virial_ratio, 1e-12);
    expect_close(here.energy.momentum, there.energy.momentum, 1e-13);
    expect_close(here.energy.angular_momentum, there.energy.angular_momentum, 1e-12);
    expect_close(here.energy.centre_of_mass, there.energy.centre_of_mass, 1e-13);
    for (std::size_t k = 0; k < 2; ++k) {
        expect_close(here.orbits[k].centre, there.orbits[k].centre, 1e-13);
        expect_close(here.orbits[k].velocity, there.orbits[k].velocity, 1e-13);
    }
}

/// Two unequal clumps with debris out to ten thousand times their size, and a body at its edge that outweighs
/// them all.
Particles clumps_in_debris(std::size_t n)
{
    Particles p = to_particles(plummer_bodies(n, 5), Backend::cpu);
    for (std::size_t i = 0; i < n; ++i) {
        const double far =
            i % 10 == 9 ? std::pow(10.0, 4 * static_cast<double>(i) / static_cast<double>(n)) : 1;
        p.position.x.host()[i] = far * (p.position.x.host()[i] + (i % 5 < 2 ? 9 : -6));
        p.position.y.host()[i] *= far;
        p.position.z.host()[i] *= far;
        p.mass.host()[i] = std::pow(10.0, static_cast<double>(i % 7) - 6);
        p.velocity.y.host()[i] = 0.2 * std::cos(static_cast<double>(3 * i));
        p.potential.host()[i] = -1;
        p.component.host()[i] = 0;
    }
    p.mass.host()[n - 1] = 1e6;
    return p;
}

TEST_P(Measurements, OfCentresThatDriftAndMassesOfAllSizesAreThoseOfTheHost)
{
    for (const Index n : {51u, 257u, 4000u, 150000u}) {
        const Particles host = clumps_in_debris(n);
        // all of them in one set; sets of very different sizes
        for (const std::vector<IndexRange>& ranges :
             {std::vector<IndexRange>{{0, n}}, {{0, 3}, {3, 40}, {40, n}}}) {
            const Measurement here = measured(GetParam(), host, ranges);
            const Measurement there = measured(Backend::cpu, host, ranges);
            for (std::size_t k = 0; k < ranges.size(); ++k) {
                // positions of up to 1e5, whose sums round at each of up to 150 000 terms
                expect_close(here.orbits[k].centre, there.orbits[k].centre, 1e-9);
                expect_close(here.orbits[k].velocity, there.orbits[k].velocity, 1e-12);
            }
        }
    }
}

TEST_P(Measurements, RepeatToTheBit)
{
    const Particles host = two_spheres(3000);
    const std::vector<IndexRange> ranges{{0, 3000}, {3000, 6000}};
    const Measurement first = measured(GetParam(), host, ranges), again = measured(GetParam(), host, ranges);
    EXPECT_EQ(first.energy.total(), again.energy.total());
    EXPECT_EQ(first.energy.angular_momentum.z, again.energy.angular_momentum.z);
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(first.orbits[k].centre.x, again.orbits[k].centre.x);
        EXPECT_EQ(first.orbits[k].velocity.y, again.orbits[k].velocity.y);
        EXPECT_EQ(first.orbits[k].bound_mass, again.orbits[k].bound_mass);
    }
}

TEST_P(Measurements, OfNoParticlesHaveNoRadii)
{
    const Measurement found = measured(GetParam(), Particles(Backend::cpu, 0), {});
    EXPECT_EQ(found.energy.total(), 0);
    EXPECT_TRUE(std::isnan(found.energy.lagrangian_radii[0]));
    EXPECT_TRUE(found.orbits.empty());
}

TEST_P(Measurements, ManyComponentsOfOneParticleEachAreAtTheirPlaces)
{
    const Particles host = two_spheres(20);
    std::vector<IndexRange> ranges;
    for (Index i = 0; i < 40; ++i) ranges.push_back({i, i + 1});
    const Measurement found = measured(GetParam(), host, ranges);
    ASSERT_EQ(found.orbits.size(), 40u);
    for (Index i = 0; i < 40; ++i) {
        // m x / m: two roundings of numbers up to 20
        expect_close(found.orbits[i].centre, host.position.load(i), 1e-14);
        expect_close(found.orbits[i].velocity, host.velocity.load(i), 1e-14);
        EXPECT_LT(found.orbits[i].lagrangian_radii[0], 3e-14);
    }
}

TEST_P(Measurements, EqualDistancesAndMasslessParticlesHaveTheirRadius)
{
    Particles host = two_spheres(500);
    for (std::size_t i = 0; i < 1000; ++i) {
        const bool near = i % 2 == 0;
        host.mass.host()[i] = i % 4 == 3 ? 0 : 1;
        host.position.x.host()[i] = near ? (i % 4 == 0 ? 2 : -2) : 5;
        host.position.y.host()[i] = host.position.z.host()[i] = 0;
    }
    // 500 at distance 2 and 250 with mass at distance 5
    const Vec3 origin{};
    const std::vector<double> radii =
        run::lagrangian_radii(host.view(), {}, origin, std::array{0.01, 0.5, 2.0 / 3, 0.9});
    EXPECT_EQ(radii, (std::vector<double>{2, 2, 2, 5}));
    const Measurement found = measured(GetParam(), host, {});
    for (std::size_t f = 0; f < 4; ++f)
        EXPECT_DOUBLE_EQ(
            found.energy.lagrangian_radii[f],
            slow_radius(host, {0, 1000}, found.energy.centre_of_mass, run::lagrangian_fractions[f]));
}

TEST_P(Measurements, TakeTheMemoryOfTheForecast)
{
    constexpr std::size_t n = 100000;
    Particles host = two_spheres(n / 2);
    const Particles particles = host.copy_to(GetParam());
    host = {};
    const std::size_t before = memory::held_bytes(GetParam());
    memory::reset_peak(GetParam());
    run::Measurements().measure({GetParam()}, particles.view(), Box{}, std::vector<IndexRange>{{0, n}},
                                particles.potential.data());
    const auto used = static_cast<double>(memory::peak_bytes(GetParam()) - before);
    const auto forecast = static_cast<double>(run::Measurements::scratch_bytes(GetParam(), n, Box{}, 1));
    EXPECT_LE(used, forecast);
    EXPECT_GE(used, 0.9 * forecast);
}

TEST_P(Measurements, InABoxNeedNoMemoryForRadiiThatHaveNoCentre)
{
    constexpr std::size_t n = 100000;
    Particles host = two_spheres(n / 2);
    const run::Energy open = measured(GetParam(), host, {}).energy;
    const Particles particles = host.copy_to(GetParam());
    host = {};
    const std::size_t before = memory::held_bytes(GetParam());
    memory::reset_peak(GetParam());
    const run::Energy energy =
        run::Measurements().measure({GetParam()}, particles.view(), Box{100}, {}, nullptr).energy;
    EXPECT_EQ(energy.total(), open.total());
    for (const double radius : energy.lagrangian_radii) EXPECT_EQ(radius, 0);
    EXPECT_LE(memory::peak_bytes(GetParam()) - before, n);
    EXPECT_LE(run::Measurements::scratch_bytes(GetParam(), n, Box{100}, 3), n);
    EXPECT_THROW(run::Measurements().measure({GetParam()}, particles.view(), Box{100},
                                             std::vector<IndexRange>{{0, n}}, nullptr),
                 ArgumentError);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(Measurements);

}  // namespace
}  // namespace aureole::test
