// The fewest particles, particles at one place, and what the solver refuses or forecasts.
#include "tests/support/message_of.hpp"
#include "tests/unit/gravity/tree/tree_fixture.hpp"

namespace aureole::test::tree_edges_test {
namespace {

using gravity::Precision;

constexpr std::array<double, 3> nothing{0.0, 0.0, 0.0};

class TreeEdges : public OnEachBackend {};

TEST_P(TreeEdges, NoParticlesIsNotAnError)
{
    EXPECT_TRUE(tree_fields(exec(), tree_config(plummer_softening(0.1), 1e-3), {}).empty());
}

TEST_P(TreeEdges, OneParticleFeelsNothing)
{
    for (const double eps : {0.0, 0.1})
        for (const double x : {0.0, 1e30}) {
            const auto f = tree_fields(exec(), tree_config(plummer_softening(eps), 1e-3), {{7, {x, 2, 3}}});
            EXPECT_EQ(f[0].acceleration, nothing);
            EXPECT_EQ(f[0].potential, 0);
        }
}

TEST_P(TreeEdges, TwoBodiesAttractByTheirMassAtAnyDistance)
{
    for (const double d : {1e-20, 1.0, 1e20})
        for (const double accuracy : {0.0, 1e-2}) {
            SCOPED_TRACE(testing::Message() << "distance " << d << ", accuracy " << accuracy);
            const auto f = tree_fields(exec(), tree_config(plummer_softening(0), accuracy),
                                       {{2, {0, 0, 0}}, {3, {d, 0, 0}}});
            const Tolerance tolerance = pairwise(Precision::mixed);
            EXPECT_TRUE(close_to(f[0].acceleration[0], 3 / (d * d), 3 / (d * d), tolerance));
            EXPECT_TRUE(close_to(f[1].acceleration[0], -2 / (d * d), 2 / (d * d), tolerance));
            EXPECT_TRUE(close_to(f[0].potential, -3 / d, 3 / d, tolerance));
            EXPECT_TRUE(close_to(f[1].potential, -2 / d, 2 / d, tolerance));
        }
}

TEST_P(TreeEdges, ParticlesOfOneLeafAreSummedOneByOne)
{
    for (const std::size_t n : {3u, 15u, 16u, 64u})
        for (const Precision precision : {Precision::mixed, Precision::double_precision})
            for (const bool spline : {false, true}) {
                SCOPED_TRACE(testing::Message() << n << " bodies, spline " << spline << ", seed = 1");
                const ReferenceSoftening softening{spline, {0.0, 0.25, 0.0625, 0, 0, 0}};
                auto bodies = plummer_bodies(n, 1);
                for (std::size_t i = 0; i < n; ++i) bodies[i].type = static_cast<int>(i % 3);
                gravity::Config config = tree_config(softening, 1e-3, 0.6, precision);
                config.plugins.get<gravity::tree::Config>().leaf_size = 64;
                expect_fields(tree_fields(exec(), config, bodies), bodies, softening, pairwise(precision));
            }
}

TEST_P(TreeEdges, ThousandsAtOnePlaceAreSkippedWithoutSoftening)
{
    const auto bodies = at_one_point(2000);
    for (const bool spline : {false, true})
        for (const double accuracy : {0.0, 1e-3})
            for (const Field& f : tree_fields(exec(), tree_config({spline, {}}, accuracy), bodies)) {
                ASSERT_EQ(f.acceleration, nothing);
                ASSERT_EQ(f.potential, 0);
            }
}

TEST_P(TreeEdges, HeapsOfUnequalMassesArePulledByOthersOnly)
{
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int trial = 0; trial < 300; ++trial) {
        std::vector<Body> bodies(200 + static_cast<std::size_t>(400 * unit(engine)));
        std::array<double, 3> place{unit(engine), unit(engine), unit(engine)};
        const double size = std::pow(10.0, 6 * unit(engine) - 2);
        for (double& x : place) x *= size;
        for (Body& body : bodies)
            body = {trial % 2 ? unit(engine) : std::pow(10.0, -12 * unit(engine)), place};
        const Index n_others = trial % 3 ? 5 : 0;
        for (Index k = 0; k < n_others; ++k)
            for (double& x : bodies[k].position) x = size * unit(engine);
        for (const double accuracy : {0.0, 1e-3}) {
            const auto found = tree_fields(exec(), tree_config(plummer_softening(0), accuracy), bodies);
            const Field exact = reference_field(bodies, n_others, 0, n_others, plummer_softening(0));
            double pulls = 0;
            for (Index k = 0; k < n_others; ++k)
                pulls +=
                    length_of(reference_field(bodies, n_others, k, k + 1, plummer_softening(0)).acceleration);
            for (std::size_t i = n_others; i < bodies.size(); ++i)
                ASSERT_LE(distance_of(found[i].acceleration, exact.acceleration), 0.05 * pulls)
                    << "particle " << i << ", trial " << trial << ", seed = 1";
        }
    }
}

TEST_P(TreeEdges, ThousandsAtOnePlaceDeepenThePotentialOnlyWhenSoftened)
{
    constexpr std::size_t n = 2000;
    const auto bodies = at_one_point(n);  // total mass 1
    for (const bool spline : {false, true})
        for (const double accuracy : {0.0, 1e-3}) {
            const double expected = -(1 - 1.0 / n) / 0.1;
            const ReferenceSoftening softening{spline, plummer_softening(0.1).length};
            for (const Field& f : tree_fields(exec(), tree_config(softening, accuracy), bodies)) {
                ASSERT_LE(length_of(f.acceleration), 1e-10) << "rounding of places, 1e-16 m / eps^3";
                ASSERT_TRUE(close_to(f.potential, expected, -expected, {1e-6, "float sums of equal terms"}));
            }
        }
}

// members of one heap exert no force on each other, whatever else is near
TEST_P(TreeEdges, HeapsInASphereHaveTheForcesOfTheDirectSum)
{
    const auto bodies = with_heaps(5000, 2);
    for (const double eps : {0.0, 0.02}) {
        SCOPED_TRACE(testing::Message() << "eps " << eps << ", seed = 2");
        const TreeErrors errors =
            DirectSample(bodies, plummer_softening(eps), 3)
                .errors_of(tree_fields(exec(), tree_config(plummer_softening(eps), 1e-3), bodies));
        EXPECT_LE(errors.largest(), 3e-3) << "each heap is one error, however many share it";
    }
}

TEST_P(TreeEdges, AwkwardInputsHaveTheForcesOfTheDirectSum)
{
    for (const TreeInput& input : tree_inputs()) {
        if (input.bodies.size() < 2 || input.bodies.size() > 4000) continue;
        SCOPED_TRACE(input.name);
        const auto exact = reference_fields(input.bodies, plummer_softening(0));
        const auto found = tree_fields(exec(), tree_config(plummer_softening(0), 1e-3), input.bodies);
        double force = 0, potential = 0;  // worst
        for (std::size_t i = 0; i < exact.size(); ++i) {
            const Field &a = found[i], &b = exact[i];
            ASSERT_TRUE(std::isfinite(length_of(a.acceleration)) && std::isfinite(a.potential));
            if (length_of(b.acceleration) == 0) continue;
            force = std::max(force, distance_of(a.acceleration, b.acceleration) / length_of(b.acceleration));
            potential = std::max(potential, std::abs(a.potential / b.potential - 1));
        }
        EXPECT_LE(force, 0.03) << "30 times the accuracy";
        EXPECT_LE(potential, 0.03);
    }
}

TEST_P(TreeEdges, TargetsWithoutSourcesAreSetToZero)
{
    const auto solver = gravity::make_solver(tree_config(plummer_softening(0.1), 1e-3));
    Particles particles = to_particles(random_bodies(10, 1), GetParam());
    accelerate(*solver, exec(), particles.view(), with_potential());
    accelerate(*solver, exec(), particles.view(), with_potential({2, 5}, {7, 7}));
    const auto found = to_fields(particles);
    EXPECT_EQ(found[3].acceleration, nothing);
    EXPECT_EQ(found[3].potential, 0);
    EXPECT_NE(found[5].potential, 0) << "not a target";
    EXPECT_NO_THROW(accelerate(*solver, exec(), particles.view(), with_potential({20, 30})));
}

TEST_P(TreeEdges, PeriodicBoxesAreRefused)
{
    const auto solver = gravity::make_solver(tree_config(plummer_softening(0.1), 1e-3));
    Particles particles = to_particles(random_bodies(3, 1), GetParam());
    gravity::ForceRequest request;
    request.box.side = 25;
    const std::string message =
        message_of<ConfigError>([&] { accelerate(*solver, exec(), particles.view(), request); });
    EXPECT_TRUE(contains(message, "25"));
    EXPECT_TRUE(contains(message, "periodic"));
}

TEST_P(TreeEdges, MemoryIsKeptBetweenCallsAndForecast)
{
    Particles particles = to_particles(plummer_bodies(100000, 3), GetParam());
    for (const bool alike : {true, false}) {
        const ReferenceSoftening softening =
            alike ? plummer_softening(0.01) : ReferenceSoftening{false, {0.1}};
        const auto solver = gravity::make_solver(tree_config(softening, 0, 1.0));
        const std::size_t before = memory::held_bytes(GetParam());
        memory::reset_peak(GetParam());
        accelerate(*solver, exec(), particles.view(), with_potential());
        const std::size_t held = memory::held_bytes(GetParam());
        const double used = static_cast<double>(memory::peak_bytes(GetParam()) - before);
        const double forecast = static_cast<double>(solver->scratch_bytes(GetParam(), particles.size()));
        EXPECT_NEAR(used / forecast, 1, 0.03);
        accelerate(*solver, exec(), particles.view(), with_potential());
        EXPECT_EQ(memory::held_bytes(GetParam()), held) << "a steady run allocates nothing";
    }
}

TEST_P(TreeEdges, AHundredMillionParticlesTakeAtMost128BytesEach)
{
    constexpr std::size_t n = 100000000;
    for (const ReferenceSoftening& softening : {plummer_softening(0.01), ReferenceSoftening{false, {0.1}}}) {
        const auto solver = gravity::make_solver(tree_config(softening, 1e-3));
        EXPECT_LE(solver->scratch_bytes(GetParam(), n), 128 * n);
        EXPECT_GE(solver->scratch_bytes(GetParam(), n), 32 * n) << "bodies alone";
        EXPECT_EQ(solver->scratch_bytes(GetParam(), 0), 0u);
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(TreeEdges);

TEST(TreeDoor, ParticlesOfTheOtherBackendAreRefused)
{
    const auto solver = gravity::make_solver(tree_config(plummer_softening(0.1), 1e-3));
    Particles particles(Backend::cpu, 2);
    EXPECT_THROW(accelerate(*solver, {Backend::cuda}, particles.view(), {}), Error);
}

/// What make_solver() says of a tree's configuration.
std::string refusal(const gravity::tree::Config& tree)
{
    gravity::Config config;
    config.solver = "tree";
    config.plugins.get<gravity::tree::Config>() = tree;
    return message_of<ConfigError>([&] { gravity::make_solver(config); });
}

TEST(TreeDoor, BadValuesAreRefusedByTheNameOfTheirKey)
{
    const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
    for (const double angle : {0.0, -0.5, infinity, nan})
        EXPECT_TRUE(contains(refusal({.opening_angle = angle}), "gravity.tree.opening_angle")) << angle;
    for (const double accuracy : {-1e-3, infinity, nan})
        EXPECT_TRUE(contains(refusal({.force_accuracy = accuracy}), "gravity.tree.force_accuracy"))
            << accuracy;
    for (const int leaf_size : {-1, 0, 65}) {
        const std::string message = refusal({.leaf_size = leaf_size});
        EXPECT_TRUE(contains(message, "gravity.tree.leaf_size is " + std::to_string(leaf_size)));
        EXPECT_TRUE(contains(message, "from 1 to 64"));
    }
}

}  // namespace
}  // namespace aureole::test::tree_edges_test
