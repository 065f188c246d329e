// The accuracy that `precision: mixed` promises: Plummer sphere of 2^18, eps = 0.001, against double
// precision.
#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/make_particles.hpp"

namespace aureole::test::force_accuracy_test {
namespace {

constexpr std::size_t n_bodies = 1 << 18;
constexpr std::size_t group = 64, n_groups = 12, n_targets = group * n_groups;
constexpr double eps = 0.001;
constexpr unsigned seed = 1;

struct Errors {
    double median, percentile_99;
};

/// Brings close groups to the front, so that targets [0, n_targets) fill tiles as small as a full evaluation
/// has.
void bring_groups_to_front(std::vector<Body>& bodies)
{
    for (std::size_t g = 0; g < n_groups; ++g) {
        const auto first = bodies.begin() + static_cast<std::ptrdiff_t>(g * group);
        std::swap(*first, bodies[g * group + (bodies.size() - g * group) / (n_groups - g + 1)]);
        const auto centre = first->position;
        const auto distance = [&](const Body& body) {
            return std::hypot(body.position[0] - centre[0], body.position[1] - centre[1],
                              body.position[2] - centre[2]);
        };
        std::nth_element(first, first + group, bodies.end(),
                         [&](const Body& a, const Body& b) { return distance(a) < distance(b); });
    }
}

class MixedPrecision : public OnEachBackend {
protected:
    Errors errors_of(const std::vector<Body>& bodies, double* error_of_potential = nullptr)
    {
        gravity::Config config;
        config.softening.length.fill(eps);
        Particles particles = to_particles(bodies, GetParam());
        gravity::ForceRequest request;
        request.targets = {0, n_targets};
        request.potential = true;
        accelerate(*gravity::make_solver(config), exec(), particles.view(), request);
        const Particles host = particles.copy_to(Backend::cpu);

        std::vector<double> force(n_targets), potential(n_targets);
#pragma omp parallel for schedule(dynamic)
        for (std::size_t i = 0; i < n_targets; ++i) {
            const Field exact = reference_field(bodies, i, 0, bodies.size(), plummer_softening(eps));
            const auto& a = exact.acceleration;
            force[i] = std::hypot(host.acceleration.x.data()[i] - a[0], host.acceleration.y.data()[i] - a[1],
                                  host.acceleration.z.data()[i] - a[2]) /
                       std::hypot(a[0], a[1], a[2]);
            potential[i] = std::abs(host.potential.data()[i] / exact.potential - 1);
        }
        std::ranges::sort(force);
        if (error_of_potential) *error_of_potential = std::ranges::max(potential);
        const Errors errors{force[n_targets / 2], force[n_targets * 99 / 100]};
        RecordProperty("median", testing::PrintToString(errors.median));
        RecordProperty("percentile_99", testing::PrintToString(errors.percentile_99));
        return errors;
    }

    static void expect_promise(const Errors& errors)
    {
        EXPECT_LE(errors.median, 2e-7);
        EXPECT_LE(errors.percentile_99, 1e-6);
    }
};

TEST_P(MixedPrecision, HoldsItsPromiseForAPlummerSphereWhereverItSits)
{
    auto bodies = plummer_bodies(n_bodies, seed);
    bring_groups_to_front(bodies);
    double error_of_potential;
    const Errors here = errors_of(bodies, &error_of_potential);
    expect_promise(here);
    EXPECT_LE(error_of_potential, 2e-7);

    const Errors there = errors_of(shifted(bodies, 1000));
    expect_promise(there);
    EXPECT_NEAR(there.median / here.median, 1, 0.2);
    EXPECT_NEAR(there.percentile_99 / here.percentile_99, 1, 0.2);
}

TEST_P(MixedPrecision, HoldsItsPromiseForTwoSpheresAThousandApart)
{
    auto bodies = plummer_bodies(n_bodies, seed);
    for (Body body : plummer_bodies(n_bodies, seed + 1)) {
        body.position[0] += 1000;
        bodies.push_back(body);
    }
    bring_groups_to_front(bodies);
    expect_promise(errors_of(bodies));
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(MixedPrecision);

}  // namespace
}  // namespace aureole::test::force_accuracy_test
