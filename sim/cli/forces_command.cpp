#include <fmt/format.h>

#include "gravity/solver.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/loaded_snapshot.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"
#include "sim/io/forces_file.hpp"
#include "sim/run/device_choice.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::cli {
namespace {

io::Attributes settings_of(const ForcesCommand& command, const gravity::Config& gravity,
                           const run::DeviceChoice& device)
{
    io::Attributes settings{
        {"Solver", gravity.solver},
        {"Precision", std::string(gravity.precision == gravity::Precision::mixed ? "mixed" : "double")},
        {"SofteningKernel",
         std::string(gravity.softening.kernel == gravity::SofteningKernel::plummer ? "plummer" : "spline")},
        {"Device", device.description},
        {"Version", version_brief()},
        {"CommandLine", command.compute.command_line}};
    for (std::size_t t = 0; t < n_particle_types; ++t)
        settings.emplace_back(fmt::format("SofteningOfType{}", t), gravity.softening.length[t]);
    return settings;
}

}  // namespace

int forces_command(const ForcesCommand& command)
{
    expect_not_input(command.output, command.snapshot);
    run::Config config = config_from_overrides(command.compute.overrides);
    if (!command.solver.empty()) config.gravity.solver = command.solver;
    if (command.softening) config.gravity.softening = *command.softening;
    if (config.gravity.perturber.mass)
        throw ConfigError("forces: gravity.external is given, and forces are those of the particles alone");
    const gravity::Config gravity = run::solver_config(config);
    const auto solver = gravity::make_solver(gravity);
    const run::DeviceChoice device = run::choose_device(command.compute.device);

    LoadedSnapshot loaded = load_snapshot(command.snapshot, command.units);
    Particles particles = loaded.snapshot.particles.copy_to(device.exec.backend);
    solver->accelerate(device.exec, particles.view(), {.potential = true});
    const Particles host = particles.copy_to(Backend::cpu);

    // lengths and masses are the file's, so that G in its units is the only factor
    const double g = loaded.units.nbody ? 1.0 : loaded.units.system.gravitational_constant();
    io::write_forces(command.output, host, {g, g, g, settings_of(command, gravity, device)});
    fmt::print("accelerations and potentials of {} particles ({}, {}) written to {}; G = {}\n", host.size(),
               gravity.solver, device.description, command.output.string(), g);
    return 0;
}

}  // namespace aureole::cli
