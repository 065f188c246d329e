// Which group each particle is in, in the order of the input: the plainest answer of a halo finder.
#pragma once

#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::io {

/// /ParticleIDs and /GroupIDs, both int64 [N]; group rows count from 0, -1 is no group. `settings` become
/// attributes of the file's root, `provenance` those of
/// /Provenance. Renamed when complete; throws IoError naming the file.
void write_labels(const std::filesystem::path& file, std::span<const std::uint64_t> ids,
                  std::span<const std::int32_t> group, const Attributes& settings,
                  const Provenance& provenance = {});

}  // namespace aureole::io
