// Trees of halos from the catalogues and links of a folder: trees.hdf5, as GADGET-4 writes it and ytree opens
// it.
#pragma once

#include <filesystem>

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

}  // namespace aureole::run
