// The short-range part of periodic gravity: a walk of the tree that ends at the cut, on the CPU.
#pragma once

#include "gravity/softening.hpp"
#include "gravity/tree/tree_view.hpp"
#include "gravity/treepm/split_pair.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::gravity::treepm {

struct ShortRangeTask {
    tree::TreeView tree;
    ConstParticlesView particles;
    const Index* targets;  ///< particle indices along the curve
    Index n_targets;
    ConstVec3View previous_acceleration;  ///< of the whole field; absent, or zero: all cells are opened
    double tolerance;                     ///< error of one cell over the least |a| of a group
    double softening_error;               ///< of a cell that is taken as if it were not softened
    Softening softening;
    Box box;  ///< its side is at least twice the cut
    const SplitPair* pair;
};

/// Overwrites the outputs of the targets. Bit for bit the same for any number of threads. Cost: the pairs and
/// cells within the cut of each group of neighbours along the curve.
void evaluate_short_range(const ShortRangeTask& task, const ForceOutputs& outputs);

}  // namespace aureole::gravity::treepm
