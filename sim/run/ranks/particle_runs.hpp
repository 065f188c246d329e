// Steps of a run whose particles lie on all ranks: in a field of expansions no rank needs the places of
// another's particles, so that each keeps and moves a run of them, and only sums of the expansions travel.
// The set of rank 0 falls behind, and is brought up to date where something reads it.
#pragma once

#include <memory>
#include <optional>

#include "gravity/external/external_field.hpp"
#include "gravity/ranks/ranked_solver.hpp"
#include "integrators/integrator.hpp"
#include "sim/core/particles.hpp"
#include "sim/run/checkpoints/checkpoint_pieces.hpp"
#include "sim/run/ranks/rank_loads.hpp"
#include "sim/run/step_watch.hpp"

namespace aureole::run {

/// What rank 0 says to the others before all do it.
struct RunTask {
    enum class Kind : std::uint32_t { take, step, collect, tell_load, longest_step, write_piece };

    Kind kind = Kind::take;
    std::uint32_t potential = 0;       ///< step: as Integrator::step() has it
    std::uint32_t watches = 0;         ///< step: whether the limits are new
    std::uint32_t is_first = 0;        ///< take: for a solver that had no run yet
    Index n = 0;                       ///< take: of all ranks
    double time = 0, dt = 0;           ///< step
    double eta = 0, length = 0;        ///< longest_step: as AdaptiveTimestep has them, of all types
    std::uint64_t number_of_step = 0;  ///< write_piece
    ParticleLimits limits{};
};

using gravity::Slice;
using ExternalFields = std::vector<std::unique_ptr<gravity::ExternalField>>;

/// Bytes of the run of a rank, of n particles of all, for the forecast: an eighth more than the mean, as runs
/// are cut between pieces.
std::size_t particle_run_bytes(std::size_t n, int n_ranks);

/// The particles of one rank. Every rank has one and performs the same tasks, which are collective; what goes
/// wrong inside of a step or a move ends the job.
class ParticleRun {
public:
    /// The solver has made the field of all particles once. `fields`, which do no work, act on them, too.
    ParticleRun(Exec exec, comm::Communicator& ranks, comm::DeviceMoves& moves, gravity::scf::Scf& solver,
                const ExternalFields& fields, Timers& timers);
    ~ParticleRun();

    /// `whole`: all particles on rank 0, null elsewhere.
    void perform(const RunTask& task, const ParticlesView* whole);

    /// Every rank writes its particles to `folder` of rank 0, which the others do not know: pieces of a
    /// checkpoint, which are on the disk after. None where that is not one folder which all ranks see. Throws
    /// Error on all ranks when one of them cannot write. Collective.
    CheckpointPieces write_piece(std::uint64_t step, const std::filesystem::path& folder);

    /// Of the particles of all ranks after the last step, which were looked at if they are watched.
    bool within_limits() const noexcept { return within_limits_; }

    /// Of the particles of all ranks, what the last task longest_step has found.
    double longest_step() const noexcept { return longest_step_; }

    /// Of forces in steps; on the CPU without the exchange of sums.
    double forces_seconds() const noexcept { return forces_seconds_; }

private:
    class Forces;

    ParticlesView view();
    Slice slice() const;
    void take(Index n, const ParticlesView* whole);
    void step(const RunTask& task);
    void find_longest_step(const RunTask& task);
    void move(bool from_first, const ParticlesView* whole, std::span<double* const> of_whole,
              std::span<double* const> of_run);
    void move_all(bool from_first, const ParticlesView* whole);
    bool all_say(bool yes);

    Exec exec_;
    comm::Communicator& ranks_;
    comm::DeviceMoves& moves_;
    gravity::scf::Scf& solver_;
    const ExternalFields& fields_;
    Timers& timers_;
    std::unique_ptr<integrators::Integrator> integrator_;
    std::optional<integrators::AdaptiveTimestep> adaptive_;
    Particles particles_;
    Index n_ = 0;                                ///< of them
    std::vector<std::vector<IndexRange>> runs_;  ///< of all ranks, as Scf::runs() has them
    Buffer<double> others_;                      ///< what travels past this rank
    gravity::scf::SharedPieces pieces_;
    StepWatch watch_;
    bool is_watched_ = false, within_limits_ = true;
    double forces_seconds_ = 0, longest_step_ = 0;
};

/// Rank 0's side. It lets the others perform what it does.
class ParticleRuns {
public:
    /// Null where the solver is no expansion on several ranks, or one of the fields does work, which is a sum
    /// over all particles after every step. The others have equal fields.
    static std::unique_ptr<ParticleRuns> of(Exec exec, comm::Communicator& ranks, comm::DeviceMoves& moves,
                                            gravity::Solver& self_gravity, const ExternalFields& fields,
                                            Timers& timers);

    ParticleRuns(Exec exec, comm::Communicator& ranks, comm::DeviceMoves& moves,
                 gravity::RankedSolver& solver, gravity::scf::Scf& expansion, const ExternalFields& fields,
                 Timers& timers);

    /// Whether a step to `end` can be made by runs; otherwise the particles of rank 0 have to make it, and
    /// renew() must be called after.
    bool can_step(double end, bool potential) const;

    /// As Leapfrog::step() in open space and proper time, with its bits. From now on the particles of rank 0
    /// are those of an earlier time.
    void step(const ParticlesView& whole, double time, double dt, bool potential);

    /// Whether the particles of rank 0 are those of an earlier time.
    bool is_ahead() const noexcept { return is_behind_; }

    /// Of those of all ranks, while they are ahead: AdaptiveTimestep with one softening length.
    double longest_step(double eta, double length, const ParticlesView& whole);

    /// Whether the runs of all ranks are the particles of the present time.
    bool has_runs() const noexcept { return has_runs_; }

    /// All ranks write these, to a folder that all must see: none otherwise. Throws IoError, or MemoryError
    /// of this rank.
    CheckpointPieces write_pieces(std::uint64_t step, const std::filesystem::path& folder);

    /// Brings the particles of rank 0 up to date, where they are not.
    void collect(const ParticlesView& whole);

    /// The particles of rank 0 have changed: the next step begins with them. Collect first.
    void renew() noexcept { has_runs_ = has_looked_ = false; }

    /// From now on every step looks for particles beyond the limits.
    void watch(const ParticleLimits& limits);
    /// Whether the last step was made by runs since watch() and renew(), and what it has found.
    bool has_looked() const noexcept { return has_looked_; }
    bool within_limits() const noexcept { return own_.within_limits(); }

    double forces_seconds() const noexcept { return own_.forces_seconds(); }

private:
    void perform(const RunTask& task, const ParticlesView& whole);

    gravity::RankedSolver& solver_;
    gravity::scf::Scf& expansion_;
    const ExternalFields& fields_;
    ParticleRun own_;
    std::optional<ParticleLimits> new_limits_, limits_;
    bool is_first_ = true, has_runs_ = false, is_behind_ = false, has_looked_ = false;
};

/// What ranks that share the forces of `solver` have to do; `runs` may be null.
RankLoads loads_of_ranks(comm::Communicator& ranks, const comm::DeviceMoves& moves,
                         gravity::RankedSolver& solver, const ParticleRuns* runs);

/// The side of the other ranks.
class ParticleRunServer {
public:
    ParticleRunServer(comm::Communicator& ranks, comm::DeviceMoves& moves) : ranks_(ranks), moves_(moves) {}

    /// Of the run that begins.
    void set_fields(ExternalFields fields)
    {
        own_.reset();
        fields_ = std::move(fields);
    }

    /// `work_seconds`: of other forces on this rank.
    void perform(gravity::Solver& solver, double work_seconds, std::span<const std::byte> task);

private:
    comm::Communicator& ranks_;
    comm::DeviceMoves& moves_;
    Timers timers_;
    ExternalFields fields_;
    std::unique_ptr<ParticleRun> own_;
};

}  // namespace aureole::run
