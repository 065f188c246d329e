#include "integrators/integrator.hpp"

#include <cmath>
#include <limits>

#include "integrators/leapfrog.hpp"
#include "integrators/passes.hpp"
#include "sim/core/error.hpp"

namespace aureole::integrators {

Registry<IntegratorPlugin>& integrators()
{
    static Registry<IntegratorPlugin> registry(
        "integrator", {{"leapfrog", "kick-drift-kick leapfrog, second order, symplectic (Quinn et al. 1997)",
                        [](const PluginConfigs&) { return std::make_unique<Leapfrog>(); }}});
    return registry;
}

std::unique_ptr<Integrator> make_integrator(const std::string& name, const PluginConfigs& settings)
{
    return integrators().at(name).make(settings);
}

void expect_no_state(std::span<const double> state)
{
    if (!state.empty())
        throw IoError(
            fmt::format("a state of {} numbers is given to an integrator that keeps none", state.size()));
}

StepFactors Clock::factors(double time, double dt) const
{
    if (!background_) return {dt / 2, dt, dt / 2};
    const double end = time + dt, middle = std::sqrt(time * end);
    return {background_->kick(time, middle) / hubble_rate_, background_->drift(time, end) / hubble_rate_,
            background_->kick(middle, end) / hubble_rate_};
}

double Clock::step_of(double time, double dt) const
{
    if (!background_) return dt;
    return dt * hubble_rate_ * background_->expansion(time) * std::sqrt(time * time * time);
}

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

double AdaptiveTimestep::operator()(Exec exec, const ConstParticlesView& particles)
{
    if (particles.n == 0) return std::numeric_limits<double>::infinity();
    partial_.require(exec.backend, n_acceleration_partials);
    largest_acceleration(exec, particles, softening_, partial_.data());
    double largest = 0;
    if (exec.backend == Backend::cpu)
        largest = partial_.data()[0];
    else
        device::copy(&largest, partial_.data(), sizeof largest);
    return eta_ / std::sqrt(std::sqrt(largest));
}

}  // namespace aureole::integrators
