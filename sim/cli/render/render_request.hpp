// The views, cameras and scales that `aureole render` makes of its options, and the check of its memory.
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
    double at = 0;  ///< coordinate of a slice
};

/// The view of --slice or --projection, --region and --size; the field is [low, high]. Throws ConfigError
/// naming the option.
PlaneRequest plane_request(const RenderCommand& command, Vec3 low, Vec3 high);

struct VolumeRequest {
    std::vector<density::Camera> cameras;  ///< one for each frame
    unsigned width = 0, height = 0;
    run::VolumeLook look;  ///< without its scale
};

/// Cameras, size and appearance of a volume. Throws ConfigError naming the option.
VolumeRequest volume_request(const RenderCommand& command, Vec3 low, Vec3 high);

/// The scale of --range, a:b with a < b, positive if logarithmic. Throws ConfigError.
run::ColourScale colour_scale(const std::string& range, bool logarithmic);

/// Whether --scale is logarithmic; without the option `otherwise`.
bool logarithmic_scale(const RenderCommand& command, bool otherwise);

/// Checks the memory of a volume. With --dry-run prints it and returns false: nothing else is to be done.
/// Throws MemoryError with the bytes needed and available, and what takes less, when it does not fit.
bool volume_fits(const RenderCommand& command, const VolumeRequest& request, const run::FieldFile& file,
                 const run::DeviceChoice& device);

/// The same of a slice or projection.
bool plane_fits(const RenderCommand& command, const PlaneRequest& request, const run::FieldFile& file);

}  // namespace aureole::cli
