// What the field on a mesh (spline_field.hpp) does for each particle, for each set of instructions
// (spline_points_simd.cpp): splines of sixth order share masses among 6 points along each axis, and give
// field and gradient of the potential between the points.
#pragma once

#include "gravity/force_request.hpp"

namespace aureole::gravity {

/// Points of a spline along an axis.
inline constexpr int spline_points = 6;

/// Point (i, j, k) is value (i n + j) row + k; n is at least 8.
struct SplineMesh {
    int n;
    double per_length;  ///< cells
    std::size_t row;    ///< numbers from row to row, at least n
};

/// Adds the masses of particles list[0] to list[n - 1]. Shares are rounded to multiples of ulp(grain)
/// with grain = 3/2 of a power of two: sums that stay below grain / 3 are exact, in any order.
using DepositKernel = void (*)(const SplineMesh& mesh, const ConstParticlesView& particles, const Index* list,
                               std::size_t n, double grain, double* values);
DepositKernel spline_deposit_baseline();
DepositKernel spline_deposit_avx2();
DepositKernel spline_deposit_avx512();

/// Subtracts the gradient of the potential from the accelerations of n targets from `first` on and, where
/// that array is not null, adds it to their potentials.
using GatherKernel = void (*)(const SplineMesh& mesh, const ConstParticlesView& particles,
                              const Selection& targets, Index first, Index n, const double* potential,
                              const ForceOutputs& outputs);
GatherKernel spline_gather_baseline();
GatherKernel spline_gather_avx2();
GatherKernel spline_gather_avx512();

}  // namespace aureole::gravity
