// Profiles of a disk in rings of equal numbers of particles: surface density, rotation, dispersions, heights,
// harmonics, and the circular velocity of the mass of all particles. Cost O(N log N).
#pragma once

#include <span>

#include "sim/analysis/disk_moments.hpp"
#include "sim/core/table.hpp"

namespace aureole::run {

/// Half-mass |z| of a sech^2(z / z_d) layer in units of z_d: artanh(1/2).
inline constexpr double sech_squared_half_mass = 0.5493061443340549;

/// Mass of all particles within each of the rising `radii` about the centre, the radius itself included.
/// `particles`: on the backend of `exec`. Sums are order-free. Cost O(N log of the number of radii).
std::vector<double> masses_within(Exec exec, const ConstParticlesView& particles, Vec3 centre,
                                  std::span<const double> radii);

/// One row per ring of `disk`, which is in its frame:
///   RadiusInner, Radius (median), RadiusOuter, Count; SurfaceDensity, mass over area;
///   MeanRadialVelocity, RotationVelocity (mean v_phi), mass-weighted as all that follow; RadialDispersion,
///   AzimuthalDispersion, VerticalDispersion about the means; RadialAzimuthal, their covariance;
///   MeanHeight; RmsHeight about it; HalfMassHeight, half of the ring's mass being within it of the mean;
///   SechHeight = that / 0.5493, the z_d of sech^2(z / z_d);
///   A1 to A4 with NoiseAmplitude, and Phase2 of the maximum, radians from the frame's x axis;
///   MassInside: all `particles` within a sphere of Radius about the centre;
///   SphericalCircularVelocity = sqrt(G MassInside / Radius): spherical, the disk's flattening is left out;
///   SphericalEpicyclicFrequency from the same mass, kappa^2 = G (M + R dM/dR) / R^3, dM/dR over the ring;
///   SphericalToomreQ = sigma_R kappa / (3.36 G Sigma) with that kappa and this ring's Sigma alone.
/// NaN where a ring holds too little: no mass, no area, fewer than two particles for dispersions.
/// `disk` and `particles` are on the backend of `exec`.
Table disk_profile(Exec exec, const DiskView& disk, const std::vector<DiskRing>& rings,
                   const std::vector<RingMoments>& moments, const ConstParticlesView& particles, Vec3 centre,
                   double gravitational_constant = 1);

/// What these take on a GPU beside the disk, which has that many rings.
std::size_t disk_profile_bytes(Backend where, std::size_t n, std::size_t n_rings, std::size_t n_particles);

}  // namespace aureole::run
