// Files of links between halos: subhalo_prog_NNN and subhalo_desc_NNN between two catalogues, as GADGET-4
// writes them, with more columns; and the name of the trees that are made of them.
#pragma once

#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"

namespace aureole::io {

/// Beside catalogue 007: subhalo_prog_007.hdf5, what its halos were in the catalogue before, and
/// subhalo_desc_007.hdf5, what they are in the next one.
inline const NumberedName progenitor_names{"subhalo_prog_", ".hdf5"},
    descendant_names{"subhalo_desc_", ".hdf5"};

/// The trees of all catalogues of a folder.
inline constexpr char tree_file_name[] = "trees.hdf5";

/// Writes a row per halo into /Subhalo, with `attributes` in /Header beside numbers of halos, time and
/// redshift. The file is on the disk when it gets its name. Throws IoError naming the file.
void write_link_file(const std::filesystem::path& file, const Table& halos, const Attributes& attributes,
                     const CatalogueContent& content);

struct LinkFile {
    std::filesystem::path file;
    SnapshotHeader header;
    std::int64_t number = -1, previous = -1;  ///< of its catalogue, and of the one before: -1 without
    Table halos;                              ///< in the file's numbers

    /// A column of integers. Throws IoError naming the file where it is absent.
    const std::vector<std::int64_t>& integers(const std::string& column) const;
    /// One of real numbers, likewise.
    const std::vector<double>& numbers(const std::string& column) const;
};

/// Reads a subhalo_prog_NNN file of write_link_file(), with the attributes SnapNum and PreviousSnapNum.
LinkFile read_link_file(const std::filesystem::path& file);

/// A file of trees of this program or of GADGET-4, in its own numbers; groups that it lacks are empty tables.
struct TreeFile {
    Table trees, times;   ///< TreeTable, TreeTimes
    Table halos, tracks;  ///< TreeHalos, and the rows per TrackId that this program adds
};

/// Throws IoError naming the file where it is damaged, one of several, or holds no trees, and where pointers
/// or lengths lead out of their tree.
TreeFile read_tree_file(const std::filesystem::path& file);

/// The numbers of the files of one kind in a directory, rising. Throws IoError where that cannot be read.
std::vector<unsigned> numbers_in(const std::filesystem::path& directory, const NumberedName& names);

}  // namespace aureole::io
