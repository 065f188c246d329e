// The centre of a group of bodies by shrinking spheres (Power et al. 2003): the centre of mass inside a
// sphere that shrinks by 5 % until it holds a hundredth of the bodies, at least 50. It follows the densest
// part, whatever halo or debris surrounds it. Cost O(N) per shrinking, some 100 of them.
#pragma once

#include <span>
#include <vector>

#include "sim/core/vec3.hpp"

namespace aureole {

/// Masses and coordinates in host memory, one array each, all of one length.
struct PointMasses {
    std::span<const double> mass, x, y, z;

    Vec3 load(Index i) const { return {x[i], y[i], z[i]}; }
};

struct InnerSphere {
    Vec3 centre;
    std::vector<Index> members;  ///< what the last sphere holds, in rising order
};

/// `members` are indices into `points`; no members or no mass give the origin.
InnerSphere shrinking_sphere(const PointMasses& points, std::vector<Index> members);

}  // namespace aureole
