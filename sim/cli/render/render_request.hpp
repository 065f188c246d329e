// What `aureole render` is to show: from options to views, cameras and scales.
#pragma once

#include "density/rendering/plane_image.hpp"
#include "sim/cli/commands.hpp"
#include "sim/pictures/camera_path.hpp"
#include "sim/pictures/read_field.hpp"
#include "sim/pictures/volume_painter.hpp"
#include "sim/run/device_choice.hpp"

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

/// What a volume takes; with --dry-run it is printed, and the answer is false: nothing is to be done. Throws
/// MemoryError naming the bytes needed and available, and what takes less, when that will not fit.
bool volume_fits(const RenderCommand& command, const VolumeRequest& request, const run::FieldFile& file,
                 const run::DeviceChoice& device);

/// The same of a slice or projection.
bool plane_fits(const RenderCommand& command, const PlaneRequest& request, const run::FieldFile& file);

}  // namespace aureole::cli
