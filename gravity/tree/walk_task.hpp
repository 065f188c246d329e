// The two implementations of the tree walk; Tree checks what they are given.
#pragma once

#include <atomic>
#include <span>

#include "gravity/slice.hpp"
#include "gravity/tree/acceptance.hpp"
#include "gravity/tree/tree_config.hpp"
#include "sim/core/precision.hpp"
#include "sim/core/simd/cpu_path.hpp"

namespace aureole {
struct Progress;
}

namespace aureole::gravity::tree {

/// How many targets along the curve decide together; the last group may have fewer. On the CPU 4 AVX-512
/// vectors of float: 128 cost 6 % more time at a tenth less error, at alpha = 1e-4 a fifth more.
inline constexpr Index group_targets_cpu = 64, group_targets_cuda = 32;
constexpr Index group_targets(Backend backend)
{
    return backend == Backend::cpu ? group_targets_cpu : group_targets_cuda;
}

/// In the place of a node's children or bodies where they are not here (trees over many parts).
inline constexpr Index not_here = 0xffffffffu;

/// What a walk on the CPU tells about its groups: entry g of group g. Every group is walked to its end;
/// results of one that met what is not here are of no use.
struct WalkRecord {
    std::uint32_t* work = nullptr;  ///< nodes, cells and bodies of its walks
    std::uint8_t* is_incomplete = nullptr;
    std::atomic<std::size_t>* n_missing = nullptr;
    Index* missing = nullptr;  ///< slots of nodes whose children or bodies are not here, some more than once
    std::size_t most_missing = 0;
};

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
    Index n_of_all = 0;        ///< CUDA: targets that these are whole groups of, or 0: these are all
    unsigned* work = nullptr;  ///< CUDA: a group's walks add the nodes that they looked at, unless null
    /// CUDA: scratch, walk_cuda_notes_size() of them, and those of the last walk of as many targets or null.
    Index* notes = nullptr;
    const Index* last_notes = nullptr;
    WalkPlan plan;                       ///< CUDA
    unsigned most_nodes_alone = ~0u;     ///< CUDA: set by walk_cuda(), which looks at groups of more by four
    IndexRange groups{};                 ///< CUDA: that are walked
    const WalkRecord* record = nullptr;  ///< CPU: what is told, or nothing
};

/// The slice is cut at groups of targets.
void walk_cpu(const WalkTask& task, Slice slice, const Progress& progress);
/// The same for some groups.
void walk_groups_cpu(const WalkTask& task, std::span<const Index> groups);
/// What a walk notes is which groups were split, and what each cost. The next walk goes by the latter in
/// which groups start first and together; results do not depend on it.
std::size_t walk_cuda_notes_size(std::size_t n_targets, const WalkPlan& plan);
void walk_cuda(CUstream_st* stream, const WalkTask& task, Slice slice);

inline constexpr int most_targets = static_cast<int>(group_targets_cpu);

/// Places in units of the tree.
struct GroupTargets {
    Group group;
    int n;
    alignas(64) double x[most_targets], y[most_targets], z[most_targets];
    alignas(64) double eps[most_targets];  ///< in units of the group
    Index particle[most_targets];
};

/// Sums over all sources, masses of the tree and lengths of the group.
struct GroupSums {
    alignas(64) double x[most_targets], y[most_targets], z[most_targets], potential[most_targets];
    std::uint32_t work;  ///< nodes looked at, cells and bodies summed
    bool is_incomplete;  ///< a node's children or bodies are not here
};

/// Overwrites the sums of the targets that are there. False when each of them has to become a group.
using GroupKernel = bool (*)(const WalkTask& task, const GroupTargets& targets, GroupSums& sums);

/// The targets [begin, end) along the curve, at most most_targets. `nearest`: as in GroupExtent.
void gather_targets(const WalkTask& task, Index begin, Index end, double nearest, GroupTargets& to);

GroupKernel group_walk_baseline();
GroupKernel group_walk_avx2();
GroupKernel group_walk_avx512();

}  // namespace aureole::gravity::tree
