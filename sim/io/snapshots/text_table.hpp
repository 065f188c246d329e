// Particles as text: one per line, `id m x y z vx vy vz`.
#pragma once

#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::io {

/// True when the file's beginning holds text only (no control characters but tabs and line ends).
bool is_text(const std::filesystem::path& file);

/// White space or commas separate the columns; `#` starts a comment; numbers use the decimal point in every
/// locale. Before the first particle may stand a line with the columns' names, in that order, or lines of one
/// number each, as the N-body literature writes them: `count`, `count time` or `index count time`; the count
/// must agree. All particles get type 1; header.units stays empty. Throws IoError naming file, line and
/// column.
Snapshot read_text_table(const std::filesystem::path& file);

}  // namespace aureole::io
