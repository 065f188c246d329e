// The loops over neighbours in phase space and over pairs of masses that the search for subhalos rests on,
// compiled once per instruction set (phase_kernels_simd.cpp). All round each operation once: every set of
// instructions and the GPU agree bit for bit.
#pragma once

#include "halo/substructure/list_forces.hpp"
#include "halo/union_find.hpp"
#include "sim/core/spatial/balanced_tree.hpp"
#include "sim/core/spatial/bounding_box.hpp"

namespace aureole::halo {

inline constexpr Index phase_leaf = 16;  ///< points: one AVX-512 vector of float

using PhaseBox = BoundingBoxN<float, 6>;

/// Points of one piece of phase space in the order of a tree; arrays are readable a leaf beyond their end.
struct PhaseTreeView {
    BalancedTree shape;
    const PhaseBox* box;         ///< per node
    const float* coordinate[6];  ///< per place
    const char* friends;         ///< per node: all in it are each other's friends, and of one set
};

struct PhaseKernels {
    /// Joins the points of a leaf among themselves and with all behind them that are no farther than the root
    /// of `squared_length`.
    void (*link_leaf)(const PhaseTreeView& tree, Index leaf, UnionFind sets, float squared_length);
    /// The same of the first `n` points, all pairs.
    void (*link_pairs)(const PhaseTreeView& points, Index n, UnionFind sets, float squared_length);
    /// Squared distance of the point in `place` to its nearest neighbour, by the tree.
    float (*squared_to_nearest)(const PhaseTreeView& tree, Index place);
    /// The same among the first `n` points, all pairs.
    float (*squared_to_nearest_of)(const PhaseTreeView& points, Index n, Index place);
    /// |phi| of the members of one bucket (list_forces.hpp).
    void (*bucket_potentials)(const ForceLists& lists, Index bucket);
};

/// Of the fastest path, or the one that AUREOLE_SIMD names.
const PhaseKernels& phase_kernels();

const PhaseKernels& phase_kernels_baseline();
const PhaseKernels& phase_kernels_avx2();
const PhaseKernels& phase_kernels_avx512();

}  // namespace aureole::halo
