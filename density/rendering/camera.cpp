#include "density/rendering/camera.hpp"

#include <algorithm>
#include <numbers>

#include "sim/core/error.hpp"

namespace aureole::density {
namespace {

Vec3 unit(Vec3 v) { return (1 / length(v)) * v; }

/// The direction at a share of the arc between two of length 1; the opposite one is reached through any.
Vec3 turned(Vec3 from, Vec3 to, double share)
{
    const double angle = std::atan2(length(cross(from, to)), dot(from, to));
    if (angle < 1e-9) return to;
    Vec3 side = to - dot(from, to) * from;
    if (length(side) < 1e-9) {  // half a turn
        side = std::abs(from.z) < 0.9 ? Vec3{-from.y, from.x, 0} : Vec3{0, -from.z, from.y};
    }
    return std::cos(share * angle) * from + std::sin(share * angle) * unit(side);
}

double geometric(double from, double to, double share) { return from * std::pow(to / from, share); }

}  // namespace

CameraView camera_view(const Camera& camera, unsigned width, unsigned height)
{
    AUREOLE_EXPECT(width >= 1 && height >= 1, "the picture has {} x {} pixels, expected at least one", width,
                   height);
    const Vec3 sight = camera.look_at - camera.position;
    AUREOLE_EXPECT(length(sight) > 0 && std::isfinite(length(sight)),
                   "a camera at ({}, {}, {}) that looks at ({}, {}, {}): expected two places",
                   camera.position.x, camera.position.y, camera.position.z, camera.look_at.x,
                   camera.look_at.y, camera.look_at.z);
    const Vec3 forward = unit(sight), sideways = cross(forward, camera.up);
    AUREOLE_EXPECT(length(sideways) > 1e-9 * length(camera.up) && std::isfinite(length(sideways)),
                   "a camera whose up ({}, {}, {}) lies along its line of sight: expected another direction",
                   camera.up.x, camera.up.y, camera.up.z);
    const bool parallel = camera.height != 0;
    AUREOLE_EXPECT(!parallel || (camera.height > 0 && std::isfinite(camera.height)),
                   "a view of height {}: expected a length above 0", camera.height);
    AUREOLE_EXPECT(parallel || (camera.field_of_view > 0 && camera.field_of_view < 180),
                   "a field of view of {} degrees: expected an angle between 0 and 180",
                   camera.field_of_view);
    const Vec3 right = unit(sideways);
    const double tangent = std::tan(camera.field_of_view / 360 * std::numbers::pi);
    return {camera.position, forward, right, cross(right, forward), parallel ? camera.height / 2 : tangent,
            parallel,        width,   height};
}

Camera camera_on(Vec3 low, Vec3 high)
{
    Camera camera;
    camera.look_at = 0.5 * (low + high);
    camera.field_of_view = 30;
    const double radius = 0.5 * length(high - low);
    // the sphere around the box reaches a little beyond the picture, its corners do not
    const double distance = 0.97 * radius / std::sin(camera.field_of_view / 360 * std::numbers::pi);
    camera.position = camera.look_at + distance * unit(Vec3{1, -1.7, 0.85});
    return camera;
}

Camera between(const Camera& from, const Camera& to, double share)
{
    AUREOLE_EXPECT((from.height > 0) == (to.height > 0),
                   "one camera has parallel rays and the other has not, expected both or neither");
    if (share <= 0) return from;
    if (share >= 1) return to;
    const Vec3 first = from.position - from.look_at, last = to.position - to.look_at;
    const double begin = length(first), end = length(last), distance = geometric(begin, end, share);
    AUREOLE_EXPECT(begin > 0 && end > 0,
                   "a camera is at the point that it looks at, expected two different points");
    const Vec3 way = to.look_at - from.look_at;
    Camera camera;
    // near the end of an approach, and near the beginning of a retreat, the centre stays in sight
    camera.look_at = end <= begin ? to.look_at - ((1 - share) * distance / begin) * way
                                  : from.look_at + (share * distance / end) * way;
    camera.position = camera.look_at + distance * turned(unit(first), unit(last), share);
    camera.up = turned(unit(from.up), unit(to.up), share);
    camera.field_of_view = geometric(from.field_of_view, to.field_of_view, share);
    camera.height = from.height > 0 ? geometric(from.height, to.height, share) : 0;
    return camera;
}

}  // namespace aureole::density
