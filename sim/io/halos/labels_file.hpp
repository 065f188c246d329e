// The group of each particle: labels as a finder writes them in the order of its input, and memberships as
// another finder or an earlier search gave them.
#pragma once

#include <span>
#include <vector>

#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::io {

/// /ParticleIDs and /GroupIDs, both int64 [N]; group rows count from 0, -1 is no group. `settings` become
/// attributes of the file's root, `provenance` those of
/// /Provenance. Renamed when complete; throws IoError naming the file.
void write_labels(const std::filesystem::path& file, std::span<const std::uint64_t> ids,
                  std::span<const std::int32_t> group, const Attributes& settings,
                  const Provenance& provenance = {});

/// The number of the group of each particle, in the order of `ids`: at least 0, or -1 for no group. An HDF5
/// file holds /ParticleIDs and /GroupIDs in any order, further particles allowed; every other file is read by
/// read_grp(). Sorts both lists of ids: O(N log N). Throws IoError naming the file, and the particle that is
/// missing or there twice.
std::vector<std::int64_t> read_memberships(const std::filesystem::path& file,
                                           std::span<const std::uint64_t> ids);

}  // namespace aureole::io
