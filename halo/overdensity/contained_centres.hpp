// Which spheres belong to a halo that is part of another one. About a small group at the rim of a cluster the
// outermost radius at which the mean density reaches a threshold (crossing.hpp) encloses much of the cluster:
// the sphere is as its definition says, and its mass is nearly that of the cluster. Counts of halos leave out
// those whose centre lies in the sphere of a more massive one (Tinker et al. 2008, section 2.2).
#pragma once

#include <span>
#include <vector>

#include "sim/core/spatial/box.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::halo {

/// For each halo whether its centre lies within the radius of one of larger `mass` (of equal masses, of the
/// one that comes first) that itself lies in no other. `mass`, by which halos are ranked, is not that of the
/// sphere, which may be another halo's, but that of the group. Spheres without a positive radius hold
/// nothing. `box`: a periodic one, centres anywhere, or open space. Cost: a sort, and for each sphere the
/// halos in the cells of a grid that it meets. Throws ArgumentError for arrays of different lengths.
std::vector<bool> centres_in_larger_spheres(const Box& box, std::span<const Vec3> centre,
                                            std::span<const double> radius, std::span<const double> mass);

}  // namespace aureole::halo
