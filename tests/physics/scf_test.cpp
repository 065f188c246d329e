// Leapfrog and basis expansion together: what a smooth field conserves exactly, and how well a live galaxy
// keeps its energy and its shape. The settings that take longest run on the GPU, and on the CPU when
// AUREOLE_LONG_TESTS is set.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "gravity/scf/scf_config.hpp"
#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "ics/make_initial_conditions.hpp"
#include "integrators/integrator.hpp"
#include "sim/run/diagnostics/energy.hpp"
#include "tests/support/backends.hpp"

namespace aureole::test::scf_test {
namespace {

using namespace gravity::scf;

Particles sphere(std::uint64_t n, ics::Velocities velocities = ics::Velocities::equilibrium)
{
    ics::Config config;
    config.seed = 3;
    config.components = {{.model = ics::Model::hernquist, .particles = n, .velocities = velocities}};
    return make_initial_conditions(config);
}

std::unique_ptr<gravity::Solver> scf(const FieldConfig& field,
                                     gravity::Precision precision = gravity::Precision::double_precision)
{
    gravity::Config config;
    config.solver = "scf";
    config.precision = precision;
    config.plugins.get<gravity::scf::Config>().components = {field};
    return make_solver(config);
}

FieldConfig about_origin(Mode mode, Symmetry symmetry = {})
{
    FieldConfig field;
    field.mode = mode;
    field.symmetry = symmetry;
    field.centre = Vec3{};
    return field;
}

class ScfPhysics : public OnEachBackend {
protected:
    /// From `start`, whose first forces make the coefficients of a frozen field.
    Particles evolved(gravity::Solver& solver, const Particles& start, double dt, int steps)
    {
        Particles particles = start.copy_to(GetParam());
        accelerate(solver, exec(), particles.view(), {.potential = true});
        double time = 0;
        for (int k = 0; k < steps; ++k)
            leapfrog_->step(exec(), particles.view(), solver, time, dt, k + 1 == steps);
        return particles.copy_to(Backend::cpu);
    }

    bool long_tests() const { return std::getenv("AUREOLE_LONG_TESTS") || GetParam() == Backend::cuda; }

    std::unique_ptr<integrators::Integrator> leapfrog_ = integrators::make_integrator("leapfrog");
};

double median(std::vector<double> values)
{
    std::ranges::nth_element(values, values.begin() + values.size() / 2);
    return values[values.size() / 2];
}

TEST_P(ScfPhysics, LeapfrogIsOfSecondOrderInAFrozenField)
{
    const Particles start = sphere(1000);
    const auto at_one = [&](int steps) {
        return evolved(*scf(about_origin(Mode::frozen)), start, 1.0 / steps, steps);
    };
    const Particles exact = at_one(640);
    const auto errors = [&](int steps) {
        const Particles p = at_one(steps);
        std::vector<double> distance;
        for (std::size_t i = 0; i < p.size(); ++i)
            distance.push_back(length(p.position.load(i) - exact.position.load(i)));
        return median(distance);
    };
    const double coarse = errors(20), fine = errors(40);
    std::cout << "median position error " << coarse << ", half the step " << fine << '\n';
    EXPECT_NEAR(coarse / fine, 4, 0.1);
}

TEST_P(ScfPhysics, EachParticleKeepsItsEnergyInAFrozenField)
{
    const Particles start = sphere(1000);
    const auto energies = [](const Particles& p) {
        std::vector<double> result;
        for (std::size_t i = 0; i < p.size(); ++i) {
            const Vec3 v = p.velocity.load(i);
            result.push_back(dot(v, v) / 2 + p.potential.host()[i]);
        }
        return result;
    };
    const std::vector<double> before = energies(evolved(*scf(about_origin(Mode::frozen)), start, 0, 1));
    const auto error = [&](double dt, int steps) {
        const auto after = energies(evolved(*scf(about_origin(Mode::frozen)), start, dt, steps));
        std::vector<double> change;
        for (std::size_t i = 0; i < after.size(); ++i) change.push_back(std::abs(after[i] / before[i] - 1));
        return median(change);
    };
    const double coarse = error(0.05, 40), fine = error(0.025, 80);
    std::cout << "median |de/e| " << coarse << ", half the step " << fine << '\n';
    EXPECT_NEAR(coarse / fine, 4, 0.3);
    EXPECT_LT(fine, 1e-4);
}

TEST_P(ScfPhysics, SymmetricCoefficientsKeepAngularMomentum)
{
    const Particles start = sphere(1000);
    for (const Mode mode : {Mode::live, Mode::frozen}) {
        const Particles axial = evolved(*scf(about_origin(mode, {.axisymmetric = true})), start, 0.05, 60);
        const Particles round = evolved(*scf(about_origin(mode, {.spherical = true})), start, 0.05, 60);
        for (std::size_t i = 0; i < start.size(); ++i) {
            const Vec3 x = start.position.load(i), v = start.velocity.load(i), l = cross(x, v);
            const double scale = length(x) * length(v);
            const Vec3 after = cross(axial.position.load(i), axial.velocity.load(i));
            ASSERT_NEAR(after.z, l.z, 1e-12 * scale) << i;
            const Vec3 kept = cross(round.position.load(i), round.velocity.load(i));
            ASSERT_LE(length(kept - l), 1e-12 * scale) << i;
        }
    }
}

TEST_P(ScfPhysics, RunsBackwards)
{
    const Particles start = sphere(1000);
    Particles particles = start.copy_to(GetParam());
    const auto solver = scf(about_origin(Mode::live));
    accelerate(*solver, exec(), particles.view(), {});
    double time = 0;
    for (int step = 0; step < 40; ++step)
        leapfrog_->step(exec(), particles.view(), *solver, time, 0.0625, false);
    for (int step = 0; step < 40; ++step)
        leapfrog_->step(exec(), particles.view(), *solver, time, -0.0625, false);
    const Particles back = particles.copy_to(Backend::cpu);
    double worst = 0;
    for (std::size_t i = 0; i < start.size(); ++i)
        worst = std::fmax(worst, length(back.position.load(i) - start.position.load(i)));
    std::cout << "largest distance from the start " << worst << '\n';
    EXPECT_LE(worst, 1e-13);
}

TEST_P(ScfPhysics, EvenHarmonicsPullAlikeOnBothSides)
{
    Particles host = sphere(2000);
    for (Index i = 0; i < 100; ++i) host.view().position.store(2 * i + 1, -1.0 * host.position.load(2 * i));
    Particles particles = host.copy_to(GetParam());
    const auto solver = scf(about_origin(Mode::live, {.even_l = true}));
    accelerate(*solver, exec(), particles.view(), {});
    host = particles.copy_to(Backend::cpu);
    for (std::size_t i = 0; i < 100; ++i) {
        const Vec3 a = host.acceleration.load(2 * i), b = host.acceleration.load(2 * i + 1);
        EXPECT_LE(length(a + b), 1e-13 * length(a));
    }
}

/// Largest |E(t) / E(0) - 1| of a live run, mean virial ratio of its second half, and the states at both
/// ends.
struct Evolution {
    double energy_error = 0, late_virial_ratio = 0;
    run::Energy first, last;
};

class ScfGalaxy : public ScfPhysics {
protected:
    Evolution evolve(const Particles& start, double dt, double end, gravity::Precision precision)
    {
        const auto solver = scf(FieldConfig{}, precision);
        Particles particles = start.copy_to(GetParam());
        accelerate(*solver, exec(), particles.view(), {.potential = true});
        Evolution result;
        result.first = result.last = run::measure_energy(particles.copy_to(Backend::cpu).view());
        double time = 0;
        const long steps = std::lround(end / dt);
        for (long step = 1; step <= steps; ++step) {
            leapfrog_->step(exec(), particles.view(), *solver, time, dt, true);
            result.last = run::measure_energy(particles.copy_to(Backend::cpu).view());
            result.energy_error =
                std::fmax(result.energy_error, std::abs(result.last.total() / result.first.total() - 1));
            if (2 * step > steps)
                result.late_virial_ratio += result.last.virial_ratio / static_cast<double>(steps - steps / 2);
        }
        return result;
    }
};

struct Setting {
    std::uint64_t n;
    double dt, end, energy_error;  ///< what an independent trial lost, with a centre that sat less well
    bool slow;
};

TEST_P(ScfGalaxy, InEquilibriumKeepsEnergyAndShape)
{
    for (const Setting s : {Setting{10000, 0.1, 10, 1.8e-3, false},
                            {10000, 0.05, 10, 2.7e-4, false},
                            {10000, 0.025, 10, 1.1e-4, true},
                            {100000, 0.02, 20, 6.5e-6, true}}) {
        if (s.slow && !long_tests()) continue;
        const Evolution e = evolve(sphere(s.n), s.dt, s.end, gravity::Precision::double_precision);
        std::cout << "N " << s.n << ", dt " << s.dt << ": |dE/E| " << e.energy_error << ", virial "
                  << e.first.virial_ratio << " -> " << e.last.virial_ratio << ", radii";
        for (std::size_t k = 0; k < 4; ++k)
            std::cout << ' ' << e.first.lagrangian_radii[k] << " -> " << e.last.lagrangian_radii[k];
        std::cout << '\n';
        EXPECT_LT(e.energy_error, 2 * s.energy_error);  // another sample, another error
        EXPECT_GT(e.energy_error, s.energy_error / 100);
        const double noise = std::sqrt(1e4 / static_cast<double>(s.n));
        EXPECT_NEAR(e.first.virial_ratio, 0.993, 0.02 * noise);
        EXPECT_NEAR(e.last.virial_ratio, 1.0, 0.02 * noise);
        for (std::size_t k : {1u, 2u, 3u})
            EXPECT_NEAR(e.last.lagrangian_radii[k] / e.first.lagrangian_radii[k], 1, 0.05 * noise + 0.01)
                << run::lagrangian_fractions[k];
    }
}

TEST_P(ScfGalaxy, ColdCollapseNeedsShortSteps)
{
    const double end = long_tests() ? 10 : 5;
    const Particles start = sphere(long_tests() ? 20000 : 5000, ics::Velocities::cold);
    const Evolution coarse = evolve(start, 0.02, end, gravity::Precision::double_precision);
    const Evolution fine = evolve(start, 0.005, end, gravity::Precision::double_precision);
    std::cout << "|dE/E| " << coarse.energy_error << " at dt 0.02, " << fine.energy_error
              << " at 0.005; half-mass radius " << fine.first.lagrangian_radii[2] << " -> "
              << fine.last.lagrangian_radii[2] << ", mean late virial ratio " << fine.late_virial_ratio
              << '\n';
    EXPECT_LT(fine.energy_error, 3e-3);
    EXPECT_GT(coarse.energy_error, 4 * fine.energy_error);
    EXPECT_LT(coarse.energy_error, 0.15);
    if (!long_tests()) return;
    EXPECT_NEAR(fine.late_virial_ratio, 1, 0.04) << "single states swing by 0.06";
    EXPECT_NEAR(fine.last.lagrangian_radii[2], 1.4, 0.2);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ScfPhysics);
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ScfGalaxy);

}  // namespace
}  // namespace aureole::test::scf_test
