// An isolated Plummer sphere under the tree's forces keeps its momentum and its energy for ten dynamical
// times (pi / 2 sqrt(r^3 / G M) at the half-mass radius). Forces of a tree do not come in pairs that cancel.
#include "integrators/leapfrog.hpp"
#include "sim/run/diagnostics/energy.hpp"
#include "tests/unit/gravity/tree/tree_fixture.hpp"

namespace aureole::test::tree_leapfrog_test {
namespace {

constexpr double half_mass_radius = 1.3048, sigma = 0.3133;  // sqrt(pi / 32): one-dimensional, G = M = a = 1
const double dynamical_time =
    1.5707963267948966 * std::sqrt(half_mass_radius * half_mass_radius * half_mass_radius);

gravity::Config run_config()
{
    gravity::Config config = tree_config(plummer_softening(0.05), 1e-3);
    config.plugins.get<gravity::tree::Config>().conserve_momentum = true;  // the default
    return config;
}

class TreeRun : public OnEachBackend {
protected:
    /// The sphere after some dynamical times, with potentials.
    Particles after(const std::vector<Body>& bodies, double dynamical_times, double dt)
    {
        const auto solver = gravity::make_solver(run_config());
        Particles particles = to_particles(bodies, GetParam());
        accelerate(*solver, exec(), particles.view(), with_potential());
        integrators::Leapfrog leapfrog;
        double time = 0;
        const int n_steps = static_cast<int>(std::ceil(dynamical_times * dynamical_time / dt));
        for (int i = 1; i <= n_steps; ++i)
            leapfrog.step(exec(), particles.view(), *solver, time, dt, i == n_steps);
        return particles.copy_to(Backend::cpu);
    }
};

TEST_P(TreeRun, AnIsolatedSphereKeepsItsMomentumAndItsEnergy)
{
    const auto bodies = plummer_bodies(4096, 1);
    const run::Energy before = run::measure_energy(after(bodies, 0, 0.03125).view());
    const run::Energy end = run::measure_energy(after(bodies, 10, 0.03125).view());
    const Vec3 drift = end.momentum - before.momentum;
    EXPECT_LE(std::sqrt(dot(drift, drift)), 1e-4 * before.mass * sigma);
    EXPECT_LE(std::abs(end.total() / before.total() - 1), 5e-4);
    EXPECT_NEAR(end.lagrangian_radii[2] / before.lagrangian_radii[2], 1, 0.05) << "half of the mass";
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(TreeRun);

}  // namespace
}  // namespace aureole::test::tree_leapfrog_test
