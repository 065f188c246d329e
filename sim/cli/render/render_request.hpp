// What `aureole render` is to show: from options to views, cameras and scales.
#pragma once

#include "density/rendering/plane_image.hpp"
#include "sim/cli/commands.hpp"
#include "sim/pictures/camera_path.hpp"
#include "sim/pictures/volume_painter.hpp"

namespace aureole::cli {

struct PlaneRequest {
    density::PlaneView view;
    double at = 0;  ///< of a slice
};

/// Of --slice or --projection, --region and --size; [low, high] is the field. Throws ConfigError naming the
/// option.
PlaneRequest plane_request(const RenderCommand& command, Vec3 low, Vec3 high);

struct VolumeRequest {
    std::vector<density::Camera> cameras;  ///< one for each frame
    unsigned width = 0, height = 0;
    run::VolumeLook look;  ///< without its scale
};

/// Of the options for cameras, paths, size and look. Throws ConfigError naming the option.
VolumeRequest volume_request(const RenderCommand& command, Vec3 low, Vec3 high);

/// a:b with a < b, positive if logarithmic. Throws ConfigError.
run::ColourScale colour_scale(const std::string& range, bool logarithmic);

/// As --scale says; without it, `otherwise`.
bool logarithmic_scale(const RenderCommand& command, bool otherwise);

}  // namespace aureole::cli
