// Spherical profiles about a point: density, enclosed mass, circular velocity and the moments of the
// velocities in shells of equal width in log r. Cost O(N log bins); equal bits for any number of threads.
#pragma once

#include <optional>

#include "sim/core/particles.hpp"
#include "sim/core/spatial/box.hpp"
#include "sim/core/table.hpp"

namespace aureole::run {

/// Lengths, masses and velocities are in the particles' numbers.
struct ProfileRequest {
    Vec3 centre{};
    std::optional<Vec3>
        velocity{};  ///< of the rest frame; nothing: the mean of the particles within `largest`
    double smallest = 0, largest = 0;  ///< edges of the innermost and of the outermost shell
    std::uint32_t bins = 32;
    Box box{};                  ///< nearest images count; `largest` is at most half its side
    std::uint8_t types = 0x3f;  ///< bit t set: particles of type t count
    double gravitational_constant = 1;
    double scale_factor = 1;     ///< physical length of one unit of length, where lengths are comoving
    double velocity_factor = 1;  ///< physical velocity of one unit of velocity
};

/// One row per shell [RadiusInner, RadiusOuter), the last with its outer edge:
///   Count; Density, mass over volume; MassInside = M(<RadiusOuter), particles inside `smallest` included;
///   CircularVelocity = sqrt(G M(<RadiusOuter) / RadiusOuter); MeanRadialVelocity, mass-weighted as all that
///   follow; RadialDispersion about that mean; TangentialDispersion = sqrt(<v_t^2> / 2), one-dimensional,
///   streaming included; Anisotropy beta = 1 - sigma_t^2 / sigma_r^2 (Binney & Tremaine 2008, eq. 4.61).
/// Velocities are physical (times velocity_factor). NaN where a shell holds too little: no mass for the mean,
/// fewer than two particles for dispersions. Throws aureole::Error for edges that are not positive, rising
/// and finite, no bins, and a shell wider than half the box.
Table radial_profile(const Particles& host, const ProfileRequest& request);

/// Distance of the farthest particle of the types from `centre`; 0 without particles.
double farthest_distance(const Particles& host, const ProfileRequest& request);

}  // namespace aureole::run
