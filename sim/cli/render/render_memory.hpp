// The memory that `aureole render` tells and asks for before it reads a field.
#pragma once

#include "sim/cli/render/render_request.hpp"
#include "sim/pictures/read_field.hpp"
#include "sim/run/device_choice.hpp"

namespace aureole::cli {

/// What a volume takes; with --dry-run it is printed, and the answer is false: nothing is to be done. Throws
/// MemoryError naming the bytes needed and available, and what takes less, when that will not fit.
bool volume_fits(const RenderCommand& command, const VolumeRequest& request, const run::FieldFile& file,
                 const run::DeviceChoice& device);

/// The same of a slice or projection.
bool plane_fits(const RenderCommand& command, const PlaneRequest& request, const run::FieldFile& file);

}  // namespace aureole::cli
