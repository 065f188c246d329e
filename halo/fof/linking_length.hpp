// Linking lengths from what a user knows instead: b and a mean separation, or the density at a group's
// boundary.
#pragma once

#include "halo/fof/friends_of_friends.hpp"
#include "halo/groups.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::halo {

/// Particles whose type links.
std::size_t number_linking(const Particles& host, std::uint8_t linking_types);

/// side / n^(1/3). Throws aureole::Error for open space or no particles.
double mean_separation(const Box& box, std::size_t n_linking);

/// Of particles without a box: (volume / n)^(1/3) of the smallest axis-parallel box around the linking ones;
/// (area / n)^(1/2) when they are flat, length / n on a line (an axis below 1e-6 of the longest does not
/// count). Throws aureole::Error when they share a point or there are none.
double bounding_box_separation(const Particles& host, std::uint8_t linking_types);

/// The l whose groups end where the number density is n: n = 0.653 / l^3 (More et al. 2011).
double length_of_boundary_density(double number_density);

/// Velocities become (v - mean) / sigma of their group, each particle counting alike, sigma one-dimensional;
/// 0 where sigma is 0 and outside groups. In such velocities psi = k links as psi = k sigma does inside each
/// group; and groups that differ lie farther apart than the linking length. In host memory.
void scale_by_dispersion(const Vec3View& velocity, const Groups& groups);

}  // namespace aureole::halo
