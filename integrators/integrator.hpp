// The interface of integrators, the integrators by name, and the adaptive time step.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gravity/softening.hpp"
#include "integrators/clock.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/particle_limits.hpp"
#include "sim/core/registry.hpp"

namespace aureole::gravity {
class Solver;
}

namespace aureole::integrators {

/// An implementation has to define every virtual function, kept_state() among them: a scheme that keeps
/// something from step to step and forgets to say so would not continue from a checkpoint as it would have
/// without a stop.
class Integrator {
public:
    virtual ~Integrator() = default;

    /// Advances particles and `time` by dt, which may be negative, in frame(): a scheme that knows proper
    /// time or open space only has to throw ConfigError for others. Needs accelerations valid at entry,
    /// leaves them valid at exit, and potentials too when asked for.
    virtual void step(Exec exec, const ParticlesView& particles, gravity::Solver& solver, double& time,
                      double dt, bool potential) = 0;

    /// What later steps take from earlier ones beyond particles and time, for checkpoints; empty for a scheme
    /// that keeps nothing.
    virtual std::vector<double> kept_state() const = 0;

    /// Continues bit for bit as the integrator whose kept_state() `state` is. Throws IoError for a state of
    /// another scheme.
    virtual void restore_state(std::span<const double> state) = 0;

    /// Whether a step changes particles by the loops of passes.hpp alone, which leave them as they are where
    /// the watch stands still, and asks for forces before it changes anything that it keeps. The check of a
    /// step can then come after those loops of the next one, and does not hold up a GPU.
    virtual bool stands_still() const = 0;

    /// From now on steps report positions and velocities beyond limits; velocities at least at the end of the
    /// step, so that an acceleration that is not finite is always noticed.
    void set_watch(const LimitWatch& watch) { watch_ = watch; }

    /// Open space and proper time unless this says otherwise.
    void set_frame(const Frame& frame) { frame_ = frame; }

protected:
    const LimitWatch& watch() const { return watch_; }
    const Frame& frame() const { return frame_; }

private:
    LimitWatch watch_;
    Frame frame_;
};

/// The restore_state() of schemes that keep nothing: throws IoError unless `state` is empty.
void expect_no_state(std::span<const double> state);

/// `make` gets the settings of all integrators. Keys of the settings stand below `integrator.NAME.`
using IntegratorPlugin = Plugin<std::function<std::unique_ptr<Integrator>(const PluginConfigs&)>>;

/// All integrators, the built-in ones first. docs/extending.md says how to add one.
Registry<IntegratorPlugin>& integrators();

/// Throws ConfigError for an unknown name, with the known ones.
std::unique_ptr<Integrator> make_integrator(const std::string& name, const PluginConfigs& settings = {});

/// One adaptive step for all particles: eta sqrt(eps / |a|), the smallest of them (Power et al. 2003, eq.
/// 13). It follows from the accelerations of the present particles alone, so that there is nothing to keep in
/// checkpoints. Cost O(N): one read of the accelerations.
class AdaptiveTimestep {
public:
    /// Throws ConfigError unless eta and every softening length are positive and finite.
    AdaptiveTimestep(double eta, const gravity::Softening& softening);

    /// min over particles of eta sqrt(eps_i / |a_i|), eps_i of the particle's type. Infinite when nothing is
    /// accelerated (the caller caps it), NaN when an acceleration is. Waits for the result; the only transfer
    /// is that one number.
    double operator()(Exec exec, const ConstParticlesView& particles);

private:
    double eta_;
    gravity::Softening softening_;
    Buffer<double> partial_;  ///< scratch, kept between steps
};

}  // namespace aureole::integrators
