// Leapfrog and the solver by component together: the energy of a small disk in a live halo closes with one
// kernel for both ways, and drifts with two.
#include <cmath>
#include <iostream>

#include "gravity/components/components_config.hpp"
#include "gravity/scf/scf_config.hpp"
#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "integrators/integrator.hpp"
#include "sim/run/diagnostics/energy.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/make_particles.hpp"

namespace aureole::test::components_test {
namespace {

constexpr std::size_t n_halo = 2000, n_disk = 200;

/// A Plummer sphere of mass 1 and a tenth of its mass as a ring of a disk on circular orbits, components 0
/// and 1, the latter off the plane a little.
Particles disk_in_halo()
{
    std::vector<Body> bodies = plummer_bodies(n_halo, 7);
    std::vector<Body> places = random_bodies(n_disk, 11);
    for (Body& body : places) {
        const double radius = 0.3 + 1.2 * body.position[0],
                     phi = 2 * 3.14159265358979323846 * body.position[1];
        const double speed = radius * std::pow(1 + radius * radius, -0.75);  // of Plummer's sphere
        body.position = {radius * std::cos(phi), radius * std::sin(phi), 0.05 * (body.position[2] - 0.5)};
        body.velocity = {-speed * std::sin(phi), speed * std::cos(phi), 0};
        body.mass = 0.1 / double(n_disk);
        bodies.push_back(body);
    }
    Particles host = to_particles(bodies, Backend::cpu);
    for (std::size_t i = n_halo; i < bodies.size(); ++i) host.component.host()[i] = 1;
    return host;
}

gravity::Config config_of(const char* cross)
{
    gravity::Config config;
    config.solver = "components";
    config.precision = gravity::Precision::double_precision;
    config.softening.length.fill(0.1);
    config.plugins.get<gravity::components::Config>() = {{"scf", "direct"}, {"expansion", cross}};
    gravity::scf::FieldConfig field;
    field.basis = {gravity::scf::Family::clutton_brock, 3, 0, 1.0};  // coarse: the pairings differ
    field.centre = Vec3{};
    config.plugins.get<gravity::scf::Config>().components = {field, field};
    return config;
}

struct Drift {
    std::vector<double> energy;  ///< relative to T at 0, at 0, 10 and 20
    double momentum = 0;         ///< largest |P| / (M sigma) there
};

Drift drift_of(const gravity::Config& config, Backend where)
{
    Particles particles = disk_in_halo().copy_to(where);
    const auto solver = make_solver(config);
    const auto leapfrog = integrators::make_integrator("leapfrog");
    accelerate(*solver, {where}, particles.view(), {.potential = true});
    Drift drift;
    double time = 0, first = 0, kinetic = 0;
    for (int part = 0; part < 3; ++part) {
        for (int k = 0; part > 0 && k < 200; ++k)
            leapfrog->step({where}, particles.view(), *solver, time, 0.05, k == 199);
        const run::Energy energy = run::measure_energy(
            std::as_const(*std::make_unique<Particles>(particles.copy_to(Backend::cpu))).view());
        if (part == 0) first = energy.total(), kinetic = energy.kinetic;
        drift.energy.push_back((energy.total() - first) / kinetic);
        const double p = std::sqrt(dot(energy.momentum, energy.momentum));
        drift.momentum = std::max(drift.momentum, p / std::sqrt(2 * energy.kinetic * energy.mass));
    }
    std::cout << "dE/T at 10: " << drift.energy[1] << ", at 20: " << drift.energy[2] << ", momentum drift "
              << drift.momentum << '\n';
    return drift;
}

class ComponentsPhysics : public OnEachBackend {};

TEST_P(ComponentsPhysics, OneKernelBothWaysKeepsTheEnergyAndTwoLetItDrift)
{
    const Drift one = drift_of(config_of("expansion"), GetParam());
    const Drift pairs = drift_of(config_of("particles"), GetParam());
    const Drift two = drift_of(config_of("mixed"), GetParam());
    for (const Drift& drift : {one, pairs})
        for (const double error : drift.energy) EXPECT_LT(std::abs(error), 2e-4);
    // the page's own model gains 0.04 T in 20 time units; the truncation of this one decides how much
    EXPECT_GT(std::abs(two.energy[2]), 20 * std::abs(one.energy[2]));
    EXPECT_GT(std::abs(two.energy[2]), 1e-3);
    EXPECT_LT(one.momentum, 0.05);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ComponentsPhysics);

}  // namespace
}  // namespace aureole::test::components_test
