// What the walk on the CPU (short_range.cpp) hands to the kernels of each instruction set
// (short_range_simd.cpp). Lengths are in units of the walk, a power of two of which the cut is about one,
// relative to the middle of a group; masses are those of the tree.
#pragma once

#include "gravity/tree/walk_task.hpp"
#include "gravity/treepm/short_range.hpp"

namespace aureole::gravity::treepm {

/// F and V of split_pair.hpp by powers of t = per_square r^2 - 1.
struct SplitPowers {
    double force[SplitPair::degree + 1], potential[SplitPair::degree + 1];  ///< zero from `degree` on
    double per_square;
    int degree;
};

/// Degrees to which truncation is about the rounding of float, for pairs within 6 r_s, else, and for the
/// derivatives that cells need: errors of 1e-6 and 1e-7 of the force at r = 0.
inline constexpr int short_degree = 10, float_degree = 14;
inline constexpr double short_up_to = 6.001;  ///< r_cut in r_s

/// All that holds for every group.
struct CpuWalk {
    const ShortRangeTask& task;
    bool potential, spline, by_type;
    bool full;             ///< all sums in double, else what float can hold in float
    bool close_in_double;  ///< softening does not keep third powers of close pairs in the range of float
    double unit;           ///< a length
    double to_unit;        ///< of a length of the tree
    double side, cut2, reach2, largest_eps;
    double tolerance;              ///< of a cell, times |a|: masses of the tree over squares of units
    SplitPowers pair[2], cell[2];  ///< for float, for double
};

/// Neighbours along the curve that walk together.
struct CpuGroup {
    int n;
    double origin[4], half[4];  ///< middle and half sides of their box, and 0
    double least_acceleration;
    alignas(64) double x[short_range_group], y[short_range_group], z[short_range_group];
    alignas(64) double eps[short_range_group];
    Index particle[short_range_group];
};

/// Overwrites the sums of the targets that are there: masses of the tree, lengths in units.
using ShortRangeKernel = void (*)(const CpuWalk& walk, const CpuGroup& group, tree::GroupSums& sums);

ShortRangeKernel short_range_baseline();
ShortRangeKernel short_range_avx2();
ShortRangeKernel short_range_avx512();

}  // namespace aureole::gravity::treepm
