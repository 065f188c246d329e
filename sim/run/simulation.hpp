// The state that a run advances: particles on their backend, solver, integrator, time. Internal units.
#pragma once

#include <functional>
#include <memory>

#include "gravity/external/field_config.hpp"
#include "gravity/scf/coefficients.hpp"
#include "gravity/softening.hpp"
#include "integrators/integrator.hpp"
#include "sim/config/config.hpp"
#include "sim/core/memory/memory_part.hpp"
#include "sim/core/numerics/kepler_orbit.hpp"
#include "sim/core/particle_limits.hpp"
#include "sim/core/particles.hpp"
#include "sim/run/checkpoints/checkpoint_pieces.hpp"
#include "sim/run/diagnostics/energy.hpp"
#include "sim/run/diagnostics/orbit.hpp"
#include "sim/run/ranks/rank_loads.hpp"
#include "sim/run/step_watch.hpp"
#include "sim/run/timers.hpp"

namespace aureole::gravity {
struct Config;
class ExternalField;
class WithExternal;
}  // namespace aureole::gravity
namespace aureole::integrators {
class Integrator;
}
namespace aureole::comm {
class Communicator;
class DeviceMoves;
}  // namespace aureole::comm

namespace aureole::run {

class ParticleRuns;

gravity::Softening softening_of(const Config& internal);

/// The largest softening length of all types, with which potentials of halos are computed.
double largest_softening(const Config& internal);

/// The settings of the solver, from an internal configuration.
gravity::Config solver_config(const Config& internal);

/// The perturber of an internal configuration whose galaxy_mass is settled; nothing when there is none.
std::optional<gravity::KeplerPerturberConfig> perturber_config(const Config& internal);

/// Throws ConfigError where the solver of an internal configuration cannot treat its box on that backend.
void expect_box_possible(const Config& internal, const Exec& exec);

/// Ranks that share the forces of a simulation, and what the others make an equal solver of.
struct SharedForces {
    comm::Communicator* ranks = nullptr;       ///< null: this process alone
    std::shared_ptr<comm::DeviceMoves> moves;  ///< with ranks
    std::vector<std::byte> settings;
};

/// The solver and the external fields of that configuration. With ranks this one's solver lets them share
/// self-gravity.
std::unique_ptr<gravity::WithExternal> make_forces(const Config& internal, const SharedForces& shared = {});

/// Its external fields.
std::vector<std::unique_ptr<gravity::ExternalField>> make_fields(const Config& internal);

/// The softening lengths of the adaptive step. For expansions, which have none, the smallest scale radius.
gravity::Softening step_lengths(const Config& internal);

/// What a simulation keeps from step to step in addition to its particles.
struct SimulationState {
    double time = 0;
    EnergyBalance balance;
    double external_power = 0;       ///< in comoving runs minus the kinetic energy
    std::vector<double> solver;      ///< gravity::Solver::kept_state()
    std::vector<double> integrator;  ///< integrators::Integrator::kept_state()
};

class Simulation {
public:
    /// Moves `start` (host) to where `exec` runs and evaluates the first forces, with potentials.
    Simulation(Exec exec, Particles start, double time, const Config& internal, Timers& timers,
               const SharedForces& shared = {});

    /// Continues from `state` and `particles`, which are state() and host() of the same time. Nothing is
    /// evaluated: the accelerations are those of the particles.
    Simulation(Exec exec, Particles particles, const SimulationState& state, const Config& internal,
               Timers& timers, const SharedForces& shared = {});
    ~Simulation();
    SimulationState state() const;

    double time() const noexcept { return time_; }
    std::size_t size() const noexcept { return particles_.size(); }
    Exec exec() const noexcept { return exec_; }
    ParticlesView view();

    /// The time step of the criterion for the present state, in comoving runs that of ln a; infinite when no
    /// particle is accelerated.
    double adaptive_timestep();

    /// In which the particles move.
    const integrators::Frame& frame() const noexcept { return frame_; }

    /// Advances by `dt` to `end`, the exact time after the step. Potentials are valid afterwards only with
    /// `potential`.
    void step(double dt, double end, bool potential);

    /// Checks all particles against the limits now, and from now on the new positions and velocities of every
    /// step.
    void watch(const ParticleLimits& limits);

    /// Whether no particle was beyond the limits since watch(). Waits for the last step; one number is
    /// transferred.
    bool within_limits();

    /// Leaves it to the next step to look at the last one, before its forces: step() then throws
    /// UnphysicalState, with the particles and the time as they were. Until then the particles may be
    /// unphysical: nothing of them is to be written. False where within_limits() has to be asked instead.
    bool postpone_check();

    const EnergyBalance& energy_balance() const noexcept { return balance_; }

    /// The body of an external field at the present time; nothing where no field has one.
    std::optional<PhaseSpacePoint> perturber() const;

    /// Forces and potentials of the present state.
    void evaluate();

    /// What the ranks that share the forces had to do so far; of one process the seconds of its forces.
    RankLoads loads_of_ranks() const;

    /// The particles in host memory: themselves on the CPU, host_copy() of a GPU.
    const Particles& host();

    /// A copy of the particles in host memory that no step changes. It lasts until the next one is made, in
    /// memory that is kept: at the first call of a new state.
    const Particles& host_copy();

    /// Whether every rank has particles of the present time, so that it can write them.
    bool has_runs_of_ranks() const;

    /// All ranks write theirs (ParticleRuns::write_pieces).
    CheckpointPieces write_pieces(std::uint64_t step, const std::filesystem::path& folder);

    /// Particles in host memory of which masses, ids, types and components alone are those of the present.
    const Particles& host_of_any_time() const
    {
        return exec_.backend == Backend::cpu ? particles_ : host_copy_;
    }

    /// `finish` is called before another copy takes the place of the one before, to wait for its readers.
    void before_copy(std::function<void()> finish) { before_copy_ = std::move(finish); }

    /// The expansions behind the present forces; none where the solver has none.
    std::vector<gravity::scf::ComponentCoefficients> coefficients() const;

    /// The ranges of particles of equal component numbers, and those numbers.
    std::span<const IndexRange> component_ranges() const noexcept { return component_ranges_; }
    std::span<const Component> components() const noexcept { return components_; }

    /// Potentials of the particles of each range from those of the same range alone, without external fields:
    /// indexed as the particles are, in the memory of the backend, until the next call. Changes no particle.
    /// Solvers that go by accelerations find the present ones.
    const double* own_potentials(std::span<const IndexRange> ranges);

    /// Those of one range, copied to the host.
    std::vector<double> own_potential(IndexRange range);

private:
    Simulation(Exec exec, double time, const Config& internal, Timers& timers, const SharedForces& shared);
    void take(Particles particles, const Config& internal);
    void book_external_work(double dt);
    double external_power();
    bool step_by_runs(double dt, double end, bool potential);

    Exec exec_;
    Particles particles_, host_copy_;
    std::vector<IndexRange> component_ranges_;
    std::vector<Component> components_;  ///< of the ranges
    Vec3Buffer scratch_acceleration_;
    Buffer<double> scratch_potential_;
    std::unique_ptr<gravity::WithExternal> forces_;
    EnergyBalance balance_;
    double external_power_ = 0;  ///< of the present state
    integrators::Frame frame_;
    Buffer<double> kinetic_;  ///< scratch
    std::unique_ptr<integrators::Integrator> integrator_;
    std::optional<integrators::AdaptiveTimestep> adaptive_;
    double eta_ = 0, step_length_ = 0;  ///< of the adaptive step of expansions
    Timers& timers_;
    double time_;
    StepWatch watch_;
    bool is_watched_ = false;
    bool host_copy_valid_ = false;
    std::function<void()> before_copy_;
    SharedForces shared_;
    std::unique_ptr<ParticleRuns> runs_;  ///< where ranks may keep particles of their own
};

}  // namespace aureole::run
