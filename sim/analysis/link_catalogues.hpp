// Links between catalogues that exist already, by the particles of the snapshots beside them.
#pragma once

#include <filesystem>

#include "sim/core/progress.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::run {

/// Links fof_subhalo_tab_NNN.hdf5 in `directory`, in the order of their numbers, and writes subhalo_prog_NNN
/// and subhalo_desc_NNN beside them, as a run with output.halos.trees does. The members of a halo are those
/// of snapshot_NNN.hdf5, which is sorted by halo; where a halo has members of several types, which the
/// snapshot parts, these are taken in proportion. Returns the number of catalogues. All snapshots need the
/// same ids. Throws IoError naming the file for what is absent, damaged or does not belong together, and
/// Stopped where `progress` asks for it. Memory: two snapshots.
std::size_t link_catalogues(const std::filesystem::path& directory, const io::Provenance& provenance,
                            const Progress& progress = {});

}  // namespace aureole::run
