// Leapfrog, direct sum and initial conditions together: a Hernquist sphere of 10^4 particles stays what it
// is. The settings that take longest run when AUREOLE_LONG_TESTS is set.
#include <algorithm>
#include <cstdlib>

#include "../support/backends.hpp"
#include "ics/make_initial_conditions.hpp"
#include "integrators/make_integrator.hpp"

namespace aureole::test {
namespace {

class HernquistEquilibrium : public OnEachBackend {
protected:
    static Particles sphere(std::uint64_t n)
    {
        ics::Config config;
        config.seed = 3;
        config.components = {{.model = ics::Model::hernquist, .particles = n}};
        return make_initial_conditions(config);
    }
    static std::unique_ptr<gravity::Solver> direct(gravity::Precision precision)
    {
        gravity::Config config;
        config.precision = precision;
        config.softening.length.fill(0.05);
        return gravity::make_solver(config);
    }

    std::unique_ptr<integrators::Integrator> leapfrog_ = integrators::make_integrator("leapfrog");
};

double total_energy(const ParticlesView& p)
{
    double sum = 0;
    for (Index i = 0; i < p.n; ++i) {
        const Vec3 v = p.velocity.load(i);
        sum += p.mass[i] * (dot(v, v) + p.potential[i]) / 2;
    }
    return sum;
}

Vec3 total_momentum(const ParticlesView& p)
{
    Vec3 sum{};
    for (Index i = 0; i < p.n; ++i) sum = sum + p.mass[i] * p.velocity.load(i);
    return sum;
}

/// Inside which a fraction of the (equal) particles are.
double lagrangian_radius(const ParticlesView& p, double fraction)
{
    std::vector<double> r2(p.n);
    for (Index i = 0; i < p.n; ++i) r2[i] = dot(p.position.load(i), p.position.load(i));
    const auto nth = r2.begin() + static_cast<std::ptrdiff_t>(fraction * p.n);
    std::nth_element(r2.begin(), nth, r2.end());
    return std::sqrt(*nth);
}

struct Setting {
    double dt, energy_error;  ///< the error that others found with this step
    bool slow;
};

TEST_P(HernquistEquilibrium, KeepsEnergyAndLagrangianRadii)
{
    const bool all = std::getenv("AUREOLE_LONG_TESTS") || GetParam() == Backend::cuda;
    Particles start = sphere(10000);
    const double r10 = lagrangian_radius(start.view(), 0.1), r50 = lagrangian_radius(start.view(), 0.5);
    for (const Setting s : {Setting{0.1, 4.5e-4, false}, {0.05, 3.3e-5, true}, {0.02, 5.2e-6, true}}) {
        if (s.slow && !all) continue;
        Particles particles = start.copy_to(GetParam());
        const auto solver = direct(gravity::Precision::mixed);
        solver->accelerate(exec(), particles.view(), {.potential = true});
        Particles host = particles.copy_to(Backend::cpu);
        const double initial = total_energy(host.view());
        double time = 0, worst_energy = 0, worst_r10 = 0, worst_r50 = 0;
        while (time < 20 - s.dt / 2) {
            leapfrog_->step(exec(), particles.view(), *solver, time, s.dt, true);
            host = particles.copy_to(Backend::cpu);
            const ParticlesView p = host.view();
            worst_energy = std::fmax(worst_energy, std::abs(total_energy(p) / initial - 1));
            worst_r10 = std::fmax(worst_r10, std::abs(lagrangian_radius(p, 0.1) / r10 - 1));
            worst_r50 = std::fmax(worst_r50, std::abs(lagrangian_radius(p, 0.5) / r50 - 1));
        }
        std::cout << "dt " << s.dt << ": |dE/E| " << worst_energy << ", r10 " << worst_r10 << ", r50 "
                  << worst_r50 << '\n';
        EXPECT_LT(worst_energy, 3 * s.energy_error) << s.dt;
        EXPECT_GT(worst_energy, s.energy_error / 3) << s.dt;
        EXPECT_LT(worst_r10, 0.04) << s.dt;
        EXPECT_LT(worst_r50, 0.02) << s.dt;
    }
}

TEST_P(HernquistEquilibrium, MomentumDriftsAsLittleAsThePrecisionAllows)
{
    for (const auto& [precision, allowed] :
         {std::pair{gravity::Precision::full, 1e-14}, {gravity::Precision::mixed, 1e-8}}) {
        Particles particles = sphere(2000).copy_to(GetParam());
        const auto solver = direct(precision);
        solver->accelerate(exec(), particles.view(), {});
        double time = 0, kinetic = 0, mass = 0, worst = 0;
        Particles host = particles.copy_to(Backend::cpu);
        const Vec3 start = total_momentum(host.view());
        for (Index i = 0; i < host.size(); ++i) {
            const Vec3 v = host.view().velocity.load(i);
            kinetic += host.view().mass[i] * dot(v, v);
            mass += host.view().mass[i];
        }
        const double m_sigma = std::sqrt(mass * kinetic / 3);
        for (int step = 0; step < 100; ++step) {
            leapfrog_->step(exec(), particles.view(), *solver, time, 0.05, false);
            host = particles.copy_to(Backend::cpu);
            const Vec3 drift = total_momentum(host.view()) - start;
            worst = std::fmax(worst, std::sqrt(dot(drift, drift)) / m_sigma);
        }
        std::cout << "momentum drift " << worst << " of M sigma\n";
        EXPECT_LE(worst, allowed);
    }
}

TEST_P(HernquistEquilibrium, RunsBackwards)
{
    Particles start = sphere(300);
    Particles particles = start.copy_to(GetParam());
    const auto solver = direct(gravity::Precision::full);
    solver->accelerate(exec(), particles.view(), {});
    double time = 0;
    for (int step = 0; step < 40; ++step)
        leapfrog_->step(exec(), particles.view(), *solver, time, 0.0625, false);
    for (int step = 0; step < 40; ++step)
        leapfrog_->step(exec(), particles.view(), *solver, time, -0.0625, false);
    Particles back = particles.copy_to(Backend::cpu);
    double worst = 0;
    for (Index i = 0; i < start.size(); ++i) {
        const Vec3 d = back.view().position.load(i) - start.view().position.load(i);
        worst = std::fmax(worst, std::sqrt(dot(d, d)));
    }
    std::cout << "largest distance from the start " << worst << '\n';
    EXPECT_LE(worst, 1e-13);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(HernquistEquilibrium);

}  // namespace
}  // namespace aureole::test
