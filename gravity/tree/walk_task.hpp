// The two implementations of the tree walk; Tree checks what they are given.
#pragma once

#include "gravity/tree/acceptance.hpp"
#include "sim/core/precision.hpp"

namespace aureole::gravity::tree {

/// How many targets along the curve decide together; the last group may have fewer. On the CPU 4 AVX-512
/// vectors of float: 128 cost 6 % more time at a tenth less error, at alpha = 1e-4 a fifth more.
inline constexpr Index group_targets_cpu = 64, group_targets_cuda = 32;
constexpr Index group_targets(Backend backend)
{
    return backend == Backend::cpu ? group_targets_cpu : group_targets_cuda;
}

/// One walk for all targets.
struct WalkTask {
    TreeView tree;
    ConstParticlesView particles;
    ConstVec3View previous_acceleration;  ///< may be absent: the acceptance criterion then goes by angle
    ForceOutputs outputs;
    const Index* targets;  ///< particle indices along the curve
    Index n_targets;
    TypeSoftening softening;
    Precision precision;
    AcceptanceCriterion rule;
    Index* split_groups;  ///< CUDA: scratch, walk_cuda_queue_size() of them
};

void walk_cpu(const WalkTask& task);
std::size_t walk_cuda_queue_size(std::size_t n_targets);
void walk_cuda(CUstream_st* stream, const WalkTask& task);

}  // namespace aureole::gravity::tree
