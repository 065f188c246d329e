// Properties of the tree solver: equal bits, order, translation, rotation, momentum.
#include <omp.h>

#include "tests/unit/gravity/tree/tree_fixture.hpp"

namespace aureole::test::tree_solver_test {
namespace {

using gravity::Precision;

constexpr double accuracy = 1e-3;

class TreeSolver : public OnEachBackend {};

std::vector<Body> typed_sphere(std::size_t n, unsigned seed)
{
    auto bodies = with_heaps(n, seed);
    for (std::size_t i = 0; i < n; ++i) bodies[i].type = static_cast<int>(i % 3);
    return bodies;
}

const ReferenceSoftening three_lengths{false, {0.01, 0.02, 0.05, 0, 0, 0}};

TEST_P(TreeSolver, EqualInputGivesEqualBits)
{
    const auto bodies = typed_sphere(6000, 1);
    for (const Precision precision : {Precision::mixed, Precision::double_precision})
        for (const double alpha : {0.0, accuracy}) {
            const gravity::Config config = tree_config(three_lengths, alpha, 0.7, precision);
            const auto solver = gravity::make_solver(config);
            const auto run = [&] {
                Particles particles = to_particles(bodies, GetParam());
                accelerate(*solver, exec(), particles.view(), with_potential());
                return to_fields(particles);
            };
            const auto first = run();
            expect_same_bits(first, run());
            expect_same_bits(first, tree_fields(exec(), config, bodies));
        }
}

// a GPU takes the order of the last particles and the costs of the last walk as a guess: a good one where
// they moved a little, a bad one where they are mirrored or fewer
TEST_P(TreeSolver, WhatItKnowsOfOtherParticlesChangesNoBit)
{
    const std::size_t n = GetParam() == Backend::cpu ? 1500 : 40000;
    gravity::Config config = tree_config(plummer_softening(0.01), accuracy);
    config.plugins.get<gravity::tree::Config>().plan = {0, 0, 1000000, 1.2};
    const auto solver = gravity::make_solver(config);
    Particles before = evaluated(exec(), config, to_particles(plummer_bodies(n, 7), Backend::cpu));
    const auto expect_fresh_bits = [&](const Particles& host) {
        Particles particles = host.copy_to(exec().backend);
        accelerate(*solver, exec(), particles.view(), with_potential());
        const Particles found = particles.copy_to(Backend::cpu);
        expect_same_bits(to_fields(found), to_fields(evaluated(exec(), config, host)));
    };
    expect_fresh_bits(before);
    const ParticlesView view = before.view();
    for (const double step : {1e-3, 1e-3, 0.3}) {
        SCOPED_TRACE(step);
        for (Index i = 0; i < view.n; ++i)
            view.position.store(i, view.position.load(i) + step * view.acceleration.load(i));
        expect_fresh_bits(before);
    }
    for (Index i = 0; i < view.n; ++i) view.position.store(i, -1.0 * view.position.load(i));
    expect_fresh_bits(before);
    expect_fresh_bits(before);
    std::vector<Index> some(n - 32);
    for (Index i = 0; i < some.size(); ++i) some[i] = i + 16;
    expect_fresh_bits(before.gathered(some));
}

TEST_P(TreeSolver, AnotherOrderOfTheParticlesChangesNoBit)
{
    for (const double alpha : {0.0, accuracy}) {
        const gravity::Config config = tree_config(three_lengths, alpha, 0.7);
        const Particles host = to_particles(typed_sphere(6000, 2), Backend::cpu);
        std::vector<Index> order(host.size());
        for (Index i = 0; i < order.size(); ++i) order[i] = i;
        std::ranges::shuffle(order, std::mt19937(1));
        const auto expected = to_fields(evaluated(exec(), config, host));
        const auto found = to_fields(evaluated(exec(), config, host.gathered(order)));
        for (std::size_t k = 0; k < order.size(); ++k) {
            ASSERT_EQ(found[k].acceleration, expected[order[k]].acceleration) << "particle " << order[k];
            ASSERT_EQ(found[k].potential, expected[order[k]].potential) << "particle " << order[k];
        }
    }
}

TEST_P(TreeSolver, AskingForPotentialsChangesNoForce)
{
    const Particles host = to_particles(typed_sphere(3000, 3), Backend::cpu);
    const gravity::Config config = tree_config(three_lengths, accuracy);
    const auto with = to_fields(evaluated(exec(), config, host));
    const auto without = to_fields(evaluated(exec(), config, host, {}));
    for (std::size_t i = 0; i < with.size(); ++i) {
        ASSERT_EQ(with[i].acceleration, without[i].acceleration) << "particle " << i;
        ASSERT_EQ(without[i].potential, 0) << "not asked for";
        ASSERT_LT(with[i].potential, 0);
    }
}

/// Differences of two evaluations, relative to the second, in rising order.
TreeErrors differences(const std::vector<Field>& found, const std::vector<Field>& expected)
{
    TreeErrors result;
    for (std::size_t i = 0; i < found.size(); ++i) {
        result.force.push_back(distance_of(found[i].acceleration, expected[i].acceleration) /
                               length_of(expected[i].acceleration));
        result.potential.push_back(std::abs(found[i].potential / expected[i].potential - 1));
    }
    std::ranges::sort(result.force);
    std::ranges::sort(result.potential);
    return result;
}

TEST_P(TreeSolver, ShiftingEverythingByAThousandChangesNoForce)
{
    // a grid of 2^-30 so that the shift itself rounds nothing: the same tree
    auto bodies = plummer_bodies(6000, 4);
    for (auto& body : bodies)
        for (double& x : body.position) x = std::round(x * 0x1p30) * 0x1p-30;
    const gravity::Config config = tree_config(plummer_softening(0.01), accuracy);
    const TreeErrors d =
        differences(tree_fields(exec(), config, shifted(bodies, 1024)), tree_fields(exec(), config, bodies));
    EXPECT_LE(d.percentile_99(), 1e-6) << "float rounding";
    EXPECT_LE(d.largest(), accuracy) << "a decision that rounding changed";
    EXPECT_LE(d.potential.back(), accuracy);
}

TEST_P(TreeSolver, ATurnedSystemHasTheTurnedForces)
{
    const auto bodies = plummer_bodies(6000, 5);
    const double c = std::cos(0.7), s = std::sin(0.7);
    const auto turn = [&](const std::array<double, 3>& x) {  // about z, then the axes in turn
        return std::array{x[2], c * x[0] - s * x[1], s * x[0] + c * x[1]};
    };
    auto turned = bodies;
    for (Body& body : turned) body.position = turn(body.position);
    const gravity::Config config = tree_config(plummer_softening(0.01), accuracy);
    auto expected = tree_fields(exec(), config, bodies);
    for (Field& field : expected) field.acceleration = turn(field.acceleration);
    const TreeErrors d = differences(tree_fields(exec(), config, turned), expected);
    EXPECT_LE(d.percentile_99(), 2 * accuracy) << "the errors of two trees";
    EXPECT_LE(d.potential[d.potential.size() * 99 / 100], 2 * accuracy);
}

TEST_P(TreeSolver, UnitsOfLengthAndMassDoNotMatter)
{
    const auto bodies = plummer_bodies(3000, 6);
    const auto expected = tree_fields(exec(), tree_config(plummer_softening(0.01), accuracy), bodies);
    for (const double length : {1e-30, 1e25})
        for (const double mass : {1e-25, 1e30}) {
            SCOPED_TRACE(testing::Message() << "length " << length << ", mass " << mass);
            auto found = tree_fields(exec(), tree_config(plummer_softening(0.01 * length), accuracy),
                                     scaled(bodies, length, mass));
            for (Field& field : found) {
                for (double& a : field.acceleration) a *= length * length / mass;
                field.potential *= length / mass;
            }
            const TreeErrors d = differences(found, expected);
            EXPECT_LE(d.percentile_99(), 2 * accuracy) << "the errors of two trees";
            EXPECT_LE(d.potential.back(), 2 * accuracy);
        }
}

TEST_P(TreeSolver, ForcesSumToLittleMomentum)
{
    const auto bodies = plummer_bodies(20000, 7);
    const auto fields = tree_fields(exec(), tree_config(plummer_softening(0.01), accuracy), bodies);
    std::array<double, 3> sum{};
    double scale = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) sum[k] += bodies[i].mass * fields[i].acceleration[k];
        scale += bodies[i].mass * length_of(fields[i].acceleration);
    }
    EXPECT_LE(length_of(sum), 0.1 * accuracy * scale) << "errors have random signs";
}

TEST_P(TreeSolver, OnlyTargetsAreWritten)
{
    const Particles host = to_particles(plummer_bodies(2000, 8), Backend::cpu);
    const IndexRange targets{300, 900}, sources{500, 2000};
    const auto found = to_fields(evaluated(exec(), tree_config(plummer_softening(0.01), accuracy), host,
                                           with_potential(targets, sources)));
    for (Index i = 0; i < found.size(); ++i) {
        const bool target = i >= targets.begin && i < targets.end;
        ASSERT_EQ(length_of(found[i].acceleration) > 0, target) << "particle " << i;
        ASSERT_EQ(found[i].potential < 0, target) << "particle " << i;
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(TreeSolver);

TEST(TreeOnCpu, AnyNumberOfThreadsGivesEqualBits)
{
    const int threads = omp_get_max_threads();
    const auto bodies = typed_sphere(6000, 9);
    const gravity::Config config = tree_config(three_lengths, accuracy);
    std::vector<Field> expected;
    for (const int n : {1, 2, 3}) {
        omp_set_num_threads(n);
        const auto found = tree_fields({}, config, bodies);
        if (n == 1) expected = found;
        expect_same_bits(found, expected);
    }
    omp_set_num_threads(threads);
}

TEST(TreeBackends, AgreeWithinTheAccuracy)
{
    const auto bodies = plummer_bodies(20000, 10);
    const gravity::Config config = tree_config(plummer_softening(0.01), accuracy);
    const auto expected = tree_fields({}, config, bodies);
    for (const Backend backend : available_backends()) {
        const TreeErrors d = differences(tree_fields({backend}, config, bodies), expected);
        EXPECT_LE(d.percentile_99(), 2 * accuracy) << name_of(backend);
        EXPECT_LE(d.potential.back(), 2 * accuracy) << name_of(backend);
    }
}

}  // namespace
}  // namespace aureole::test::tree_solver_test
