// The points of `aureole evaluate`: grids, lists and rays as one sequence of points, each computed when it is
// needed.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "sim/cli/commands.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::cli {

struct EvaluationPoints {
    std::uint64_t size = 0;
    std::function<Vec3(std::uint64_t)> at;
    std::optional<std::array<std::uint64_t, 3>> grid;  ///< points along x, y, z; z runs fastest
};

/// Throws ConfigError naming the option, and IoError for a file of points. `centre` is what --extent and
/// --radii are measured from.
EvaluationPoints evaluation_points(const EvaluateCommand& command, Vec3 centre);

}  // namespace aureole::cli
