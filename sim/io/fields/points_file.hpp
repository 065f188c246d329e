// Positions at which a user asks for a field.
#pragma once

#include <filesystem>
#include <vector>

#include "sim/core/vec3.hpp"

namespace aureole::io {

/// Text with lines `x y z` (blanks or commas between, `#` for comments; a first line of names chooses the
/// columns x, y and z among others), HDF5 with a dataset /Coordinates [N, 3], or any snapshot but a text
/// table: its particles. Throws IoError naming file and line or point for anything else, for numbers that are
/// not finite, and when there is no point.
std::vector<Vec3> read_points(const std::filesystem::path& file);

}  // namespace aureole::io
