// Forces by several ranks: rank 0 runs a program as one process does, and the others lend it their cores for
// forces alone. Each of them holds all particles and the whole field, and evaluates a slice of the targets.
// The bits are those of one rank, since the slices of a SlicedSolver are.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "gravity/ranks/forces_by_domains.hpp"
#include "gravity/ranks/task.hpp"
#include "gravity/scf/scf.hpp"
#include "gravity/sliced_solver.hpp"
#include "sim/comm/device_moves.hpp"

namespace aureole::gravity {

/// Rank 0's solver. Each call sends what the others need, evaluates a slice here and gathers the others': 24
/// to 48 bytes of a particle are broadcast and 24 or 32 reduced. Particles lie where the moves have them: in
/// host memory, or on a GPU of each rank, where they stay.
///
/// A tree with `domains` set is spread over the ranks where all particles are sources and targets: nothing is
/// kept but a particle's work, and only its domain is on each rank. Other requests are shared as above.
///
/// Errors of the tree over domains end the job. Another error that a solver throws on any rank is agreed:
/// this one throws its own, or Error naming the rank, and the others wait for the next task. A fault in the
/// exchange itself ends the job (Communicator::abort).
class RankedSolver final : public Solver, public scf::ExpansionSource {
public:
    /// The others make an equal solver of `settings`, by the SolverMaker of their serve_forces(). `ranks`
    /// must outlive the object. Throws ConfigError, before anything is sent, for a solver that is no
    /// SlicedSolver, and what making a solver throws.
    RankedSolver(comm::Communicator& ranks, std::shared_ptr<comm::DeviceMoves> moves,
                 std::unique_ptr<Solver> solver, std::span<const std::byte> settings);

    /// On the CPU.
    RankedSolver(comm::Communicator& ranks, std::unique_ptr<Solver> solver,
                 std::span<const std::byte> settings);

    /// Throws ConfigError for particles elsewhere than the moves have them.
    void prepare(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                 const TargetRequest& expected) override;
    void evaluate(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                  const ForceOutputs& outputs) override;

    /// With the sums of slices and the copies by which changes of masses, ids and types are noticed.
    std::size_t scratch_bytes(Backend where, std::size_t n) const override;
    EnergyTerms energy_terms() const override { return solver_->energy_terms(); }
    std::vector<double> kept_state() const override { return solver_->kept_state(); }

    /// On all ranks.
    void restore_state(Exec exec, const ConstParticlesView& particles,
                       std::span<const double> state) override;

    /// Seconds of this rank's own work on forces, without exchanges and waiting for others.
    double work_seconds() const noexcept
    {
        return clock_.seconds() + (by_domains_ ? by_domains_->work_seconds() : 0);
    }

    /// The solver of this rank.
    Solver& own_solver() noexcept { return *solver_; }

    /// The others call their OtherTask with `task`; this rank then does its part.
    void begin_other(std::span<const std::byte> task);

    /// Those of the solver itself; none where it has none.
    std::vector<scf::ComponentCoefficients> coefficients() const override
    {
        return scf::coefficients_of(*solver_);
    }

private:
    /// What was sent of an array that seldom changes.
    struct Sent {
        Buffer<std::byte> bytes;
        std::size_t size = 0;
        bool is_present = false;
    };

    /// What a preparation asked for that domains may do without.
    struct Deferred {
        SourceRequest request;
        Selection targets;
    };

    void prepare_everywhere(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                            const TargetRequest& expected);
    void evaluate_by_domains(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                             const ForceOutputs& outputs);
    void expect_here(Exec exec, const ConstParticlesView& particles) const;
    bool is_sent(Exec exec, const Sent& sent, const void* array, std::size_t bytes);
    ranks::Header header_for(Exec exec, ranks::Task task, const ConstParticlesView& particles);
    void send(Exec exec, const ranks::Header& header, std::span<const std::byte> rest,
              const ConstParticlesView& particles, const ConstVec3View& previous);

    comm::Communicator& ranks_;
    std::shared_ptr<comm::DeviceMoves> moves_;
    std::unique_ptr<Solver> solver_;
    SlicedSolver& sliced_;  ///< the same
    ranks::SlowArrays<Sent> sent_;
    const Component* set_ = nullptr;  ///< where the components that were sent lie
    ConstVec3View prepared_previous_{};
    bool is_fresh_ = false;  ///< no evaluation since prepare(): the others hold these previous accelerations
    Buffer<double> sums_;
    Buffer<std::uint32_t> flag_;
    ranks::WorkClock clock_;
    std::unique_ptr<ranks::ForcesByDomains> by_domains_;  ///< of a tree over domains
    std::optional<Deferred> deferred_;
    Buffer<double> net_force_;
};

/// Makes a solver of the settings that rank 0 has sent.
using SolverMaker = std::function<std::unique_ptr<Solver>(std::span<const std::byte> settings)>;

/// Bytes beside the solvers of forces of n particles by ranks, where these have all of them: of rank 0, and
/// of each that lends it forces.
struct RankedMemory {
    std::size_t first = 0, others = 0;
};
RankedMemory ranked_memory(std::size_t n);

/// Something that ranks do beyond forces, with their equal solvers where these have been made (else null).
/// `work_seconds`: as RankedSolver has them.
using OtherTask = std::function<void(Solver* solver, double work_seconds, std::span<const std::byte> task)>;

/// What all ranks but 0 do: the tasks of rank 0's RankedSolvers, one solver at a time, until end_forces().
/// Errors are rank 0's to report. The moves are those of rank 0.
void serve_forces(comm::Communicator& ranks, comm::DeviceMoves& moves, const SolverMaker& make,
                  const OtherTask& other = {});
/// On the CPU.
void serve_forces(comm::Communicator& ranks, const SolverMaker& make);

/// The others call their OtherTask with `task`, whether or not there is a solver; rank 0 then does its part.
void begin_other(comm::Communicator& ranks, std::span<const std::byte> task);

/// Rank 0 lets the others return from serve_forces(), whether or not there was a solver.
void end_forces(comm::Communicator& ranks);

}  // namespace aureole::gravity
