// Where a camera is in each frame of a film: key frames in YAML, and what lies between them.
//
//     frames: 240
//     keys:
//       - {frame: 0, position: [60, -40, 50], look_at: [20, 20, 20]}
//       - {frame: 239, position: [11, 29.5, 17], look_at: [10.6, 29.2, 16.8], field_of_view: 30}
//
// A key also takes up, field_of_view (degrees) and height (of a view by parallel rays); what it leaves out is
// as in the key before, first of all as in the camera of the command. Before the first key and after the last
// one the camera rests.
#pragma once

#include <filesystem>
#include <vector>

#include "density/rendering/camera.hpp"

namespace aureole::run {

/// A camera for each frame. Throws ConfigError naming file, line and key, IoError when there is no such file.
std::vector<density::Camera> read_camera_path(const std::filesystem::path& file,
                                              const density::Camera& first);

/// From a camera towards a point: at the end `factor` times nearer to it than to what the camera looks at
/// now, after a turn about the vertical by so many degrees. Starts and ends softly.
struct ZoomRequest {
    Vec3 target;
    double factor = 20, turn = 0;
    unsigned frames = 100;
};
std::vector<density::Camera> zoom_path(const density::Camera& first, const ZoomRequest& zoom);

}  // namespace aureole::run
