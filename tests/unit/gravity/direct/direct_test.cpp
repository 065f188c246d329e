#include "tests/support/gravity/tree_inputs.hpp"
#include "tests/unit/gravity/direct/direct_fixture.hpp"

#include "gravity/solver_registry.hpp"

namespace aureole::test::direct_test {
namespace {

using gravity::Precision;

class Direct : public OnEachBackend {};

TEST_P(Direct, TwoBodiesAtUnitDistanceAttractByTheirMass)
{
    for (Precision precision : {Precision::mixed, Precision::double_precision}) {
        const auto f =
            direct_fields(exec(), {{2.0, {0, 0, 0}}, {3.0, {1, 0, 0}}}, plummer_softening(0), precision);
        EXPECT_TRUE(close_to(f[0].acceleration[0], +3.0, 3.0, pairwise(precision)));
        EXPECT_TRUE(close_to(f[1].acceleration[0], -2.0, 2.0, pairwise(precision)));
        EXPECT_TRUE(close_to(f[0].potential, -3.0, 3.0, pairwise(precision)));
        EXPECT_TRUE(close_to(f[1].potential, -2.0, 2.0, pairwise(precision)));
        EXPECT_EQ(f[0].acceleration[1], 0);
        EXPECT_EQ(f[0].acceleration[2], 0);
    }
}

TEST_P(Direct, APlummerPairOfLegsThreeAndFour)
{
    const auto f = direct_fields(exec(), {{1.0, {0, 0, 0}}, {5.0, {0, 0, 3}}}, plummer_softening(4));
    EXPECT_TRUE(close_to(f[0].acceleration[2], 5 * 3 / 125.0, 0.12, pairwise(Precision::mixed)));
    EXPECT_TRUE(close_to(f[0].potential, -1, 1, pairwise(Precision::mixed)));
}

TEST_P(Direct, CoincidentBodiesDoNotPullButDeepenThePotential)
{
    for (Precision precision : {Precision::mixed, Precision::double_precision})
        for (bool spline : {false, true}) {
            const ReferenceSoftening softening{spline, plummer_softening(0.1).length};
            const auto f =
                direct_fields(exec(), {{1.0, {0.5, 0.5, 0.5}}, {3.0, {0.5, 0.5, 0.5}}}, softening, precision);
            EXPECT_EQ(f[0].acceleration, (std::array{0.0, 0.0, 0.0}));
            EXPECT_TRUE(close_to(f[0].potential, -30, 30, pairwise(precision)));
            EXPECT_TRUE(close_to(f[1].potential, -10, 10, pairwise(precision)));
        }
}

TEST_P(Direct, CoincidentBodiesWithoutSofteningAreSkipped)
{
    const std::vector<Body> bodies{{1.0, {0.5, 0.5, 0.5}}, {3.0, {0.5, 0.5, 0.5}}, {2.0, {0.5, 1.5, 0.5}}};
    for (Precision precision : {Precision::mixed, Precision::double_precision})
        for (bool spline : {false, true}) {
            const auto f = direct_fields(exec(), bodies, {spline, {}}, precision);
            EXPECT_TRUE(close_to(f[0].acceleration[1], 2, 2, pairwise(precision)));
            EXPECT_TRUE(close_to(f[0].potential, -2, 2, pairwise(precision)));
            EXPECT_TRUE(close_to(f[2].acceleration[1], -4, 4, pairwise(precision)));
        }
}

TEST_P(Direct, OneParticleFeelsNothing)
{
    const auto f = direct_fields(exec(), {{7.0, {1, 2, 3}}}, plummer_softening(0.1));
    EXPECT_EQ(f[0].acceleration, (std::array{0.0, 0.0, 0.0}));
    EXPECT_EQ(f[0].potential, 0);
}

TEST_P(Direct, NoParticlesIsNotAnError)
{
    EXPECT_TRUE(direct_fields(exec(), {}, plummer_softening(0.1)).empty());
}

// sizes straddle chunks, tiles and queues of both backends (64, 128, 256)
TEST_P(Direct, AgreesWithTheReference)
{
    for (std::size_t n : {1u, 2u, 63u, 64u, 65u, 127u, 128u, 129u, 255u, 257u, 1000u})
        for (Precision precision : {Precision::mixed, Precision::double_precision}) {
            SCOPED_TRACE(testing::Message() << "n = " << n << ", seed = 7, precision " << int(precision));
            const auto bodies = random_bodies(n, 7);
            const auto found = direct_fields(exec(), bodies, plummer_softening(0.05), precision);
            expect_fields(found, bodies, plummer_softening(0.05), pairwise(precision));
        }
}

/// Several types and masses over six decades, some of them zero.
std::vector<Body> mixed_bodies(std::size_t n, unsigned seed)
{
    auto bodies = plummer_bodies(n, seed);
    for (std::size_t i = 0; i < n; ++i) {
        bodies[i].type = static_cast<int>(i % 4);
        bodies[i].mass = i % 7 == 0 ? 0.0 : std::pow(10.0, -static_cast<double>(i % 6));
    }
    return bodies;
}

TEST_P(Direct, APairUsesTheLargerOfItsSofteningLengths)
{
    const auto bodies = mixed_bodies(700, 3);
    for (bool spline : {false, true})
        for (Precision precision : {Precision::mixed, Precision::double_precision})
            for (double least : {0.01, 0.0}) {
                SCOPED_TRACE(testing::Message() << "spline " << spline << ", precision " << int(precision)
                                                << ", least length " << least << ", seed = 3");
                const ReferenceSoftening softening{spline, {least, 0.3, 0.05, 0.1, 9, 9}};
                expect_fields(direct_fields(exec(), bodies, softening, precision), bodies, softening,
                              pairwise(precision));
            }
}

TEST_P(Direct, SplineSoftenedSphereAgreesWithTheReference)
{
    const auto bodies = plummer_bodies(900, 11);
    for (Precision precision : {Precision::mixed, Precision::double_precision}) {
        SCOPED_TRACE(testing::Message() << "seed = 11, precision " << int(precision));
        expect_fields(direct_fields(exec(), bodies, spline_softening(0.2), precision), bodies,
                      spline_softening(0.2), pairwise(precision));
    }
}

// A neighbour just outside a tile or chunk makes nearly all of the force there. Both coordinates are rounded
// to 2^-24 of up to its radius, and a pair may be as near as a quarter of that.
TEST_P(Direct, NeighboursOnALineKeepTheirDigits)
{
    for (const unsigned seed : {5u, 12u, 23u, 30u})
        for (const double eps : {1e-6, 1e-3, 0.0}) {
            SCOPED_TRACE(testing::Message() << "eps " << eps << ", seed = " << seed);
            const auto bodies = on_a_line(3000, seed);
            expect_fields(direct_fields(exec(), bodies, plummer_softening(eps)), bodies,
                          plummer_softening(eps),
                          {48 * 0x1p-24, "roundings of a coordinate, times four, twice in the force"});
        }
}

TEST_P(Direct, OnlyTargetsAreWrittenAndOnlySourcesPull)
{
    const auto bodies = random_bodies(300, 5);
    const auto softening = plummer_softening(0.02);
    const IndexRange targets{40, 170}, sources{100, 290};
    const auto found =
        direct_fields(exec(), bodies, softening, Precision::mixed, with_potential(targets, sources));
    for (Index i = 0; i < bodies.size(); ++i) {
        SCOPED_TRACE(testing::Message() << "particle " << i << ", seed = 5");
        if (i < targets.begin || i >= targets.end) {
            EXPECT_EQ(found[i].acceleration, (std::array{0.0, 0.0, 0.0}));
            EXPECT_EQ(found[i].potential, 0);
            continue;
        }
        const Field expected = reference_field(bodies, i, sources.begin, sources.end, softening);
        EXPECT_TRUE(
            close_to(found[i].acceleration[0], expected.acceleration[0], 1, {1e-6, "float pairs, sum ~ 1"}));
        EXPECT_TRUE(close_to(found[i].potential, expected.potential, 1, {1e-6, "float pairs, sum ~ 1"}));
    }
}

TEST_P(Direct, TargetsWithoutSourcesAreSetToZero)
{
    const auto solver = gravity::make_solver(direct_config(plummer_softening(0.1), Precision::mixed));
    Particles particles = to_particles(random_bodies(10, 1), GetParam());
    accelerate(*solver, exec(), particles.view(), with_potential());
    accelerate(*solver, exec(), particles.view(), with_potential({2, 5}, {7, 7}));
    const auto found = to_fields(particles);
    EXPECT_EQ(found[3].acceleration, (std::array{0.0, 0.0, 0.0}));
    EXPECT_EQ(found[3].potential, 0);
    EXPECT_NE(found[5].potential, 0) << "not a target";
}

TEST_P(Direct, ThePotentialIsLeftAloneUnlessAskedFor)
{
    const auto solver = gravity::make_solver(direct_config(plummer_softening(0.1), Precision::mixed));
    const auto bodies = random_bodies(100, 2);
    Particles particles = to_particles(bodies, GetParam());
    accelerate(*solver, exec(), particles.view(), {});
    const auto without = to_fields(particles);
    for (const Field& field : without) ASSERT_EQ(field.potential, 0);
    accelerate(*solver, exec(), particles.view(), with_potential());
    const auto with = to_fields(particles);
    double largest = 0;
    for (const Field& field : without)
        largest = std::max(largest,
                           std::hypot(field.acceleration[0], field.acceleration[1], field.acceleration[2]));
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const auto &a = with[i].acceleration, &b = without[i].acceleration;
        if (GetParam() == Backend::cpu) {
            ASSERT_EQ(a, b) << "asking for potentials changed a force";
        } else {  // two kernels: they share out the work, and order their sums, each in its own way
            for (std::size_t k = 0; k < 3; ++k)
                ASSERT_TRUE(
                    close_to(a[k], b[k], largest, {1e-6, "float rounding of pair sums that may cancel"}));
        }
        ASSERT_LT(with[i].potential, 0);
    }
}

TEST_P(Direct, ForcesOfEqualSoftenedPairsSumToNoMomentum)
{
    const auto bodies = mixed_bodies(2000, 9);
    for (Precision precision : {Precision::mixed, Precision::double_precision}) {
        const auto f = direct_fields(exec(), bodies, plummer_softening(0.05), precision);
        std::array<double, 3> momentum{};
        double scale = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const auto& a = f[i].acceleration;
            for (std::size_t k = 0; k < 3; ++k) momentum[k] += bodies[i].mass * a[k];
            scale += bodies[i].mass * std::hypot(a[0], a[1], a[2]);
        }
        const Tolerance tolerance{precision == Precision::double_precision ? 1e-14 : 1e-7,
                                  "rounding of single forces"};
        for (double p : momentum) EXPECT_TRUE(close_to(p, 0, scale, tolerance));
    }
}

TEST_P(Direct, ThePermutedSystemHasThePermutedForces)
{
    const auto bodies = plummer_bodies(1500, 21);
    auto reversed = bodies;
    std::ranges::reverse(reversed);
    const auto f = direct_fields(exec(), bodies, plummer_softening(0.01));
    const auto g = direct_fields(exec(), reversed, plummer_softening(0.01));
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const auto &a = f[i].acceleration, &b = g[bodies.size() - 1 - i].acceleration;
        EXPECT_TRUE(close_to(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), 0,
                             std::hypot(a[0], a[1], a[2]),
                             {2e-6, "twice the 99.9 % error of mixed precision"}))
            << "particle " << i;
    }
}

TEST_P(Direct, ShiftingEverythingByAThousandChangesNoForce)
{
    // a grid of 2^-30 so that the shift itself rounds nothing
    auto bodies = plummer_bodies(1500, 22);
    for (auto& body : bodies)
        for (double& x : body.position) x = std::round(x * 0x1p30) * 0x1p-30;
    const auto f = direct_fields(exec(), bodies, plummer_softening(0.01));
    const auto g = direct_fields(exec(), shifted(bodies, 1000), plummer_softening(0.01));
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const auto &a = f[i].acceleration, &b = g[i].acceleration;
        EXPECT_TRUE(close_to(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), 0,
                             std::hypot(a[0], a[1], a[2]),
                             {2e-6, "twice the 99.9 % error of mixed precision"}))
            << "particle " << i;
    }
}

TEST_P(Direct, EqualInputGivesEqualBits)
{
    const auto bodies = mixed_bodies(3000, 4);
    for (Precision precision : {Precision::mixed, Precision::double_precision}) {
        const auto first = direct_fields(exec(), bodies, plummer_softening(0.01), precision);
        expect_same_bits(first, direct_fields(exec(), bodies, plummer_softening(0.01), precision));
    }
}

// lengths far outside the range whose third power a float holds
TEST_P(Direct, AnyUnitOfLengthAndMassGivesFiniteForcesThatScale)
{
    const auto unit = plummer_bodies(400, 6);
    const auto expected = reference_fields(unit, plummer_softening(0.05));
    for (double length : {1e-15, 1e15})
        for (double mass : {1e-30, 1e30})
            for (bool spline : {false, true}) {
                SCOPED_TRACE(testing::Message()
                             << "length " << length << ", mass " << mass << ", spline " << spline);
                auto bodies = unit;
                for (auto& body : bodies) {
                    body.mass *= mass;
                    for (double& x : body.position) x *= length;
                }
                const ReferenceSoftening softening{spline, plummer_softening(0.05 * length).length};
                expect_fields(direct_fields(exec(), bodies, softening), bodies, softening,
                              pairwise(Precision::mixed));
            }
}

TEST_P(Direct, TinyAndHugeDistancesInOneSystemStayRight)
{
    auto bodies = plummer_bodies(200, 8);
    for (double eps : {0.0, 1e-18}) {
        bodies[0] = {0.01, {0, 0, 0}};
        bodies[1] = {0.01, {1e-15, 0, 0}};
        bodies[2] = {1.0, {1e15, 0, 0}};
        SCOPED_TRACE(testing::Message() << "eps " << eps << ", seed = 8");
        expect_fields(direct_fields(exec(), bodies, plummer_softening(eps)), bodies, plummer_softening(eps),
                      pairwise(Precision::mixed));
    }
}

TEST_P(Direct, ClosePairsFarFromTheOriginOfTheirTileKeepTheirDigits)
{
    std::vector<Body> bodies;
    for (int k = 0; k < 40; ++k) {
        bodies.push_back({1.0, {double(k), 0.1 * k, 0}});
        bodies.push_back({1.0, {double(k) + 1e-7, 0.1 * k, 0}});
    }
    expect_fields(direct_fields(exec(), bodies, plummer_softening(1e-8)), bodies, plummer_softening(1e-8),
                  pairwise(Precision::mixed));
}

TEST_P(Direct, PeriodicBoxesAreSummedOnTheCpuAndRefusedOnAGpu)
{
    const auto solver = gravity::make_solver(direct_config(plummer_softening(0.1), Precision::mixed));
    Particles particles = to_particles(random_bodies(3, 1), GetParam());
    gravity::ForceRequest request;
    request.box.side = 1;
    if (GetParam() == Backend::cpu)
        EXPECT_NO_THROW(accelerate(*solver, exec(), particles.view(), request));
    else
        EXPECT_THROW(accelerate(*solver, exec(), particles.view(), request), ConfigError);
}

TEST_P(Direct, ScratchIsKeptBetweenCallsAndForecastRight)
{
    const auto solver = gravity::make_solver(direct_config(plummer_softening(0.1), Precision::mixed));
    Particles particles = to_particles(random_bodies(3000, 1), GetParam());
    const std::size_t before = memory::held_bytes(GetParam());
    accelerate(*solver, exec(), particles.view(), with_potential());
    const std::size_t after = memory::held_bytes(GetParam());
    EXPECT_EQ(after - before, solver->scratch_bytes(GetParam(), particles.size()));
    accelerate(*solver, exec(), particles.view(), {});
    EXPECT_EQ(memory::held_bytes(GetParam()), after);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(Direct);

TEST(DirectDoor, ParticlesOfTheOtherBackendAreRefused)
{
    const auto solver = gravity::make_solver({});
    Particles particles(Backend::cpu, 2);
    EXPECT_THROW(accelerate(*solver, {Backend::cuda}, particles.view(), {}), Error);
}

TEST(MakeSolver, UnknownNamesAndBadSofteningAreConfigurationErrors)
{
    gravity::Config config;
    config.solver = "magic";
    try {
        gravity::make_solver(config);
        FAIL() << "no error";
    } catch (const ConfigError& e) {
        EXPECT_NE(std::string(e.what()).find("magic"), std::string::npos);
        EXPECT_NE(std::string(e.what()).find(gravity::solvers().list()), std::string::npos);
    }
    config.solver = "direct";
    for (double bad : {-0.1, std::nan(""), std::numeric_limits<double>::infinity()}) {
        config.softening.length[3] = bad;
        EXPECT_THROW(gravity::make_solver(config), ConfigError) << bad;
    }
}

}  // namespace
}  // namespace aureole::test::direct_test
