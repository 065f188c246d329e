// Projected surface density on a square grid of pixels, smoothed by the local number of particles.
//
// A pyramid of grids: cells of 1, 2, 4, ... pixels. Each particle goes, by quadratic B-spline weights, into
// the two levels between which a cell around it holds `particles_per_cell` particles; then the levels are
// summed from coarse to fine, each refined by the subdivision rule of the cubic B-spline (Lane & Riesenfeld
// 1980). A particle of level l thus becomes a C2 bell of about 2^l pixels, mass is
// conserved to rounding, and the cost is O(N + pixels) whatever the smoothing lengths are. The counts that
// choose the level come from the transpose of the same rule. Sums are integers, so bits do not depend on the
// number of threads.
#pragma once

#include <vector>

#include "sim/core/particles.hpp"

namespace aureole {

struct PlanePoint {
    double x = 0, y = 0;
};

/// The square that a picture shows. Looking along axis z: x to the right, y up. Along y: x right, z up (seen
/// from negative y). Along x: y right, z up.
struct PictureField {
    char axis = 'z';
    Vec3 centre{};
    double width = 1;  ///< side of the square
    double side = 0;   ///< of a periodic box; 0: open space
    unsigned pixels = 1000;

    PlanePoint plane(Vec3 x) const;        ///< the two coordinates in the plane of the picture
    PlanePoint offset(Vec3 x) const;       ///< from the centre, nearest image, in the plane
    PlanePoint pixel(PlanePoint d) const;  ///< of an offset; (0, 0) is the upper left corner, y down
    double pixel_size() const { return width / pixels; }
};

/// Mass per area of every pixel, [row * pixels + column], rows from the top.
struct SurfaceDensity {
    std::vector<double> total;
    std::vector<std::vector<double>>
        parts;  ///< the surface density of each component, twice as smooth as the total
};

/// The surface density of particles in host memory. Particles of component c go to part c % n_parts, if
/// n_parts > 0. Particles without mass, or with a mass or position that is not finite, are left out. Cost:
/// O(N + pixels).
SurfaceDensity projected_surface_density(const Particles& host, const PictureField& field, unsigned n_parts);

}  // namespace aureole
