// Bars: rigid tables whose speed is known, derivatives by differences, amplitudes and noise by theory, error
// bars by seeds, lengths, criteria, order and threads.
#include "sim/analysis/bar.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "tests/support/close_to.hpp"
#include "tests/support/models/mock_disks.hpp"
#include "tests/support/quadrature.hpp"

namespace aureole::test {
namespace {

using run::Bar, run::BarStatus, run::DiskFrame, run::DiskParticles, run::DiskRing;
using std::numbers::pi;

struct Measured {
    DiskFrame frame;
    Bar bar;
};

Measured measured(const Particles& host, const run::BarCriteria& criteria = {}, std::size_t ring = 8000)
{
    const DiskParticles particles = run::disk_particles(host.view(), {});
    const DiskFrame frame = run::disk_frame(particles);
    const DiskParticles disk = run::disk_in_frame(particles, frame);
    const auto rings = run::disk_rings(disk, ring);
    return {frame, run::measure_bar({}, run::view_of(disk), rings, run::ring_moments(disk, rings), criteria)};
}

/// The points in their own frame, sorted by radius.
DiskParticles sorted_disk(const std::vector<DiskPoint>& points)
{
    return run::disk_in_frame(run::disk_particles(disk_of(points).view(), {}), {});
}

TEST(Bar, ARigidTableTurnsAtItsSpeedWhereverItIsAndHoweverItIsTilted)
{
    const double speed = 0.7;
    const auto points = rigid_bar(40000, 0.4, speed, 1);
    const Bar still = measured(disk_of(points)).bar;
    ASSERT_EQ(still.status, BarStatus::measured);
    EXPECT_NEAR(still.pattern.speed, speed, 1e-12 * speed);
    EXPECT_NEAR(still.pattern.phase, 0.4, 10 * still.pattern.phase_error) << "with images as one point";
    EXPECT_NEAR(still.pattern.amplitude, 0.3, 10 * still.pattern.amplitude_error);
    EXPECT_NEAR(still.region.r1, 1.5, 0.15);
    for (const double tilt : {0.3, 1.4, 2.9}) {
        const Measured there = measured(disk_of(placed(points, tilt, 0.8, {30, -20, 11}, {5, 7, -9})));
        ASSERT_EQ(there.bar.status, BarStatus::measured) << tilt;
        EXPECT_NEAR(there.bar.pattern.speed, speed, 1e-12 * speed) << tilt;
        EXPECT_NEAR(there.frame.axis.z, std::cos(tilt), 1e-12);
        EXPECT_NEAR(there.frame.centre.x, 30, 1e-12);
        EXPECT_NEAR(there.frame.velocity.z, -9, 1e-4) << "images on the edge of the inner 5 %";
        EXPECT_NEAR(there.bar.pattern.amplitude, still.pattern.amplitude, 1e-9);
    }
}

TEST(Bar, RatesOfTheTermsAreTheirDerivativesAlongStraightLines)
{
    const run::PatternRegion region{0.5, 1.2, 2.5, 0, 0};
    Uniform u(3);
    for (int k = 0; k < 200; ++k) {
        const double r = 0.55 + 1.9 * u(), phi = 2 * pi * u();
        if (std::abs(r - 1.2) < 1e-3) continue;  // the window's second derivative jumps there
        const Vec3 x{r * std::cos(phi), r * std::sin(phi), u()}, v{u() - 0.5, u() - 0.5, u() - 0.5};
        for (const int m : {1, 2, 3, 4}) {
            const double h = 1e-5;
            const auto at = [&](double t) { return run::pattern_terms(region, m, 1.7, x + t * v, v); };
            const run::PatternTerms now = at(0), before = at(-h), after = at(h);
            EXPECT_NEAR(now.cosine_rate, (after.cosine - before.cosine) / (2 * h), 1e-7);
            EXPECT_NEAR(now.sine_rate, (after.sine - before.sine) / (2 * h), 1e-7);
            const double q = (r * r - 1.44) / ((r < 1.2 ? 0.25 : 6.25) - 1.44);
            EXPECT_NEAR(now.weight, 1.7 * (2 - 6 * q * q + 4 * q * q * q), 1e-12);
            EXPECT_NEAR(now.cosine, now.weight * std::cos(m * phi), 1e-12);
        }
    }
}

TEST(Bar, AParticleAtTheCentreOrOutsideTheRegionAddsNothing)
{
    for (const Vec3 x : {Vec3{0, 0, 1}, Vec3{0.4, 0, 0}, Vec3{0, -2.6, 0}, Vec3{1e-200, 1e-200, 0}}) {
        const run::PatternTerms t = run::pattern_terms({0.5, 1.2, 2.5, 0, 0}, 2, 1, x, {1, 2, 3});
        for (const double term : {t.weight, t.cosine, t.sine, t.cosine_rate, t.sine_rate}) EXPECT_EQ(term, 0);
    }
    // a region that starts at the centre
    EXPECT_EQ(run::pattern_terms({0, 1.2, 2.5, 0, 0}, 2, 1, {0, 0, 1}, {1, 2, 3}).weight, 0);
}

TEST(Bar, ADensityOfOnePlusECosTwoPhiHasAnAmplitudeOfHalfE)
{
    for (const double e : {0.05, 0.4, 0.9}) {
        std::vector<DiskPoint> points;
        for (int k = 0; k < 3000; ++k) {
            const double phi = 0.3 + barred_azimuth((k + 0.5) / 3000, e);
            points.push_back({{std::cos(phi), std::sin(phi), 0}, {}});
        }
        const DiskParticles disk = sorted_disk(points);
        const auto ring = run::ring_moments(disk, run::disk_rings(disk, 3000));
        ASSERT_EQ(ring.size(), 1u);
        EXPECT_NEAR(ring[0].harmonics.amplitude[1], e / 2, 1e-12);
        EXPECT_NEAR(ring[0].harmonics.phase[1], 0.3, 1e-11);
        for (const int other : {0, 2, 3}) EXPECT_NEAR(ring[0].harmonics.amplitude[other], 0, 1e-12);
    }
}

TEST(Bar, RingsWithoutABarHaveTheMeanAmplitudeOfTheNoise)
{
    constexpr std::size_t n_rings = 400, in_ring = 500;
    for (const double spread : {0.0, 1.5}) {  // of the logarithms of the masses
        Uniform u(8);
        std::vector<DiskPoint> points;
        for (std::size_t k = 0; k < n_rings * in_ring; ++k) {
            const double r = 1 + u(), phi = 2 * pi * u();
            points.push_back({{r * std::cos(phi), r * std::sin(phi), 0}, {}});
        }
        Particles host = disk_of(points);
        for (double& m : host.mass.host()) m *= std::exp(spread * u());
        const DiskParticles disk = run::disk_in_frame(run::disk_particles(host.view(), {}), {});
        const auto rings = run::ring_moments(disk, run::disk_rings(disk, in_ring));
        ASSERT_EQ(rings.size(), n_rings);
        for (int h = 0; h < run::n_harmonics; ++h) {
            double ratio = 0;
            for (const auto& ring : rings)
                ratio += ring.harmonics.amplitude[h] / ring.harmonics.noise / n_rings;
            // amplitudes are Rayleigh numbers, whose deviation is sqrt(4 / pi - 1) of the mean
            EXPECT_NEAR(ratio, 1, 4 * std::sqrt((4 / pi - 1) / n_rings)) << "m = " << h + 1;
        }
        if (spread > 0) continue;
        EXPECT_NEAR(rings[0].harmonics.noise, std::sqrt(pi / 4 / in_ring), 1e-12);
    }
}

/// A disk whose density is 1/R (1 + e cos 2 phi) between 0.5 and 2.5, in differential rotation 1 / (1 + R)
/// with random velocities.
std::vector<DiskPoint> turning_disk(std::size_t n, double e, unsigned seed)
{
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    std::normal_distribution<double> random(0, 0.2);
    std::vector<DiskPoint> points;
    for (std::size_t k = 0; k < n; ++k) {
        const double r = 0.5 + 2 * unit(engine), phi = barred_azimuth(unit(engine), e), turn = 1 / (1 + r);
        const Vec3 x{r * std::cos(phi), r * std::sin(phi), 0};
        points.push_back({x, {random(engine) - turn * x.y, random(engine) + turn * x.x, random(engine)}});
    }
    return points;
}

TEST(Bar, ErrorBarsAreTheScatterOfTwoHundredSeeds)
{
    const run::PatternRegion window{0.5, 1.2, 2.5, 0, 0};
    double weight = 0,
           turning = 0;  // the speed expected of many particles: mean of 1 / (1 + R) over the window
    for (const auto& [low, high] : {std::pair{0.5, 1.2}, std::pair{1.2, 2.5}})
        for (const Node& node : gauss_legendre(32, low, high)) {
            const double w = node.weight * run::pattern_terms(window, 2, 1, {node.x, 0, 0}, {}).weight;
            weight += w;
            turning += w / (1 + node.x);
        }
    constexpr unsigned seeds = 200;
    double speed = 0, phase = 0, amplitude = 0;
    for (unsigned seed = 0; seed < seeds; ++seed) {
        const DiskParticles disk = sorted_disk(turning_disk(2000, 0.6, seed));
        const run::Pattern p = run::pattern_of({}, run::view_of(disk), {0.5, 1.2, 2.5, 0, disk.size()}, 2);
        speed += std::pow((p.speed - turning / weight) / p.speed_error, 2) / seeds;
        phase += std::pow(p.phase / p.phase_error, 2) / seeds;
        amplitude += std::pow((p.amplitude - 0.3) / p.amplitude_error, 2) / seeds;
    }
    for (const double chi_squared :
         {speed, phase, amplitude}) {  // deviation of the mean: sqrt(2 / 200) = 0.1
        EXPECT_GT(chi_squared, 0.7);
        EXPECT_LT(chi_squared, 1.4);
    }
}

/// Rings of 3000 regular azimuths at radii 0.05, 0.1, ..., 4, with A2 and phase from functions of R.
template <class Amplitude, class Phase>
std::vector<DiskPoint> ringed_disk(Amplitude amplitude, Phase phase)
{
    std::vector<DiskPoint> points;
    for (int ring = 1; ring <= 80; ++ring)
        for (int k = 0; k < 3000; ++k) {
            const double r = 0.05 * ring, phi = phase(r) + barred_azimuth((k + 0.5) / 3000, 2 * amplitude(r));
            points.push_back({{r * std::cos(phi), r * std::sin(phi), 0}, {}});
        }
    return points;
}

TEST(Bar, LengthsAreWhereHalfTheAmplitudeThePhaseAndTheAxesEnd)
{
    const auto amplitude = [](double r) {
        return std::max(0.0, 0.4 - 0.2 * std::abs(r - 0.5));
    };                                                                             // half at 1.5
    const auto phase = [](double r) { return 0.2 + 0.5 * std::max(0.0, r - 1); };  // 10 degrees at 1.349
    const auto points = ringed_disk(amplitude, phase);
    const DiskParticles disk = sorted_disk(points);
    const auto rings = run::disk_rings(disk, 3000);
    const Bar bar = run::measure_bar({}, run::view_of(disk), rings, run::ring_moments(disk, rings));
    EXPECT_NEAR(bar.a2_max, 0.4, 1e-10);
    EXPECT_NEAR(bar.r_max, 0.5, 1e-12);
    EXPECT_NEAR(bar.length_half, 1.5, 1e-10);
    EXPECT_NEAR(bar.length_phase, 1 + pi / 18 / 0.5, 1e-10);
    // b/a of all within R, from the moments of the rings: sum of R^2 (1 + A2 exp(2 i phase))
    double trace = 0, least = 2, where = 0;
    std::complex<double> stretch = 0;
    for (int ring = 1; ring <= 80; ++ring) {
        const double r = 0.05 * ring;
        trace += r * r;
        stretch += r * r * amplitude(r) * std::polar(1.0, 2 * phase(r));
        const double ratio = std::sqrt((trace - std::abs(stretch)) / (trace + std::abs(stretch)));
        if (r < 0.5 || ratio >= least) continue;
        least = ratio;
        where = r + 0.05;  // the outer radius of a ring is the next one's
    }
    EXPECT_NEAR(bar.length_axes, where, 1e-10);
}

TEST(Bar, BucklingIsTheBendingHarmonicAndFlatteningTheRatioOfDispersions)
{
    auto points = ringed_disk([](double r) { return r < 2 ? 0.3 : 0.0; }, [](double) { return 0.0; });
    std::mt19937_64 engine(4);
    std::normal_distribution<double> random(0, 1);
    for (DiskPoint& p : points) {
        const double r2 = p.x.x * p.x.x + p.x.y * p.x.y;
        p.x.z = 0.05 * (p.x.x * p.x.x - p.x.y * p.x.y) / r2;  // cos 2 phi: its product has a mean of 1/2
        p.v = {random(engine), random(engine), 0.4 * random(engine) + 3};
    }
    const DiskParticles disk = sorted_disk(points);
    const auto rings = run::disk_rings(disk, 3000);
    const Bar bar = run::measure_bar({}, run::view_of(disk), rings, run::ring_moments(disk, rings));
    EXPECT_NEAR(bar.buckling, 0.025, 1e-10);
    EXPECT_NEAR(bar.flattening, 0.4, 0.01);  // some 1e5 particles
}

TEST(Bar, WhatIsNoBarHasNoSpeedAndSaysWhy)
{
    const auto points = rigid_bar(20000, 0, 1, 2);
    const Particles host = disk_of(points);
    const auto complaint = [&](const run::BarCriteria& criteria, BarStatus expected) {
        const Bar bar = measured(host, criteria).bar;
        EXPECT_EQ(bar.status, expected);
        EXPECT_TRUE(std::isnan(bar.pattern.speed));
        return run::bar_status_text(bar, criteria);
    };
    EXPECT_NE(complaint({.amplitude = 0.5}, BarStatus::too_weak).find("below 0.5"), std::string::npos);
    EXPECT_NE(complaint({.extent = 9}, BarStatus::too_short).find("less than 9"), std::string::npos);
    EXPECT_NE(complaint({.particles = 60001}, BarStatus::too_few_particles).find("fewer than 60001"),
              std::string::npos);
    EXPECT_EQ(run::bar_status_text(measured(host, {.particles = 1000}).bar, {}), "measured");
    auto round = points;
    for (std::size_t k = 0; k < round.size(); ++k) {
        const double turn = static_cast<double>(k);
        const Vec3 x = round[k].x;
        round[k].x = {std::cos(turn) * x.x - std::sin(turn) * x.y,
                      std::sin(turn) * x.x + std::cos(turn) * x.y, x.z};
    }
    const Bar none = measured(disk_of(round)).bar;
    EXPECT_EQ(none.status, BarStatus::too_weak);
    EXPECT_TRUE(std::isnan(none.length_half) && std::isnan(none.buckling));
    EXPECT_LT(none.a2_max, 6 * none.noise);
}

TEST(Bar, NeitherTheOrderOfTheParticlesNorThreadsChangeABit)
{
    const Particles host = disk_of(placed(rigid_bar(30000, 1, 0.5, 5), 0.5, 1, {1, 2, 3}, {1, 0, 2}));
    std::vector<Index> order(host.size());
    for (Index i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    const auto numbers = [&](const Particles& particles, int threads) {
        const int before = omp_get_max_threads();
        omp_set_num_threads(threads);
        const Measured m = measured(particles);
        omp_set_num_threads(before);
        std::vector<double> all;
        for (const Column& column : run::bar_table(m.bar, m.frame, 0).columns)
            if (const auto* values = std::get_if<std::vector<double>>(&column.values))
                all.insert(all.end(), values->begin(), values->end());
        return all;
    };
    const auto first = numbers(host, 1);
    EXPECT_FALSE(std::isnan(measured(host).bar.pattern.speed));
    for (const auto& other : {numbers(host, 3), numbers(host.gathered(order), 2)}) {
        ASSERT_EQ(other.size(), first.size());
        for (std::size_t k = 0; k < first.size(); ++k)
            EXPECT_TRUE(other[k] == first[k] || (std::isnan(first[k]) && std::isnan(other[k]))) << k;
    }
}

TEST(Bar, NoFewAndCoincidentParticlesAreMeasuredWithoutABar)
{
    const Bar none = run::measure_bar({}, {}, {}, {});
    EXPECT_TRUE(std::isnan(none.a2_max) && none.status == BarStatus::too_weak);
    for (const std::size_t n : {1, 2, 5}) {
        std::vector<DiskPoint> points;
        for (std::size_t k = 0; k < n; ++k) points.push_back({{double(k), 1, 0}, {0, 1, 0}});
        const Bar few = measured(disk_of(points)).bar;
        EXPECT_NE(few.status, BarStatus::measured);
        EXPECT_TRUE(std::isnan(few.pattern.speed));
    }
    const Measured origin = measured(disk_of(std::vector<DiskPoint>(100, {{0, 0, 0}, {4, 5, 6}})));
    EXPECT_EQ(origin.frame.axis.z, 1) << "no angular momentum: the axis of the file";
    EXPECT_TRUE(std::isnan(origin.bar.a2_max));
    // elsewhere rounding tells them apart
    const Measured one_place = measured(disk_of(std::vector<DiskPoint>(100, {{1, 2, 3}, {4, 5, 6}})));
    EXPECT_NEAR(length(one_place.frame.centre - Vec3{1, 2, 3}), 0, 1e-14);
    EXPECT_NEAR(length(one_place.frame.axis), 1, 1e-14);
    EXPECT_TRUE(std::isnan(one_place.bar.pattern.speed));
}

}  // namespace
}  // namespace aureole::test
