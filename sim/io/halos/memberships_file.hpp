// Who belongs to which group, as another finder or an earlier find said: a .grp array or a file of labels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace aureole::io {

/// For each particle, in the order of `ids`, a number of its group, at least 0, or -1. An HDF5 file holds
/// /ParticleIDs and /GroupIDs (labels_file.hpp), in any order and with any further particles; every other
/// file is read_grp's. Throws IoError naming the file, and the particle that is missing or there twice.
std::vector<std::int64_t> read_memberships(const std::filesystem::path& file,
                                           std::span<const std::uint64_t> ids);

}  // namespace aureole::io
