// Reads Gadget-like HDF5 snapshots: our own, Gadget-2/3, GADGET-4, AREPO, GIZMO, SWIFT; one file or several.
#pragma once

#include "sim/io/snapshots/gadget_pieces.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::io {

/// The HDF5 file that a user's name leads to: the file itself, or FILE.0.hdf5 or FILE.hdf5 of a base name.
std::optional<std::filesystem::path> hdf5_file_of(const std::filesystem::path& name);

/// Whether hdf5_file_of(name) finds a file.
bool is_hdf5(const std::filesystem::path& name);

/// All particles of the snapshot that `file` is, is one part of (FILE.3.hdf5) or is the base name of (FILE).
/// Keeps what read_snapshot() promises.
Snapshot read_gadget_hdf5(const std::filesystem::path& file, const SnapshotArrays& arrays = {});

/// The files of such a snapshot, of which any rows are read: file order is type by type, in each through all
/// files. Nothing stays open.
class GadgetHdf5 {
public:
    /// Reads headers and shapes of all files. Throws IoError as read_snapshot() does.
    explicit GadgetHdf5(const std::filesystem::path& file);

    std::uint64_t size() const;
    const std::array<std::uint64_t, n_particle_types>& counts() const noexcept { return counts_; }
    std::size_t n_files() const noexcept { return parts_.size(); }
    std::uint64_t bytes_of_files() const;

    /// The particles [begin, end) in file order, at most max_particles, from the files that hold some of
    /// them.
    RowFindings read(Snapshot& snapshot, const SnapshotArrays& arrays, std::uint64_t begin,
                     std::uint64_t end) const;

    /// Everything of the snapshot but its particles, from what was found in all rows, and masses that follow
    /// from the mean density: `known_mass` is asked for that of all particles when it is needed. Throws
    /// IoError for a file that stands in another's place.
    void settle(Snapshot& snapshot, const RowFindings& of_all,
                const std::function<double()>& known_mass) const;

private:
    std::filesystem::path file_;
    std::vector<GadgetPart> parts_;
    std::array<std::uint64_t, n_particle_types> counts_{};
};

/// What /Provenance of one of our files says, numbers as text; empty for files of other codes.
Provenance read_provenance(const std::filesystem::path& file);

}  // namespace aureole::io
