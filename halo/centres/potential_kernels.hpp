// The loops over pairs that searches for the most-bound particle rest on, compiled once per instruction set
// (potential_kernels_simd.cpp). All give |phi_i| = sum_j m_j / sqrt(r_ij^2 + eps^2): of many targets in
// float with what bounds the error, and of one target in double. i itself counts nothing; with eps = 0 nor
// does what shares its place.
#pragma once

#include "halo/centres/bodies.hpp"
#include "halo/centres/list_tree/multipoles.hpp"
#include "sim/core/simd/cpu_path.hpp"
#include "sim/core/sums/fixed_sum.hpp"

namespace aureole::halo {

inline constexpr int block_targets = 32;  ///< two AVX-512 vectors of float

/// Coordinates relative to an origin that is near the targets.
struct TargetBlock {
    alignas(64) float x[block_targets], y[block_targets], z[block_targets];
    alignas(64) std::int32_t number[block_targets];  ///< which source each target is
};

/// Sources relative to the targets' origin.
struct SourceRun {
    const float *x, *y, *z, *mass;
    int n;
    std::int32_t first;  ///< number of source 0, or no_targets when no target is among them
    static constexpr std::int32_t no_targets = -1;
};

/// Sums over all sources so far, per target.
struct BlockSums {
    alignas(64) double potential[block_targets];  ///< of m / s, s = sqrt(r^2 + eps^2)
    alignas(64) double slope[block_targets];      ///< of m / s^2: how fast that changes with the distances
    alignas(64) float least[block_targets];       ///< smallest s^2; where 0 the sums are not finite

    void clear();
};

/// Multipoles side by side: whole eights, filled up with ones without mass.
struct MultipoleRun {
    const double* term[list_tree::Multipole<double>::terms];
    int n;
};

inline constexpr int leaf_targets = 8;

/// Targets in double; those left over repeat another.
struct LeafTargets {
    alignas(64) double x[leaf_targets], y[leaf_targets], z[leaf_targets];
    alignas(64) std::int64_t number[leaf_targets] = {0, 1, 2, 3, 4, 5, 6, 7};
};

struct PotentialKernels {
    /// Adds the sources. Float rounds each term by less than 12 units of 2^-24, given the coordinates; at
    /// most 32 terms are summed in float.
    void (*add_sources)(const TargetBlock& targets, const SourceRun& sources, float eps2, BlockSums& sums);
    /// |phi| of one body, in double: body j goes to partial sum j mod 8. Equal bit for bit on every path.
    double (*potential)(const BodiesView& bodies, std::size_t target, double eps2);
    /// The same, each term times `unit` (a power of two) and cut to 2^-31: the order does not matter. The sum
    /// must stay below 2^62.
    SplitSum (*fixed_potential)(const BodiesView& bodies, std::size_t target, double eps2, double unit);
    /// Adds the multipoles to the expansion about `centre`: multipole k to partial sum k mod 8. Equal bit for
    /// bit on every path, as the next.
    void (*add_multipoles)(const MultipoleRun& sources, Vec3 centre, double eps2,
                           list_tree::Expansion<double>& to);
    /// Adds up to eight sources to |phi| of the targets; `own`: target k is source k.
    void (*add_leaf)(const LeafTargets& targets, const BodiesView& sources, bool own, double eps2,
                     double* potential);
};

/// Of the fastest path, or the one that AUREOLE_SIMD names.
const PotentialKernels& potential_kernels();

const PotentialKernels& potential_kernels_baseline();
const PotentialKernels& potential_kernels_avx2();
const PotentialKernels& potential_kernels_avx512();

}  // namespace aureole::halo
