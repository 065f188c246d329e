// Direct summation, O(N_targets N_sources). Exact up to rounding: the reference for the approximate solvers.
#pragma once

#include <memory>

#include "gravity/solver_config.hpp"
#include "gravity/watched_solver.hpp"

namespace aureole::gravity {

struct DirectScratch;

/// Self is excluded by index, never by distance: a coincident other body contributes its softened potential.
/// With zero softening such pairs are skipped. In open space a preparation orders the sources along a
/// space-filling curve, O(N log N). Periodic boxes are summed in double precision after Ewald (ewald.hpp), on
/// the CPU only.
class Direct final : public Stateless<WatchedSolver> {
public:
    explicit Direct(const Config& config);
    ~Direct() override;

    void prepare(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                 const TargetRequest& expected) override;
    void evaluate_slice(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                        Slice slice, const ForceOutputs& outputs) override;
    void finish(Exec, const ConstParticlesView&, const TargetRequest&, const ForceOutputs&) override {}
    std::size_t scratch_bytes(Backend where, std::size_t n) const override;
    EnergyTerms energy_terms() const override { return {}; }

private:
    void build(Exec exec, const ConstParticlesView& particles, const Selection& targets);

    Config config_;
    Box box_{};                 ///< of the last preparation
    Selection sources_;         ///< of the last preparation, clipped
    Selection expected_;        ///< the targets whose extent the preparation includes
    Index n_particles_ = 0;     ///< of the last preparation
    bool is_prepared_ = false;  ///< prepare() was called
    std::unique_ptr<DirectScratch> scratch_;
};

}  // namespace aureole::gravity
