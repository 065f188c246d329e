// The position, direction and field of view of a picture. Users set a Camera; kernels make rays of its
// CameraView.
#pragma once

#include <cmath>

#include "sim/core/vec3.hpp"

namespace aureole::density {

struct Camera {
    Vec3 position{}, look_at{};
    Vec3 up{
        0, 0,
        1};  ///< the direction that is up in the picture; need not be at right angles to the line of sight
    double field_of_view = 40;  ///< from the lower to the upper edge of the picture, degrees
    double height = 0;          ///< above 0: parallel rays, and this is the height of what the picture shows
};

struct Ray {
    Vec3 origin, direction;  ///< direction of length 1
};

/// A camera and its pixels; pixel (0, 0) is the upper left one.
struct CameraView {
    Vec3 position, forward, right, up;  ///< of length 1, at right angles
    double half_height = 1;  ///< of the picture: tangent of an angle, or a length for parallel rays
    bool parallel = false;
    unsigned width = 0, height = 0;

    /// The ray through the point (x, y) of the picture in pixels; pixel centres are at halves.
    AUREOLE_HD Ray ray(double x, double y) const
    {
        const double pixel = 2 * half_height / height;
        const Vec3 offset = (pixel * (x - 0.5 * width)) * right + (pixel * (0.5 * height - y)) * up;
        if (parallel) return {position + offset, forward};
        const Vec3 towards = forward + offset;
        return {position, (1 / std::sqrt(dot(towards, towards))) * towards};
    }
};

/// Throws aureole::Error for a camera without a direction, an upright or a field of view.
CameraView camera_view(const Camera& camera, unsigned width, unsigned height);

/// A view of the whole box from a little above one of its corners.
Camera camera_on(Vec3 low, Vec3 high);

/// Between two cameras, at the share 0 to 1 of the way: the distance changes by equal factors in equal steps,
/// the direction turns evenly along the shortest way, and what is looked at moves so that the new centre
/// crosses the picture evenly as one approaches it. Both must be parallel, or neither.
Camera between(const Camera& from, const Camera& to, double share);

}  // namespace aureole::density
