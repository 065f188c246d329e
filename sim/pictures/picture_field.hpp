// The square that a picture of particles shows, for host and device code.
#pragma once

#include "sim/core/spatial/box.hpp"

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

    /// The two coordinates in the plane of the picture.
    AUREOLE_HD PlanePoint plane(Vec3 x) const
    {
        if (axis == 'x') return {x.y, x.z};
        if (axis == 'y') return {x.x, x.z};
        return {x.x, x.y};
    }
    /// From the centre, nearest image, in the plane.
    AUREOLE_HD PlanePoint offset(Vec3 x) const { return plane(Box{side}.nearest(x - centre)); }
    /// Of an offset; (0, 0) is the upper left corner, y down.
    AUREOLE_HD PlanePoint pixel(PlanePoint d) const
    {
        return {(0.5 + d.x / width) * pixels, (0.5 - d.y / width) * pixels};
    }
    AUREOLE_HD double pixel_size() const { return width / pixels; }

    /// The speed of a velocity away from who looks.
    AUREOLE_HD double recession(Vec3 v) const { return axis == 'y' ? v.y : axis == 'x' ? -v.x : -v.z; }
};

}  // namespace aureole
