// Moments of the particles of a disk in rings, on either backend: what profiles and bars are made of. The
// disk is in its frame, sorted by radius (disk_frame.hpp). Sums are over pieces in that order: their bits
// repeat for any number of threads, and both backends agree to rounding. Cost O(N).
#pragma once

#include <array>
#include <functional>
#include <span>

#include "sim/analysis/disk_frame.hpp"
#include "sim/analysis/disk_loops.hpp"

namespace aureole::run {

inline constexpr int n_harmonics = 4;

/// The amplitudes and phases of the harmonics m = 1 to 4 of one ring; NaN without mass. Particles at R = 0
/// have no azimuth and count in the mass alone.
struct RingHarmonics {
    double mass = 0;
    double noise = 0;                             ///< sqrt(pi / 4 N), N = (sum mass)^2 / sum mass^2
    std::array<double, n_harmonics> amplitude{};  ///< A_m, entry m - 1
    std::array<double, n_harmonics> phase{};      ///< of the maximum, in (-pi/m, pi/m]
};

/// Of one ring. Means and squares are NaN without mass.
struct RingMoments {
    RingHarmonics harmonics;
    double mass = 0;
    Vec3 mean;              ///< velocity, R, phi, z
    Vec3 variance;          ///< about it
    double covariance = 0;  ///< of v_R and v_phi
    double height = 0, height_variance = 0;
    double xx = 0, xy = 0, yy = 0;  ///< sums of mass x^2, x y, y^2
    double bending[2] = {0, 0};     ///< sums of mass z cos(2 phi), z sin(2 phi)
};

/// Two passes over the particles of the rings, which cover the disk.
std::vector<RingMoments> ring_moments(Exec exec, const DiskView& disk, const std::vector<DiskRing>& rings);
std::vector<RingMoments> ring_moments(const DiskParticles& disk, const std::vector<DiskRing>& rings);

/// For each ring the height within which half of its mass lies of its mean height; NaN without mass. Where
/// half lies between two particles (to 1e-12), the mean of their heights. Cost: two sorts.
std::vector<double> half_mass_heights(Exec exec, const DiskView& disk, const std::vector<DiskRing>& rings,
                                      const std::vector<RingMoments>& moments);

/// Calls `sum` with room for the sums of one range of particles, and adds them up: `width` numbers.
std::vector<double> sum_range(Exec exec, std::size_t begin, std::size_t end, int width,
                              const std::function<void(const RangeSums&)>& sum);

/// What these take on the backend for n particles in that many rings.
std::size_t disk_moment_bytes(Backend where, std::size_t n, std::size_t n_rings);

}  // namespace aureole::run
