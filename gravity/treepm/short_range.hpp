// The short-range part of periodic gravity: a walk of the tree that ends at the cut.
#pragma once

#include "gravity/softening.hpp"
#include "gravity/tree/tree_view.hpp"
#include "gravity/treepm/split_pair.hpp"
#include "sim/core/precision.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::gravity::treepm {

/// How many targets along the curve walk together on the CPU.
inline constexpr Index short_range_group = 32;

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

/// On the CPU. Overwrites the outputs of the targets. Bit for bit the same for any number of threads; last
/// bits depend on the instruction set. `mixed`: pairs and cells in float, added up in double. Cost: the pairs
/// and cells within the cut of each group of neighbours along the curve.
void evaluate_short_range(const ShortRangeTask& task, Precision precision, const ForceOutputs& outputs);

/// The same on a GPU, to rounding of the precision of pairs. `split_groups` is scratch there,
/// short_range_cuda_queue_size() of them.
void evaluate_short_range_cuda(CUstream_st* stream, const ShortRangeTask& task, Precision precision,
                               Index* split_groups, const ForceOutputs& outputs);
std::size_t short_range_cuda_queue_size(std::size_t n_targets);

/// Where a solver runs: mass[i] becomes that of particle i if it is a source, else zero.
void set_source_masses(Exec exec, const ConstParticlesView& particles, const Selection& sources,
                       double* mass);

}  // namespace aureole::gravity::treepm
