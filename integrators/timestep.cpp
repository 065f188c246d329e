#include "integrators/timestep.hpp"

#include <cmath>
#include <limits>

#include "integrators/largest_pull.hpp"

namespace aureole::integrators {

AdaptiveTimestep::AdaptiveTimestep(double eta, const gravity::Softening& softening)
    : eta_(eta), softening_(softening)
{
    if (!(eta > 0 && std::isfinite(eta)))
        throw ConfigError(
            fmt::format("adaptive time step: the accuracy eta is {}, expected a positive number", eta));
    for (int type = 0; type < n_particle_types; ++type)
        if (const double eps = softening.length[type]; !(eps > 0 && std::isfinite(eps)))
            throw ConfigError(fmt::format(
                "adaptive time step: the softening length of particle type {} is {}, and the step "
                "is eta sqrt(softening / |a|); set a positive softening or a fixed time step",
                type, eps));
}

double AdaptiveTimestep::operator()(Exec exec, const ParticlesView& particles)
{
    if (particles.n == 0) return std::numeric_limits<double>::infinity();
    partial_.require(exec.backend, n_pull_partials);
    largest_pull(exec, particles, softening_, partial_.data());
    double pull = 0;
    if (exec.backend == Backend::cpu)
        pull = partial_.data()[0];
    else
        device::copy(&pull, partial_.data(), sizeof pull);
    return eta_ / std::sqrt(std::sqrt(pull));
}

}  // namespace aureole::integrators
