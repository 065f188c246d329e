// Spherical overdensities in particles that are spread over parts and ranks: those of one rank, bit for bit.
#pragma once

#include <span>
#include <vector>

#include "halo/overdensity/overdensity.hpp"
#include "halo/ranks/find_over_parts.hpp"

namespace aureole::halo {

/// Outermost crossings (overdensity/crossing.hpp) of `density` about each part's centres, in all particles of
/// all parts: entry [k][centre * number of densities + d] is of the k-th part that is held here. Particles
/// travel once to domains of space, 40 bytes each, and then stay: each part tells the masses of its tree's
/// nodes near a centre, which bound how far out the sphere can end, and then, two or three times, sums of its
/// masses over bins of the bits of r^2. These sums are of integers and exact, so that neither the number of
/// parts nor the distribution of particles changes a bit. Masses that are zero count nowhere. Collective;
/// works on the CPU.
///
/// Throws on every rank as overdensity_spheres() does, and ArgumentError for 2^32 particles or more.
std::vector<std::vector<OverdensitySphere>> spheres_over_parts(comm::Parts& parts,
                                                               std::span<const PartParticles> held,
                                                               const Box& box,
                                                               std::span<const double> density,
                                                               const std::vector<std::vector<Vec3>>& centre);

}  // namespace aureole::halo
