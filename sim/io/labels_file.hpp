// Which group each particle is in, in the order of the input: the plainest answer of a halo finder.
#pragma once

#include "sim/io/hdf5_file.hpp"

namespace aureole::io {

/// /ParticleIDs and /GroupIDs, both int64 [N]; group rows count from 0, -1 is no group. `settings` become
/// attributes of the file's root. Renamed when complete; throws IoError naming the file.
void write_labels(const std::filesystem::path& file, std::span<const std::uint64_t> ids,
                  std::span<const std::int32_t> group, const Attributes& settings);

}  // namespace aureole::io
