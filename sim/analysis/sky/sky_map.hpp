// A disk as seen from far away: surface density, mean velocity and dispersion along the line of sight with
// the Gauss-Hermite coefficients h3 and h4 in pixels, and ellipses fitted to it.
#pragma once

#include "sim/analysis/disk_frame.hpp"
#include "sim/core/buffer.hpp"
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

/// Particles on the sky with their memory.
struct SkyParticles {
    Buffer<double> mass, x, y, velocity;

    SkyPoints view() const
    {
        return {static_cast<Index>(x.size()), mass.data(), x.data(), y.data(), velocity.data()};
    }
};

/// The particles of a disk, in their order and on the backend of `exec`, where `disk` is. Cost O(N). Throws
/// ArgumentError for angles that are not finite.
SkyParticles on_sky(Exec exec, const DiskView& disk, const DiskFrame& frame, const SkyView& view);

/// Cost: some ten passes. Throws nothing; NaN for no velocities.
LineOfSight gauss_hermite(const std::vector<double>& masses, const std::vector<double>& velocities);

/// Least number of particles of a pixel for h3 and h4, whose standard errors are below 1 / sqrt N.
inline constexpr std::size_t least_for_shape = 200;

struct MapSettings {
    double width = 0;  ///< of the square about the centre
    int pixels = 64;   ///< along each side
};

/// Of particles on the backend of `exec`. One row per pixel, x fastest: X, Y of its centre, Count,
/// SurfaceDensity, MeanVelocity and Dispersion (moments; NaN for fewer than one and two particles),
/// LineVelocity, LineDispersion, H3, H4 (gauss_hermite(); NaN for fewer than 200). Equal bit for bit for any
/// number of threads and on any GPU; both backends agree to rounding, shapes to what gauss_hermite() leaves
/// of h1 and h2, 1e-8. Cost: a sort of the particles by pixel and some ten passes over them for the shapes,
/// each at 128 particles a thread. Throws ArgumentError for a width that is not positive and for no pixels.
Table sky_map(Exec exec, const SkyPoints& sky, const MapSettings& settings);

/// What sky_map() and ellipse_table() of n particles take beside these, at most.
std::size_t sky_bytes(Backend where, std::size_t n, int pixels);

/// One row per ring between ellipses of one shape: SemiMajorAxis (the geometric mean of both), Count,
/// SurfaceDensity, AxisRatio b/a and PositionAngle (radians from x, in [0, pi)), iterated until the second
/// moments of the ring are those of its own shape (Zemp et al. 2011, in two dimensions); A4, the mean of
/// cos(4 psi) about the ellipse: above 0 pointed, below boxy (Jedrzejewski 1987); Converged. Rings are
/// `rings` in ln a between `inner` and `outer`; those with fewer than 100 particles have NaN. Throws
/// ArgumentError for radii that do not grow from above 0. Particles are on the backend of `exec` and are
/// sorted by distance first, so that an iteration takes those that a ring can hold. Bits as of sky_map(); an
/// iteration that ends a step earlier on one of the backends differs by 1e-4.
Table ellipse_table(Exec exec, const SkyPoints& sky, double inner, double outer, int rings);

}  // namespace aureole::run
