// Particle ids of HDF5 files, which codes store with a sign or without, in 32 bits or 64.
#pragma once

#include <span>

#include "sim/io/hdf5/hdf5_file.hpp"

namespace aureole::io {

/// All rows of a column of ids, as the unsigned numbers that they are: of those stored with a sign the bits
/// count, so that a negative one of 32 bits is beyond 2^31. HDF5 itself would make 0 of negative numbers, and
/// 2^63 - 1 of what is beyond. Throws IoError for fractions and for more or fewer rows than `ids` has.
void read_ids(const Hdf5Dataset& dataset, std::span<std::uint64_t> ids);

}  // namespace aureole::io
