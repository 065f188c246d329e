// Particles as text: one per line, `id m x y z vx vy vz`.
#pragma once

#include <string_view>

#include "sim/io/snapshots/snapshot.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::io {

/// True when the file's beginning holds text only (no control characters but tabs and line ends).
bool is_text(const std::filesystem::path& file);

/// White space or commas separate the columns; `#` starts a comment; numbers use the decimal point in every
/// locale. Before the first particle may stand a line with the columns' names, in that order, or lines of one
/// number each, as the N-body literature writes them: `count`, `count time` or `index count time`; the count
/// must agree. All particles get type 1 and header.units stays empty, unless the file begins as
/// write_text_table() begins it: then its comments `# key: value` say what they are. Throws IoError naming
/// file, line and column.
Snapshot read_text_table(const std::filesystem::path& file, const SnapshotArrays& arrays = {});

/// Writes the columns with as many digits as give the same numbers again, type by type. Comments before them
/// tell time, units, box, cosmology, softening, the number of particles of each type, and the provenance.
/// Renamed when complete. Throws IoError.
void write_text_table(const std::filesystem::path& file, ConstParticlesView host,
                      const SnapshotContent& content);

/// The first line of such a table; comments of other files are no keys.
inline constexpr std::string_view text_table_signature = "# Aureole particle table";

struct TextTableHeader {
    SnapshotHeader header;
    std::array<double, n_particle_types> softening{};
    /// Rows of each type, which stand type by type; nothing where the comments do not say.
    std::optional<std::array<std::uint64_t, n_particle_types>> counts;

    /// Takes what a comment line says. Throws IoError, beginning with `place`, for a key with a value that it
    /// cannot have.
    void take(std::string_view line, const std::string& place);

    /// The comments, one a line, without the signature.
    std::string text() const;
};

}  // namespace aureole::io
