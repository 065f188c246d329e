// What force_accuracy and opening_angle promise at a size at which runs begin: 2^17 particles, eps = 0.001,
// sampled targets against the direct sum.
#include "tests/unit/gravity/tree/tree_fixture.hpp"

namespace aureole::test::tree_accuracy_test {
namespace {

constexpr std::size_t n_bodies = 1 << 17, every = 97;
const ReferenceSoftening softening = plummer_softening(0.001);

class TreeAtSize : public OnEachBackend {
protected:
    void expect_accuracies(const std::vector<Body>& bodies, const std::vector<double>& accuracies)
    {
        const DirectSample exact(bodies, softening, every);
        for (const double accuracy : accuracies) {
            SCOPED_TRACE(accuracy);
            const gravity::Config config = tree_config(softening, accuracy);
            const auto solver = gravity::make_solver(config);
            Particles particles = to_particles(bodies, GetParam());
            accelerate(*solver, exec(), particles.view(),
                       with_potential());  // the first knows no accelerations
            accelerate(*solver, exec(), particles.view(), with_potential());
            const TreeErrors errors = exact.errors_of(to_fields(particles));
            EXPECT_LE(errors.percentile_99(), accuracy);
            EXPECT_LE(errors.largest(), 30 * errors.percentile_99()) << "outliers";
            EXPECT_LE(errors.potential[errors.potential.size() * 99 / 100], accuracy);
            RecordProperty("percentile_99_at_" + std::to_string(accuracy),
                           testing::PrintToString(errors.percentile_99()));
        }
    }
};

TEST_P(TreeAtSize, HoldsItsAccuracyForAPlummerSphere)
{
    expect_accuracies(plummer_bodies(n_bodies, 1), {1e-2, 1e-3, 1e-4});
}

TEST_P(TreeAtSize, HoldsItsAccuracyForTwoOverlappingSpheres)
{
    expect_accuracies(overlapping_spheres(n_bodies, 2), {1e-2, 1e-3, 1e-4});
}

TEST_P(TreeAtSize, HoldsItsAccuracyForClusteredPoints)
{
    expect_accuracies(clustered_bodies(n_bodies, 3), {1e-2, 1e-3, 1e-4});
}

// between the third power, of noise, and 9/2 of smooth matter: tests/unit/gravity/tree_accuracy_test.cpp
TEST_P(TreeAtSize, ErrorsFallWithAboutTheFourthPowerOfTheAngle)
{
    const auto bodies = plummer_bodies(n_bodies, 4);
    const DirectSample exact(bodies, softening, every);
    std::vector<double> median;
    for (const double angle : {1.0, 0.7, 0.5, 0.35}) {
        const TreeErrors errors =
            exact.errors_of(tree_fields(exec(), tree_config(softening, 0, angle), bodies));
        EXPECT_LE(errors.largest(), 30 * errors.percentile_99()) << "angle " << angle;
        median.push_back(errors.median());
    }
    EXPECT_GT(std::log(median.front() / median.back()) / std::log(1 / 0.35), 3.5);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(TreeAtSize);

}  // namespace
}  // namespace aureole::test::tree_accuracy_test
