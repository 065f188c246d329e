// The group of each particle: labels as a finder writes them in the order of its input, and memberships as
// another finder or an earlier search gave them.
//
// .grp files hold group numbers as the N-Body Shop's tools keep them (Stadel et al., skid, tipsy arrays): one
// number for each particle, in the order of the snapshot's file. Groups count from 1 and 0 is no group; where
// a file holds negative numbers they are no group and 0 is one, as AHF counts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::io {

/// The group number of each particle less 1, so from 0; -1 for none. Text (the count, then the numbers,
/// separated by white space) or binary (int32 count and numbers, either byte order), told apart by content.
/// Throws IoError naming the file, and the line of a text, for what is no integer and for a count that is not
/// `n_particles`.
std::vector<std::int64_t> read_grp(const std::filesystem::path& file, std::size_t n_particles);

/// Text, a number per line: `group` (rows from 0, -1 for none) plus 1. Renamed when complete; throws IoError.
/// Provenance is written beside it (metadata_name()) unless it is empty.
void write_grp(const std::filesystem::path& file, std::span<const std::int32_t> group,
               const Provenance& provenance = {});

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
