// The comments before a text table that this program wrote: "# key: value", in which the snapshot's header
// stands.
#pragma once

#include <string_view>

#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::io {

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
