// Trees of halos from the catalogues and links of a folder: trees.hdf5, as GADGET-4 writes it and ytree opens
// it (merger_trees.cpp); and links between catalogues that exist already, by the particles of the snapshots
// beside them (link_catalogues.cpp).
#pragma once

#include <filesystem>

#include "sim/core/progress.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::run {

struct TreeCounts {
    std::size_t trees = 0, halos = 0, tracks = 0, catalogues = 0;
};

/// Reads fof_subhalo_tab_NNN.hdf5, subhalo_prog_NNN.hdf5 and subhalo_desc_NNN.hdf5 in `directory` from the
/// catalogue on that began the tracks, and writes `file`: GADGET-4's groups Header, Parameters, TreeTable,
/// TreeTimes (a row for each number of an output, NaN where there is no catalogue) and TreeHalos, and Tracks,
/// a row for each TrackId. Lengths are in Mpc/h, masses in 1e10 Msun/h and velocities in km/s, as ytree takes
/// them; h is 1 but in comoving files. Throws IoError for files that are absent, damaged, or do not belong
/// together, naming them.
TreeCounts write_trees(const std::filesystem::path& directory, const std::filesystem::path& file,
                       const io::Provenance& provenance);

/// Links fof_subhalo_tab_NNN.hdf5 in `directory`, in the order of their numbers, and writes subhalo_prog_NNN
/// and subhalo_desc_NNN beside them, as a run with output.halos.trees does. The members of a halo are those
/// of snapshot_NNN.hdf5, which is sorted by halo; where a halo has members of several types, which the
/// snapshot parts, these are taken in proportion. Returns the number of catalogues. All snapshots need the
/// same ids. Throws IoError naming the file for what is absent, damaged or does not belong together, and
/// Stopped where `progress` asks for it. Memory: two snapshots.
std::size_t link_catalogues(const std::filesystem::path& directory, const io::Provenance& provenance,
                            const Progress& progress = {});

}  // namespace aureole::run
