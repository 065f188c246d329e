// How wrong the tree solver is against the direct sum.
#include <chrono>
#include <cstdio>

#include "tests/unit/gravity/tree/tree_fixture.hpp"

namespace aureole::test::tree_accuracy_test {
namespace {

constexpr std::size_t n_bodies = 20000, every = 10;
constexpr double eps = 0.001;
const ReferenceSoftening softening = plummer_softening(eps);

class TreeAccuracy : public OnEachBackend {
protected:
    /// By the accelerations of the evaluation before, as in a run.
    std::vector<Field> steady_fields(const std::vector<Body>& bodies, double accuracy)
    {
        const gravity::Config config = tree_config(softening, accuracy, 0.6, precision_);
        return steady_fields(bodies, config);
    }
    std::vector<Field> steady_fields(const std::vector<Body>& bodies, const gravity::Config& config)
    {
        using Clock = std::chrono::steady_clock;
        const Particles before = evaluated(exec(), config, to_particles(bodies, Backend::cpu));
        const Clock::time_point begin = Clock::now();
        const Particles after = evaluated(exec(), config, before);
        milliseconds_ = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
        return to_fields(after);
    }

    /// `potential_part`: what the errors of the potentials may reach, over the accuracy.
    void expect_accuracy(const TreeErrors& errors, double accuracy, double potential_part = 1) const
    {
        std::printf("%s alpha %g: 99 %% of errors within %.2f alpha, %.0f ms with copies\n", input_.c_str(),
                    accuracy, errors.percentile_99() / accuracy, milliseconds_);
        EXPECT_LE(errors.percentile_99(), accuracy);
        EXPECT_LE(errors.largest(), 30 * errors.percentile_99()) << "outliers";
        EXPECT_LE(errors.potential[errors.potential.size() * 99 / 100], potential_part * accuracy);
    }

    gravity::Precision precision_ = gravity::Precision::mixed;
    std::string input_ = testing::UnitTest::GetInstance()->current_test_info()->name();
    double milliseconds_ = 0;  ///< of the last evaluation

    /// The promise of force_accuracy, for the accuracies that users set.
    void expect_accuracies(const std::vector<Body>& bodies, double potential_part = 1)
    {
        const DirectSample exact(bodies, softening, every);
        double last = 1;
        for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
            SCOPED_TRACE(accuracy);
            const TreeErrors errors = exact.errors_of(steady_fields(bodies, accuracy));
            expect_accuracy(errors, accuracy, potential_part);
            EXPECT_LT(errors.median(), last / 2) << "a smaller error was asked for";
            last = errors.median();
            RecordProperty("percentile_99_at_" + std::to_string(accuracy),
                           testing::PrintToString(errors.percentile_99()));
        }
    }
};

TEST_P(TreeAccuracy, HoldsForAPlummerSphere) { expect_accuracies(plummer_bodies(n_bodies, 1)); }
TEST_P(TreeAccuracy, HoldsForAHernquistSphere) { expect_accuracies(hernquist_bodies(n_bodies, 2)); }
TEST_P(TreeAccuracy, HoldsForTwoOverlappingSpheres) { expect_accuracies(overlapping_spheres(n_bodies, 3)); }
TEST_P(TreeAccuracy, HoldsForClusteredPoints) { expect_accuracies(clustered_bodies(n_bodies, 4)); }
// forces of neighbours exceed all others by far: a rule by |a| knows little of potentials there
// in double, for forces that cancel to a thousandth keep few digits of float
TEST_P(TreeAccuracy, HoldsOnALine)
{
    precision_ = gravity::Precision::double_precision;
    expect_accuracies(on_a_line(n_bodies, 5), 2);
}
TEST_P(TreeAccuracy, HoldsOnAPlane) { expect_accuracies(on_a_plane(n_bodies, 6)); }

// most errors vanish beside those of the few forces that count: no measure of outliers
TEST_P(TreeAccuracy, HoldsForMassesOfARatioOf1e12)
{
    const auto bodies = with_masses(n_bodies, 7, [](std::size_t i) { return i % 100 == 0 ? 1.0 : 1e-12; });
    const DirectSample exact(bodies, softening, every);
    for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
        const TreeErrors errors = exact.errors_of(steady_fields(bodies, accuracy));
        EXPECT_LE(errors.percentile_99(), accuracy);
        EXPECT_LE(errors.largest(), 10 * accuracy);
    }
}

// two types everywhere: what a node leaves out of its softening has one sign and adds up
TEST_P(TreeAccuracy, HoldsWhereTypesDifferInSoftening)
{
    auto bodies = plummer_bodies(8000, 13);
    for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i].type = static_cast<int>(i % 2);
    for (const bool spline : {false, true})
        for (const double larger : {0.05, 0.5}) {
            const ReferenceSoftening two{spline, {eps, larger, 0, 0, 0, 0}};
            const DirectSample exact(bodies, two, 4);
            const Particles host = with_accelerations(exec(), bodies, two);
            for (const double accuracy : {1e-2, 1e-3}) {
                SCOPED_TRACE(testing::Message() << "spline " << spline << ", lengths " << eps << " and "
                                                << larger << ", accuracy " << accuracy);
                expect_accuracy(
                    exact.errors_of(to_fields(evaluated(exec(), tree_config(two, accuracy), host))),
                    accuracy);
            }
        }
}

// one group of one particle, whose box has no size
TEST_P(TreeAccuracy, HoldsForASingleTarget)
{
    const auto bodies = plummer_bodies(4000, 12);
    for (const double length : {0.0, 1e-12, 0.1}) {
        const ReferenceSoftening soft = plummer_softening(length);
        const Particles host = with_accelerations(exec(), bodies, soft);
        for (Index i = 0; i < 4000; i += 100) {
            const auto found =
                to_fields(evaluated(exec(), tree_config(soft, 1e-3), host, with_potential({i, i + 1})));
            const Field expected = reference_field(bodies, i, 0, bodies.size(), soft);
            EXPECT_LE(distance_of(found[i].acceleration, expected.acceleration),
                      3e-3 * length_of(expected.acceleration))
                << "particle " << i << ", softening " << length;
        }
    }
}

// at an angle whose forces alone would be wrong by more
TEST_P(TreeAccuracy, HoldsAtTheFirstEvaluation)
{
    const auto bodies = plummer_bodies(n_bodies, 8);
    const DirectSample exact(bodies, softening, every);
    EXPECT_GT(exact.errors_of(tree_fields(exec(), tree_config(softening, 0, 1.0), bodies)).percentile_99(),
              3e-3);
    for (const double angle : {0.6, 1.0})
        expect_accuracy(exact.errors_of(tree_fields(exec(), tree_config(softening, 1e-3, angle), bodies)),
                        1e-3);
}

// Theory: what a node of radius b leaves out are its third moments, (b / d)^3 <= theta^3 of its force. The
// noise of single particles adds up with random signs to theta^3, however many share a node; of smooth matter
// the third moments are small and the fourth, theta^4, or sums of random signs over theta^-3 nodes of theta^3
// of the mass, theta^(9/2), remain. At 20 000 particles nodes hold few.
TEST_P(TreeAccuracy, ErrorsFallWithTheThirdPowerOfTheAngleOrMore)
{
    for (const auto& bodies : {plummer_bodies(n_bodies, 9), hernquist_bodies(n_bodies, 10)}) {
        const DirectSample exact(bodies, softening, every);
        std::vector<TreeErrors> errors;
        for (const double angle : {1.0, 0.7, 0.5, 0.3}) {
            errors.push_back(exact.errors_of(tree_fields(exec(), tree_config(softening, 0, angle), bodies)));
            EXPECT_LE(errors.back().largest(), 30 * errors.back().percentile_99()) << "angle " << angle;
        }
        const auto power = [](double a, double b) { return std::log(a / b) / std::log(1 / 0.3); };
        EXPECT_GT(power(errors[0].median(), errors[3].median()), 3);
        EXPECT_GT(power(errors[0].percentile_99(), errors[3].percentile_99()), 3);
        EXPECT_GT(power(errors[0].potential[errors[0].potential.size() / 2],
                        errors[3].potential[errors[0].potential.size() / 2]),
                  3);
    }
}

TEST_P(TreeAccuracy, AFarParticleLeavesTheOthersAlone)
{
    const auto bodies = plummer_bodies(n_bodies, 11);
    auto with = bodies;
    with.push_back({1.0 / n_bodies, {1.3e6, 2e5, 0}});
    const TreeErrors alone = DirectSample(bodies, softening, every).errors_of(steady_fields(bodies, 1e-3));
    const TreeErrors beside = DirectSample(with, softening, every).errors_of(steady_fields(with, 1e-3));
    expect_accuracy(beside, 1e-3);
    EXPECT_NEAR(beside.median() / alone.median(), 1, 0.2);
    EXPECT_NEAR(beside.percentile_99() / alone.percentile_99(), 1, 0.3);
}

// where the keys of the bulk are all alike, to 2^-42 of the extent, and beyond the range of float
TEST_P(TreeAccuracy, HoldsBesideAnOutlierAtAnyDistance)
{
    for (const double distance : {1e8, 1e11, 1e15, 1e25}) {
        SCOPED_TRACE(distance);
        input_ = "outlier at " + testing::PrintToString(distance);
        const auto bodies = with_outlier(n_bodies, 14, distance);
        const DirectSample exact(bodies, softening, every);
        for (const double accuracy : {1e-2, 1e-3, 1e-4})
            expect_accuracy(exact.errors_of(steady_fields(bodies, accuracy)), accuracy);
    }
}

// particles without mass feel nothing but the outlier
TEST_P(TreeAccuracy, HoldsWhereAllMassIsFarAway)
{
    auto bodies = with_outlier(3000, 15, 1e14);
    for (Body& body : bodies) body.mass = 0;
    bodies.back().mass = 1;
    for (const double accuracy : {0.0, 1e-3}) {
        const auto found = steady_fields(bodies, accuracy);
        for (std::size_t i = 0; i + 1 < bodies.size(); ++i)
            ASSERT_LE(std::abs(found[i].acceleration[0] * 1.69e28 - 1), 1e-3) << "particle " << i;
    }
}

/// As many particles in each of eight decades of the radius.
std::vector<Body> cusp(std::size_t n, unsigned seed)
{
    return placed(n, seed, [](auto u) {
        const double r = std::pow(10.0, -8 * u[0]), z = 2 * u[1] - 1, across = std::sqrt(1 - z * z);
        const double phi = 2 * 3.14159265358979323846 * u[2];
        return std::array{r * across * std::cos(phi), r * across * std::sin(phi), r * z};
    });
}

TEST_P(TreeAccuracy, HoldsForACuspOverEightDecadesOfTheRadius)
{
    const auto bodies = cusp(n_bodies, 1);
    const ReferenceSoftening point_masses = plummer_softening(0);
    const DirectSample exact(bodies, point_masses, every);
    for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
        SCOPED_TRACE(accuracy);
        const gravity::Config config = tree_config(point_masses, accuracy);
        expect_accuracy(exact.errors_of(steady_fields(bodies, config)), accuracy);
    }
}

// a group of targets at few places decides almost for each of them alone: nothing is left of its size
TEST_P(TreeAccuracy, HoldsForDuplicates)
{
    for (const std::size_t each : {4, 10, 40}) {
        SCOPED_TRACE(testing::Message() << each << " particles at each place");
        input_ = std::to_string(each) + " at each place";
        auto bodies = plummer_bodies(n_bodies, 1);
        for (std::size_t i = 0; i < n_bodies; ++i) bodies[i].position = bodies[i / each * each].position;
        const DirectSample exact(bodies, softening, every);
        for (const double accuracy : {1e-2, 1e-3, 1e-4})
            expect_accuracy(exact.errors_of(steady_fields(bodies, accuracy)), accuracy);
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(TreeAccuracy);

}  // namespace
}  // namespace aureole::test::tree_accuracy_test
