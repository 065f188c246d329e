// The walks against the slow reference walk over the same tree: same decisions, same interactions.
#include "gravity/tree/tree.hpp"
#include "gravity/tree/walk_task.hpp"
#include "tests/support/gravity/reference_tree.hpp"
#include "tests/unit/gravity/tree/tree_fixture.hpp"

namespace aureole::test::tree_walk_test {
namespace {

using gravity::Precision;

/// How far a walk may be from the reference, in units of the magnitudes that it adds up.
Tolerance same_interactions(Precision precision)
{
    if (precision == Precision::double_precision)
        return {1e-13, "double rounding of sums of thousands of terms"};
    return {3e-6, "float rounding of places, of formulas and of sums of a few dozen terms"};
}

class TreeWalk : public OnEachBackend {
protected:
    /// Compares all targets of `host`, which brings the accelerations that decide.
    void expect_agreement(const gravity::Config& config, const Particles& host,
                          const gravity::ForceRequest& request = with_potential())
    {
        const HostTree tree = built_tree(exec(), host, config.plugins.get<gravity::tree::Config>().leaf_size,
                                         config.softening, request.sources, request.targets);
        ReferenceWalk walk(tree, host, config.softening, gravity::tree::acceptance_criterion(config),
                           walk_style(GetParam(), config.precision));
        const std::vector<WalkedField> expected = walk.fields();
        nodes_per_group_ =
            static_cast<double>(walk.n_nodes_taken) /
            std::ceil(static_cast<double>(tree.targets.size()) / gravity::tree::group_targets(GetParam()));
        const std::vector<Field> found = to_fields(evaluated(exec(), config, host, request));
        const Tolerance tolerance = same_interactions(config.precision);
        for (const Index i : tree.targets) {
            const WalkedField& e = expected[i];
            const double least = std::numeric_limits<double>::min();
            const double pull = tolerance.relative * e.pulls + e.translation + least;
            const double depth = tolerance.relative * e.depth + e.depth_translation + least;
            for (std::size_t k = 0; k < 3; ++k)
                ASSERT_TRUE(
                    close_to(found[i].acceleration[k], e.field.acceleration[k], pull, {1, tolerance.why}))
                    << "particle " << i << " axis " << k;
            ASSERT_TRUE(close_to(found[i].potential, e.field.potential, depth, {1, tolerance.why}))
                << "particle " << i;
        }
    }

    /// By angle and by error, in both precisions.
    void expect_agreement_of_all(const std::vector<Body>& bodies, const ReferenceSoftening& softening,
                                 const gravity::ForceRequest& request = with_potential())
    {
        const Particles host = with_accelerations(exec(), bodies, softening);
        for (const Precision precision : {Precision::mixed, Precision::double_precision})
            for (const double accuracy : {0.0, 1e-3}) {
                SCOPED_TRACE(testing::Message()
                             << "accuracy " << accuracy << ", precision " << int(precision));
                gravity::Config config = tree_config(softening, accuracy, 0.7, precision);
                config.plugins.get<gravity::tree::Config>().plan = plan_;
                expect_agreement(config, host, request);
                if (HasFatalFailure()) return;
            }
    }

    double nodes_per_group_ = 0;
    gravity::tree::WalkPlan plan_;  ///< of expect_agreement_of_all()
};

TEST_P(TreeWalk, AgreesByAngle)
{
    const Particles host = to_particles(plummer_bodies(5000, 1), Backend::cpu);
    for (const double angle : {0.3, 0.6, 1.0}) {
        SCOPED_TRACE(testing::Message() << "angle " << angle << ", seed = 1");
        for (const Precision precision : {Precision::mixed, Precision::double_precision})
            expect_agreement(tree_config(plummer_softening(0.01), 0, angle, precision), host);
        EXPECT_GT(nodes_per_group_, 50) << "a test of nodes takes some";
    }
}

TEST_P(TreeWalk, AgreesByError)
{
    const Particles host = with_accelerations(exec(), plummer_bodies(5000, 2), plummer_softening(0.01));
    for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
        SCOPED_TRACE(testing::Message() << "accuracy " << accuracy << ", seed = 2");
        for (const Precision precision : {Precision::mixed, Precision::double_precision})
            expect_agreement(tree_config(plummer_softening(0.01), accuracy, 0.6, precision), host);
        EXPECT_GT(nodes_per_group_, 10) << "a test of nodes takes some";
    }
}

TEST_P(TreeWalk, AgreesForLeavesOfAnySize)
{
    const Particles host = with_accelerations(exec(), plummer_bodies(2000, 3), plummer_softening(0.01));
    for (const int leaf_size : {1, 2, 3, 8, 32, 64}) {
        SCOPED_TRACE(testing::Message() << "leaves of " << leaf_size << ", seed = 3");
        gravity::Config config = tree_config(plummer_softening(0.01), 1e-3);
        config.plugins.get<gravity::tree::Config>().leaf_size = leaf_size;
        expect_agreement(config, host);
    }
}

TEST_P(TreeWalk, AgreesWithoutSoftening)
{
    expect_agreement_of_all(plummer_bodies(3000, 4), plummer_softening(0));
}

TEST_P(TreeWalk, AgreesWithASplineAndNodesBeyondItOnly)
{
    for (const double eps : {0.0, 0.01, 0.3}) {
        SCOPED_TRACE(eps);
        expect_agreement_of_all(plummer_bodies(2000, 5), spline_softening(eps));
    }
}

/// Lengths that float holds, as the tree keeps them in float.
constexpr std::array<double, 6> two_lengths{0.25, 0.0078125, 0.25, 0.0078125, 0.25, 0.25};

std::vector<Body> two_types(std::size_t n, unsigned seed)
{
    std::vector<Body> bodies = plummer_bodies(n, seed);
    for (Body& body : bodies) body.type = body.position[0] > 0.3 ? 0 : 1;
    for (std::size_t i = 0; i < n; i += 10) bodies[i].type = 1 - bodies[i].type;
    return bodies;
}

TEST_P(TreeWalk, AgreesWhereTypesDifferInSoftening)
{
    for (const bool spline : {false, true}) {
        SCOPED_TRACE(testing::Message() << "spline " << spline << ", seed = 6");
        expect_agreement_of_all(two_types(3000, 6), {spline, two_lengths});
    }
}

TEST_P(TreeWalk, AgreesWhereOneTypeIsNotSoftened)
{
    expect_agreement_of_all(two_types(2000, 7), {false, {0.125, 0, 0, 0, 0, 0}});
}

TEST_P(TreeWalk, AgreesForSomeSourcesAndSomeTargets)
{
    const auto bodies = plummer_bodies(4000, 8);
    const auto softening = plummer_softening(0.02);
    expect_agreement_of_all(bodies, softening, with_potential({1000, 1777}));
    expect_agreement_of_all(bodies, softening, with_potential({}, {500, 3500}));
    expect_agreement_of_all(bodies, softening, with_potential({3000, 3100}, {3050, 4000}));
    expect_agreement_of_all(bodies, softening, with_potential({0, 1000}, {2000, 4000}));
    expect_agreement_of_all(bodies, softening, with_potential({77, 78}, {0, 4000}));
}

// some pairs have one particle in the box of a group and the other just outside
TEST_P(TreeWalk, AgreesForTightPairs)
{
    for (const double apart : {1e-4, 1e-7, 1e-10}) {
        SCOPED_TRACE(apart);
        expect_agreement_of_all(with_pairs(3000, 10, apart), plummer_softening(0));
    }
}

TEST_P(TreeWalk, AgreesForCoincidentParticles)
{
    for (const double eps : {0.0, 0.05}) {
        SCOPED_TRACE(eps);
        expect_agreement_of_all(with_heaps(3000, 9), plummer_softening(eps));
        expect_agreement_of_all(at_one_point(500), plummer_softening(eps));
    }
}

TEST_P(TreeWalk, AgreesForAwkwardInputs)
{
    for (const TreeInput& input : tree_inputs()) {
        if (input.bodies.size() > 4000) continue;
        SCOPED_TRACE(input.name);
        expect_agreement_of_all(input.bodies, plummer_softening(0));
    }
}

// by four warps, by two, by four where walks are long, by one; on the CPU the same all times
TEST_P(TreeWalk, AgreesHoweverWarpsShareGroups)
{
    constexpr Index all = 1000000;
    for (const gravity::tree::WalkPlan& plan :
         {gravity::tree::WalkPlan{all, 0}, {0, all}, {0, 0, all, 0.7}, {0, 0, 0}}) {
        SCOPED_TRACE(testing::Message() << "by four " << plan.groups_by_four << ", by two "
                                        << plan.groups_by_two << ", by cost " << plan.groups_by_cost);
        plan_ = plan;
        expect_agreement_of_all(plummer_bodies(3000, 11), plummer_softening(0.01));
        expect_agreement_of_all(with_outlier(1500, 14, 1e8), plummer_softening(1e-3));
        expect_agreement_of_all(plummer_bodies(33, 12), plummer_softening(0));
        expect_agreement_of_all(two_types(1000, 6), {true, two_lengths});
        if (HasFatalFailure()) return;
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(TreeWalk);

}  // namespace
}  // namespace aureole::test::tree_walk_test
