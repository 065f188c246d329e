// What every gravity solver promises.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gravity/scf/scf_config.hpp"
#include "gravity/softening.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/plugin_configs.hpp"
#include "sim/core/precision.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::gravity {

using aureole::Precision;

struct Config {
    std::string solver = "direct";
    Softening softening;
    Precision precision = Precision::mixed;
    PluginConfigs plugins;  ///< each solver's own: tree::Config, scf::Config, ...
};

/// What is asked of a solver. Times are internal; ranges are particle indices; the box is open by default.
struct ForceRequest {
    double time = 0;
    bool potential = false;
    IndexRange targets{}, sources{};
    Box box{};
};

/// What the conserved energy needs beyond sum m (v^2 / 2 + phi / 2), as of the last request for potentials.
struct EnergyTerms {
    double fixed_field = 0;  ///< 1/2 sum m phi of fields that do not answer to the particles (frozen ones)
    double recentring_jumps = 0;  ///< sum so far of what recentrings of expansions changed
    std::string not_conserved;    ///< why no energy is conserved; empty when one is
};

class Solver {
public:
    virtual ~Solver() = default;

    /// Overwrites acceleration (and potential when asked) of the targets: a_i = sum over sources j != i, G
    /// = 1. Equal input gives equal bits on one backend, for any number of threads.
    virtual void accelerate(Exec exec, const ParticlesView& particles, const ForceRequest& request) = 0;

    /// Bytes of scratch that accelerate() on `n` particles keeps on `where`, for the memory forecast.
    virtual std::size_t scratch_bytes(Backend where, std::size_t n) const = 0;

    virtual EnergyTerms energy_terms() const { return {}; }

    /// The expansions behind the last evaluation with all targets and sources; none where there are none.
    virtual std::vector<scf::ComponentCoefficients> coefficients() const { return {}; }

    /// What later evaluations take from earlier ones beyond what the particles bring (their accelerations
    /// among it): for checkpoints. Empty for a solver that keeps nothing.
    virtual std::vector<double> kept_state() const { return {}; }

    /// Goes on as the solver whose kept_state() `state` is would have gone on, bit for bit; `particles` are
    /// those of its last evaluation. Throws IoError for a state of another solver or of other particles.
    virtual void restore_state(Exec exec, const ParticlesView& particles, std::span<const double> state);
};

/// The registered solver (solver_registry.hpp) of that name. Throws ConfigError for an unknown one, and for a
/// negative softening length.
std::unique_ptr<Solver> make_solver(const Config& config);

}  // namespace aureole::gravity
