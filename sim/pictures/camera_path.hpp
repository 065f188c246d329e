// The camera of each frame of a film, interpolated between key frames in YAML.
//
//     frames: 240
//     keys:
//       - {frame: 0, position: [60, -40, 50], look_at: [20, 20, 20]}
//       - {frame: 239, position: [11, 29.5, 17], look_at: [10.6, 29.2, 16.8], field_of_view: 30}
//
// A key also takes up, field_of_view (degrees) and height (of a view by parallel rays); what a key leaves out
// is that of the key before, and for the first key that of the camera of the command. Before the first and
// after the last key the camera rests.
#pragma once

#include <filesystem>
#include <vector>

#include "density/rendering/camera.hpp"

namespace aureole::run {

/// The camera of each frame. Throws ConfigError naming file, line and key, and IoError when there is no such
/// file.
std::vector<density::Camera> read_camera_path(const std::filesystem::path& file,
                                              const density::Camera& first);

/// A film from a camera towards a point: at the end the distance is `factor` times less than from the first
/// camera to what it looks at, after a turn about the vertical by `turn` degrees. Speed rises from 0 and
/// falls to 0.
struct ZoomRequest {
    Vec3 target;
    double factor = 20, turn = 0;
    unsigned frames = 100;
};
std::vector<density::Camera> zoom_path(const density::Camera& first, const ZoomRequest& zoom);

}  // namespace aureole::run
