// What the orchestration of the CPU walk (walk_cpu.cpp) and the kernels compiled once per instruction set
// (walk_kernels.hpp) hand each other for one group of targets. Plain data only: those files must not
// instantiate code that other files share.
#pragma once

#include "gravity/tree/walk_task.hpp"
#include "sim/core/simd/cpu_path.hpp"

namespace aureole::gravity::tree {

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
};

/// Overwrites the sums of the targets that are there. False when each of them has to become a group.
using GroupWalk = bool (*)(const WalkTask& task, const GroupTargets& targets, GroupSums& sums);

GroupWalk group_walk_baseline();
GroupWalk group_walk_avx2();
GroupWalk group_walk_avx512();

}  // namespace aureole::gravity::tree
