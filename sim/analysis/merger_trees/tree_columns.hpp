// What trees.hdf5 tells of its halos and tracks, read from catalogues and links.
#pragma once

#include <filesystem>

#include "halo/merger_tree/forest.hpp"
#include "sim/io/halos/link_file.hpp"

namespace aureole::run {

/// What trees need of a catalogue, in the numbers of trees.
struct TreeCatalogue {
    io::LinkFile links;                    ///< to the catalogue before
    Table halos;                           ///< columns of /Subhalo, and Group_M_Crit200 where groups have it
    std::vector<std::int64_t> descendant;  ///< and what follows: of the last catalogue empty
    std::vector<std::int64_t> merged_into, end;

    std::size_t size() const { return halos.rows; }
    const std::vector<std::int64_t>& integers(const std::string& column) const;
    const std::vector<double>& numbers(const std::string& column) const;

    /// Reads subhalo_desc_NNN of this catalogue; the next one has `n_next` halos.
    void read_descendants(const std::filesystem::path& directory, std::size_t n_next);
};

/// Reads catalogue and subhalo_prog of that number. Throws IoError where they do not belong together.
TreeCatalogue read_tree_catalogue(const std::filesystem::path& directory, unsigned number);

/// The header of a catalogue in the units of trees: Mpc, 1e10 Msun, km/s, comoving ones over h.
io::SnapshotHeader header_of_trees(const io::SnapshotHeader& header);

/// SnapNum, GroupNr, TrackId and the properties of halos, those of them that the catalogues have.
void write_columns_of_halos(io::Hdf5File& out, const halo::Forest& forest,
                            const std::vector<TreeCatalogue>& catalogues);

/// The group Tracks, a row for each TrackId; returns how many there are.
std::size_t write_tracks(io::Hdf5File& out, const std::vector<TreeCatalogue>& catalogues);

}  // namespace aureole::run
