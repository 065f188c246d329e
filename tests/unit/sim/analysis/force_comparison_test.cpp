// How wrong a solver is: the sample, the direct sum of it, percentiles by hand, and what has no relative
// error.
#include "sim/analysis/force_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/make_particles.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<Index> sorted(std::vector<Index> values)
{
    std::ranges::sort(values);
    return values;
}

std::vector<Index> counted(std::size_t n)
{
    std::vector<Index> values(n);
    std::iota(values.begin(), values.end(), Index{0});
    return values;
}

TEST(Sample, IsAscendingWithoutRepeatsAndTheOthersFollow)
{
    for (const std::size_t k : {1u, 2u, 499u, 500u, 999u, 1000u}) {
        const std::vector<Index> order = run::sampled_first(1000, k, 3);
        EXPECT_EQ(sorted(order), counted(1000)) << "k = " << k;
        EXPECT_TRUE(std::is_sorted(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k)));
    }
}

TEST(Sample, OfMoreThanThereAreIsAll)
{
    EXPECT_EQ(run::sampled_first(7, 8, 1), counted(7));
    EXPECT_EQ(run::sampled_first(7, std::size_t{1} << 40, 1), counted(7));
    EXPECT_TRUE(run::sampled_first(0, 5, 1).empty());
}

TEST(Sample, OfNobodyIsRefused)
{
    EXPECT_TRUE(contains(message_of<Error>([] { run::sampled_first(7, 0, 1); }), "at least 1"));
}

TEST(Sample, DependsOnTheSeedAndOnNothingElse)
{
    const auto sample = [](std::uint64_t seed) {
        std::vector<Index> order = run::sampled_first(1000000, 4, seed);
        order.resize(4);
        return order;
    };
    EXPECT_EQ(sample(1), sample(1));
    EXPECT_NE(sample(1), sample(2));
    EXPECT_EQ(sample(1), (std::vector<Index>{39231, 528390, 550503, 717149}))
        << "Philox draws the same everywhere";
}

TEST(Sample, TakesEveryParticleEquallyOften)
{
    constexpr int n_seeds = 4000, k = 3, n = 10;
    std::vector<int> taken(n);
    for (int seed = 0; seed < n_seeds; ++seed) {
        const auto order = run::sampled_first(n, k, static_cast<std::uint64_t>(seed));
        for (int i = 0; i < k; ++i) ++taken[order[static_cast<std::size_t>(i)]];
    }
    const double expected = 1.0 * n_seeds * k / n;
    const double sigma = std::sqrt(expected * (1 - 1.0 * k / n));
    for (const int count : taken) EXPECT_NEAR(count, expected, 4 * sigma);
}

/// Errors 1e-6, 2e-6 ... n 1e-6 of vectors of different lengths and directions, in mixed-up order.
run::ErrorSpread spread_of_ramp(int n)
{
    std::vector<Vec3> values, reference;
    for (int k = 0; k < n; ++k) {
        const double error = 1e-6 * (1 + k * 7 % n), length = 1 + k;
        reference.push_back(length * Vec3{0.6, 0, -0.8});
        values.push_back(reference.back() + length * error * Vec3{0.8, 0, 0.6});
    }
    return run::error_spread(values, reference);
}

TEST(ErrorSpread, HasThePercentilesOfErrorsCountedByHand)
{
    const run::ErrorSpread spread = spread_of_ramp(2000);
    const auto expect = [](double found, int rank) { EXPECT_NEAR(found, 1e-6 * rank, 1e-15); };
    expect(spread.median, 1000);
    expect(spread.percent_90, 1800);
    expect(spread.percent_99, 1980);
    expect(spread.percent_99_9, 1998);
    expect(spread.largest, 2000);
    EXPECT_EQ(spread.n_targets, 2000u);
    EXPECT_EQ(spread.n_zero + spread.n_infinite, 0u);
}

TEST(ErrorSpread, OfFewTargetsTakesTheNearestRank)
{
    const run::ErrorSpread three = spread_of_ramp(3);
    EXPECT_NEAR(three.median, 2e-6, 1e-15);
    EXPECT_NEAR(three.percent_90, 3e-6, 1e-15);
    const run::ErrorSpread one = spread_of_ramp(1);
    for (const double error : {one.median, one.percent_90, one.percent_99, one.percent_99_9, one.largest})
        EXPECT_NEAR(error, 1e-6, 1e-15);
}

TEST(ErrorSpread, OfPotentialsIsRelativeToTheirSize)
{
    const run::ErrorSpread spread =
        run::error_spread(std::vector{-1.1, -2.0, -50.0}, std::vector{-1.0, -2.0, -100.0});
    EXPECT_NEAR(spread.median, 0.1, 1e-15);
    EXPECT_DOUBLE_EQ(spread.largest, 0.5);
}

TEST(ErrorSpread, LeavesOutTargetsThatNothingPulls)
{
    const run::ErrorSpread spread = run::error_spread(std::vector<Vec3>{{0, 3, 4}, {1.5, 0, 0}, {}},
                                                      std::vector<Vec3>{{}, {1, 0, 0}, {}});
    EXPECT_EQ(spread.n_zero, 2u);
    EXPECT_EQ(spread.largest_at_zero, 5);
    EXPECT_EQ(spread.n_targets, 1u);
    EXPECT_DOUBLE_EQ(spread.median, 0.5);
    const run::ErrorSpread none = run::error_spread(std::vector{0.0}, std::vector{0.0});
    EXPECT_EQ(none.n_targets, 0u);
    EXPECT_TRUE(std::isnan(none.median) && std::isnan(none.largest));
}

TEST(ErrorSpread, CountsWhatIsNotFiniteAsInfiniteErrors)
{
    const std::vector<double> values{1, nan, 1, infinity, nan}, reference{1, 1, 1, 1, 0};
    const run::ErrorSpread spread = run::error_spread(values, reference);
    EXPECT_EQ(spread.n_infinite, 3u);
    EXPECT_EQ(spread.n_zero, 0u) << "a NaN where the direct sum is zero is not left out";
    EXPECT_EQ(spread.n_targets, 5u);
    EXPECT_EQ(spread.median, infinity);
    EXPECT_EQ(spread.largest, infinity);
    const run::ErrorSpread exact = run::error_spread(std::vector{1.0, 1.0}, std::vector{1.0, infinity});
    EXPECT_EQ(exact.n_infinite, 1u) << "of the direct sum, too";
    EXPECT_EQ(exact.median, 0);
    EXPECT_EQ(exact.largest, infinity);
}

TEST(ComparisonTable, IsAlignedAndSaysWhatItLeavesOut)
{
    run::ForceComparison comparison;
    comparison.acceleration = spread_of_ramp(2000);
    EXPECT_EQ(run::comparison_table(comparison),
              "error               median        90 %        99 %      99.9 %     largest\n"
              "acceleration     1.000e-03   1.800e-03   1.980e-03   1.998e-03   2.000e-03\n"
              "potential             none        none        none        none        none\n");
    comparison.acceleration.n_zero = 2;
    comparison.acceleration.largest_at_zero = 5;
    comparison.potential.n_infinite = 3;
    const std::string table = run::comparison_table(comparison);
    EXPECT_TRUE(contains(table, "left out      2 target(s) where the direct acceleration is exactly zero"));
    EXPECT_TRUE(contains(table, "5.000e+00"));
    EXPECT_TRUE(contains(table, "not finite    3 target(s) with such a value of the potential"));
}

class ForceComparison : public OnEachBackend {
protected:
    /// What `config`'s solver finds for all particles of `host`.
    Particles evaluated(const Particles& host, const gravity::Config& config)
    {
        Particles particles = host.copy_to(GetParam());
        EXPECT_GE(run::timed_evaluation(exec(), *gravity::make_solver(config), particles.view()), 0);
        return particles.copy_to(Backend::cpu);
    }
};

/// A Plummer sphere of four types, with bodies on top of each other.
std::vector<Body> mixed_bodies(std::size_t n)
{
    std::vector<Body> bodies = plummer_bodies(n, 5);
    for (std::size_t i = 0; i < n; ++i) bodies[i].type = static_cast<int>(i % 4);
    for (std::size_t i = 10; i < 20; ++i) bodies[i].position = bodies[n - 1].position;
    return bodies;
}

TEST_P(ForceComparison, TakesTheDirectSumOfAllParticlesOnTheSampledOnes)
{
    for (const auto kernel : {gravity::SofteningKernel::plummer, gravity::SofteningKernel::spline}) {
        const std::vector<Body> bodies = mixed_bodies(700);
        const std::array<double, n_particle_types> lengths{0.01, 0.1, 0.3, 0.05, 0, 0};
        const run::ForceSample sample =
            run::direct_sample(exec(), to_particles(bodies, Backend::cpu), {kernel, lengths}, 300, 9);
        ASSERT_EQ(sample.particle.size(), 300u);
        EXPECT_TRUE(std::ranges::is_sorted(sample.particle));
        EXPECT_GT(sample.wall_seconds, 0);
        std::vector<Vec3> acceleration;
        std::vector<double> potential;
        for (const Index i : sample.particle) {
            const Field field = reference_field(bodies, i, 0, bodies.size(),
                                                {kernel == gravity::SofteningKernel::spline, lengths});
            acceleration.push_back({field.acceleration[0], field.acceleration[1], field.acceleration[2]});
            potential.push_back(field.potential);
        }
        EXPECT_LE(run::error_spread(sample.acceleration, acceleration).largest, 1e-12);
        EXPECT_LE(run::error_spread(sample.potential, potential).largest, 1e-12);
    }
}

TEST_P(ForceComparison, FindsMixedPrecisionBelowOneInAHundredThousand)
{
    const Particles start = to_particles(plummer_bodies(5000, 2), Backend::cpu);
    gravity::Config config;
    config.softening.length.fill(0.01);
    const auto compare = [&](std::size_t k) {
        return run::compare_forces(evaluated(start, config),
                                   run::direct_sample(exec(), start, config.softening, k, 1));
    };
    const run::ForceComparison mixed = compare(1000);
    EXPECT_EQ(mixed.acceleration.n_targets, 1000u);
    EXPECT_GT(mixed.acceleration.median, 1e-9) << "not compared with itself";
    EXPECT_LE(mixed.acceleration.largest, 1e-5);
    EXPECT_LE(mixed.potential.largest, 1e-5);
    EXPECT_TRUE(mixed.not_finite.empty());
    config.precision = gravity::Precision::double_precision;
    const run::ForceComparison full = compare(std::size_t{1} << 40);
    EXPECT_EQ(full.acceleration.n_targets, 5000u);
    EXPECT_LE(full.acceleration.largest, 1e-12);
}

TEST_P(ForceComparison, SeesTheOneParticleThatIsWrong)
{
    const Particles start = to_particles(plummer_bodies(100, 4), Backend::cpu);
    gravity::Config config;
    config.precision = gravity::Precision::double_precision;
    Particles found = evaluated(start, config);
    found.acceleration.x.host()[42] = nan;
    found.potential.host()[7] *= 1.5;
    const run::ForceSample all = run::direct_sample(exec(), start, config.softening, 100, 1);
    const run::ForceComparison comparison = run::compare_forces(found, all);
    EXPECT_EQ(comparison.acceleration.n_infinite, 1u);
    EXPECT_EQ(comparison.acceleration.largest, infinity);
    EXPECT_LE(comparison.acceleration.percent_99, 1e-12);
    EXPECT_NEAR(comparison.potential.largest, 0.5, 1e-12);
    EXPECT_EQ(comparison.not_finite, std::vector<Index>{42});
    run::ForceSample one = run::direct_sample(exec(), start, config.softening, 1, 1);
    ASSERT_NE(one.particle[0], 42u);
    EXPECT_EQ(run::compare_forces(found, one).not_finite, std::vector<Index>{42})
        << "not sampled, still told";
}

TEST_P(ForceComparison, OfOneParticleHasNothingToDivideBy)
{
    const Particles start = to_particles({{1, {3, 4, 5}}}, Backend::cpu);
    const gravity::Config config;
    const run::ForceComparison comparison = run::compare_forces(
        evaluated(start, config), run::direct_sample(exec(), start, config.softening, 10, 1));
    EXPECT_EQ(comparison.acceleration.n_zero, 1u);
    EXPECT_EQ(comparison.potential.n_zero, 1u);
    EXPECT_EQ(comparison.acceleration.n_targets, 0u);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ForceComparison);

}  // namespace
}  // namespace aureole::test
