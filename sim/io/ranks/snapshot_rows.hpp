// Snapshots read by several ranks, each its own rows of every file.
#pragma once

#include "sim/comm/communicator.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::io {

/// A snapshot of which this rank has a run of particles. File order is that of read_snapshot(): type by type,
/// in each through all files.
struct SnapshotRows {
    /// Of the whole snapshot, equal on all ranks, but for `particles`: those of this rank, in host memory, in
    /// the file's numbers, with ids from first + 1 on where the file has none. mass_of_all is set, so that
    /// density_ratio() is that of the whole.
    Snapshot snapshot;
    std::uint64_t first = 0;  ///< place of this rank's first particle in file order
    std::uint64_t total = 0;  ///< particles of all ranks; may be more than one set holds
    std::array<std::uint64_t, n_particle_types> counts{};  ///< the same by type
};

/// Reads as read_snapshot() does, with its notes and its bits for any number of ranks: rank r of P takes the
/// r-th of P even runs of the particles. Of HDF5, one file or several, every rank opens the files that hold
/// its rows and reads these, and nothing passes through another rank but ids, which are compared. Of other
/// formats the first rank reads all and sends the others theirs. Files lie where all ranks see them; ranks
/// that see other files, by their number, bytes or particles, are refused before a row is read. Collective;
/// throws on every rank what read_snapshot() throws, the ranks that are not at fault Error with the lowest
/// rank that is. Memory: the arrays of the rows, and 16 bytes a row while ids are compared.
SnapshotRows read_snapshot_rows(comm::Communicator& ranks, const std::filesystem::path& file,
                                const SnapshotArrays& arrays = {});

/// On the first rank what read_snapshot() would have read; on the others nothing of use. Array by array: the
/// first rank takes memory for all particles and one more of their arrays. Collective; throws IoError on
/// every rank for more particles than one set holds.
Snapshot gather_snapshot(comm::Communicator& ranks, SnapshotRows rows);

}  // namespace aureole::io
