// The tree code, O(N log N): near particles one by one, distant ones as cells with multipoles.
#pragma once

#include <memory>

#include "gravity/solver_config.hpp"
#include "gravity/tree/acceptance.hpp"
#include "gravity/tree/source_tree.hpp"
#include "gravity/tree/tree_config.hpp"
#include "gravity/watched_solver.hpp"
#include "sim/core/settings.hpp"

namespace aureole::gravity::tree {

struct TreeScratch;

/// What the configuration means for trees and walks.
AcceptanceCriterion acceptance_criterion(const gravity::Config& config);
TypeSoftening type_softening(const Softening& softening);

/// What a user may set, below `gravity.tree.`
PluginSettings settings();

/// The acceptance criterion goes by the previous accelerations of the targets (those of external fields
/// included). When no target has any, as in a first evaluation, two walks come first: one by opening angle,
/// one by its accelerations. Self and coincident bodies as in the direct sum. Open boxes only.
class Tree final : public Stateless<WatchedSolver> {
public:
    /// Throws ConfigError for an opening angle that is not positive, a negative accuracy, a leaf size out of
    /// range.
    explicit Tree(const gravity::Config& config);
    ~Tree() override;

    void prepare(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                 const TargetRequest& expected) override;
    void evaluate_slice(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                        Slice slice, const ForceOutputs& outputs) override;
    void finish(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                const ForceOutputs& outputs) override;
    std::size_t scratch_bytes(Backend where, std::size_t n) const override;
    EnergyTerms energy_terms() const override { return {}; }
    const gravity::Config& config() const noexcept { return config_; }

private:
    void build(Exec exec, const ConstParticlesView& particles, const TargetRequest& expected);
    bool accelerations_known(Exec exec, const ConstParticlesView& particles, const TargetRequest& request);

    gravity::Config config_;
    Config own_;
    TypeSoftening softening_;
    SourceTree tree_;
    Selection sources_;           ///< of the last preparation, clipped
    TargetRequest expected_;      ///< of the last build
    Index n_particles_ = 0;       ///< of the last preparation
    bool is_prepared_ = false;    ///< prepare() was called
    bool expected_next_ = false;  ///< no evaluation yet: what the build knows of the expected targets holds
    std::unique_ptr<TreeScratch> scratch_;
};

}  // namespace aureole::gravity::tree
