// Symmetric tensors of halos and the ellipsoids they stand for.
#pragma once

#include <array>

#include "sim/core/vec3.hpp"

namespace aureole::halo {

struct SymmetricTensor {
    double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
};

/// Half axes a >= b >= c of the ellipsoid whose mass tensor is given, as ratios, and their directions.
struct Shape {
    double b_to_a = 0, c_to_a = 0;  ///< NaN where the tensor is zero
    /// Orthonormal, right-handed: longest, middle and shortest axis; the first two have a positive component
    /// of largest magnitude.
    std::array<Vec3, 3> axis{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
};

/// Of the plain tensor S_ij = sum m x_i x_j the ratios are those of the axes, for any ellipsoid whose density
/// is constant on similar shells. Of the reduced tensor sum m x_i x_j / r^2 (each direction counts alike;
/// taken over a sphere or all members, not iterated) they lie nearer to 1.
Shape shape_of(const SymmetricTensor& tensor);

}  // namespace aureole::halo
