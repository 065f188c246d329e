// A disk as seen from far away: surface density, mean velocity and dispersion along the line of sight with
// the Gauss-Hermite coefficients h3 and h4 in pixels, and ellipses fitted to it.
#pragma once

#include "sim/analysis/disk_frame.hpp"
#include "sim/core/table.hpp"

namespace aureole::run {

/// The papers that tables are to be cited with.
inline constexpr char line_of_sight_citation[] =
    "van der Marel, R. P., Franx, M. 1993, ApJ 407, 525, doi:10.1086/172534";
inline constexpr char ellipse_citation[] =
    "Zemp, M., Gnedin, O. Y., Gnedin, N. Y., Kravtsov, A. V. 2011, ApJS 197, 30, "
    "doi:10.1088/0067-0049/197/2/30";

/// From where: the observer is far away in the direction (sin i cos a, sin i sin a, cos i) of the disk's
/// frame, degrees. 0: face-on; inclination 90: edge-on. The map's y axis is the disk's axis, as seen;
/// face-on, at azimuth -90, its x axis is the frame's.
struct SkyView {
    double inclination = 0, azimuth = -90;
};

/// Particles on the sky, in the order of the disk's.
struct SkyParticles {
    std::vector<double> mass, x, y;
    std::vector<double> velocity;  ///< along the line of sight, away from the observer positive
};

/// Throws ArgumentError for angles that are not finite.
SkyParticles on_sky(const DiskParticles& disk, const SkyView& view);

/// V, sigma, h3 and h4 of L(v) = g exp(-y^2 / 2) / (sigma sqrt(2 pi)) [1 + h3 (2 y^3 - 3 y) / sqrt 3 + h4 (4
/// y^4 - 12 y^2 + 3) / sqrt 24], y = (v - V) / sigma, by the projections of van der Marel & Franx (1993) with
/// V and sigma such that h1 = h2 = 0. NaN where these do not converge.
struct LineOfSight {
    double velocity, dispersion, h3, h4;
};
LineOfSight gauss_hermite(const std::vector<double>& masses, const std::vector<double>& velocities);

/// Least number of particles of a pixel for h3 and h4, whose standard errors are below 1 / sqrt N.
inline constexpr std::size_t least_for_shape = 200;

struct MapSettings {
    double width = 0;  ///< of the square about the centre
    int pixels = 64;   ///< along each side
};

/// One row per pixel, x fastest: X, Y of its centre, Count, SurfaceDensity, MeanVelocity and Dispersion
/// (moments; NaN for fewer than one and two particles), LineVelocity, LineDispersion, H3, H4
/// (gauss_hermite(); NaN for fewer than 200). Equal bit for bit for any number of threads. Cost: O(N), and
/// some ten passes over the particles for the shapes. Throws ArgumentError for a width that is not positive
/// and for no pixels.
Table sky_map(const SkyParticles& sky, const MapSettings& settings);

/// One row per ring between ellipses of one shape: SemiMajorAxis (the geometric mean of both), Count,
/// SurfaceDensity, AxisRatio b/a and PositionAngle (radians from x, in [0, pi)), iterated until the second
/// moments of the ring are those of its own shape (Zemp et al. 2011, in two dimensions); A4, the mean of
/// cos(4 psi) about the ellipse: above 0 pointed, below boxy (Jedrzejewski 1987); Converged. Rings are
/// `rings` in ln a between `inner` and `outer`; those with fewer than 100 particles have NaN. Throws
/// ArgumentError for radii that do not grow from above 0.
Table ellipse_table(const SkyParticles& sky, double inner, double outer, int rings);

}  // namespace aureole::run
