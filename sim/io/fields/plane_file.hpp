// The values that a picture of a plane shows.
#pragma once

#include <filesystem>
#include <span>

#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::io {

/// HDF5 with /Image [height, width], rows from the top, and these attributes; or CSV, a line per row, when
/// the name ends in .csv. Provenance is in /Provenance, or beside the table. Renamed when complete; throws
/// IoError naming the file.
void write_plane(const std::filesystem::path& file, std::span<const double> values, std::uint64_t width,
                 const Attributes& attributes, const Provenance& provenance = {});

}  // namespace aureole::io
