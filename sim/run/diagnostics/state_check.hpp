// Checks of the numbers of a run: after every step, particles that are not finite or beyond the range of the
// arithmetic; with every row of energy.csv, the energy error.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "sim/core/error.hpp"
#include "sim/core/particle_limits.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::run {

/// A check has failed. The message says what was found and what was expected.
struct FailedCheck : Error {
    using Error::Error;
};

/// Beyond this number the cube of a distance, or the square of a speed times a mass, leaves the range of
/// doubles (solvers were found right to 1e100, and infinite at 1e150).
inline constexpr double largest_magnitude = 1e100;

/// Positions also end where neighbouring doubles are a softening length apart (an expansion's scale radius):
/// nothing on that scale can be resolved there. Lengths up to 1e-9 are taken for none.
ParticleLimits particle_limits(const Config& internal);

/// What a command that computes forces or expansions asks of the particles of a file before: positions within
/// `limits`. Throws FailedCheck naming the first one that is not.
void expect_in_range(const Particles& host, const ParticleLimits& limits);

/// The check of a run for the particles of a file, whose forces a command has computed: positions,
/// velocities, accelerations and potentials. Throws FailedCheck naming the first particle that is not finite
/// or beyond `limits`, in the numbers of the file.
void expect_computable(const Particles& host, const ParticleLimits& limits);

class StateCheck {
public:
    /// `internal` is in internal units; messages are in `units`. `before_host` is called before
    /// Simulation::host(), which is needed only when a check has failed. `doubt` is added to messages about
    /// the energy: what else may be wrong when it is not conserved.
    StateCheck(const Config& internal, const RunUnits& units, std::function<void()> before_host = {},
               std::string doubt = {});

    /// The first call checks all particles; later calls evaluate what the steps in between have recorded, and
    /// one number is transferred. Throws FailedCheck naming the first particle that is not finite, and one
    /// that is finite but beyond the limits unless the configuration says warn: then its message is returned,
    /// once in a run, and they are looked for no more. Otherwise "".
    std::string particles(Simulation& simulation);

    /// The same, but where possible the next step looks (Simulation::postpone_check()). For a state of which
    /// nothing is written.
    std::string particles_later(Simulation& simulation);

    /// Throws FailedCheck when the energy error is not a number though an energy is conserved, and when it is
    /// beyond run.checks.energy_error; with warn the latter is returned, again whenever it has doubled.
    std::string energy(const EnergyConservation& conservation);

    /// Throws FailedCheck naming the particle whose acceleration makes the adaptive step `timestep`
    /// (internal) one that time cannot grow by.
    [[noreturn]] void fail_timestep(Simulation& simulation, double timestep) const;

    const std::string& doubt() const noexcept { return doubt_; }

private:
    const Particles& host_of(Simulation& simulation) const;
    std::string description(const Particles& host, std::size_t i) const;
    std::string range_text(const Particles& host, std::size_t i) const;

    RunUnits units_;
    gravity::Softening softening_;
    ParticleLimits limits_;
    CheckConfig config_;
    std::function<void()> before_host_;
    std::string doubt_;
    double warned_ = 0;  ///< energy error of the last warning
    bool watching_ = false;
};

}  // namespace aureole::run
