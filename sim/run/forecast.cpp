// What a run will take, before it starts.
#include <cmath>

#include "halo/friends_of_friends.hpp"
#include "sim/run/run.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::run {
namespace {

std::uint64_t outputs_within(double duration, double every)
{
    return every > 0 ? static_cast<std::uint64_t>(std::floor(duration / every + 1e-7)) + 1 : 0;
}

/// One component from a file is held twice while the initial conditions are made.
bool starts_from_file(const Config& config)
{
    for (const auto& component : config.initial_conditions.components)
        if (component.component.model == ics::Model::file) return true;
    return false;
}

}  // namespace

Forecast forecast(const Config& internal, const Exec& exec, std::uint64_t particles, std::size_t n_components,
                  double start_time)
{
    Forecast result;
    result.particles = particles;
    const double duration = std::max(0.0, internal.end_time - start_time);
    if (internal.integrator.timestep)
        result.steps = static_cast<std::uint64_t>(std::ceil(duration / *internal.integrator.timestep - 1e-7));
    result.halos = outputs_within(duration, internal.output.halos_every);
    result.snapshots = std::max(outputs_within(duration, internal.output.snapshots_every), result.halos);
    if (internal.output.snapshots_every <= 0 && result.snapshots == 0) result.snapshots = 2;
    result.pictures = outputs_within(duration, internal.output.pictures_every);
    result.diagnostics = outputs_within(duration, internal.output.diagnostics_every.value_or(duration / 100));

    const bool halos = internal.output.halos_every > 0;
    const std::size_t state = particles * Particles::bytes_per_particle();
    const auto solver = gravity::make_solver(solver_config(internal));
    const std::size_t orbits = n_components > 1 ? particles * 4 * sizeof(double) : 0;
    std::size_t moving = state + solver->scratch_bytes(exec.backend, particles) + orbits;
    if (halos) moving += halo::FriendsOfFriends::scratch_bytes(exec.backend, particles);
    const std::size_t sorted = halos ? state : 0;
    const std::size_t start = starts_from_file(internal) ? 2 * state : state;
    if (exec.backend == Backend::cuda) {
        result.cuda_bytes = moving;
        result.cpu_bytes = std::max(start, state + sorted);
    } else {
        result.cpu_bytes = std::max(start, moving + sorted);
    }
    return result;
}

}  // namespace aureole::run
