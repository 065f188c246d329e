// The tree code, O(N log N): near particles one by one, distant ones as cells with multipoles.
#pragma once

#include <memory>

#include "gravity/solver.hpp"
#include "gravity/tree/opening.hpp"
#include "gravity/tree/source_tree.hpp"
#include "gravity/tree/tree_config.hpp"
#include "sim/core/settings.hpp"

namespace aureole::gravity::tree {

struct TreeScratch;

/// What the configuration means for trees and walks.
OpeningRule opening_rule(const gravity::Config& config);
TypeSoftening type_softening(const Softening& softening);

/// What a user may set, below `gravity.tree.`
PluginSettings settings();

/// Decides by the accelerations that the particles bring (those of the last evaluation, external ones too).
/// When no target has any, as in a first evaluation, a walk by opening angle and one more go before. Self and
/// coincident bodies as in the direct sum. Open boxes only.
class Tree final : public Solver {
public:
    /// Throws ConfigError for an opening angle that is not positive, a negative accuracy, a leaf size out of
    /// range.
    explicit Tree(const gravity::Config& config);
    ~Tree() override;

    void accelerate(Exec exec, const ParticlesView& particles, const ForceRequest& request) override;
    std::size_t scratch_bytes(Backend where, std::size_t n) const override;

private:
    gravity::Config config_;
    Config own_;
    TypeSoftening softening_;
    SourceTree tree_;
    std::unique_ptr<TreeScratch> scratch_;
};

}  // namespace aureole::gravity::tree
