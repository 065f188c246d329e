// Snapshots of which only some arrays are read, for commands that need no more.
#pragma once

#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::io {

/// Which arrays the particles of a snapshot have; masses, ids and types always. An array that is
/// left out is empty, and absent in views.
struct SnapshotArrays {
    /// false: what completes an earlier reading, so that units are not decided again, nor ids compared. A
    /// format may bring positions all the same.
    bool positions = true;
    bool components = true;  ///< false: only where the file has them
    bool forces = true;      ///< accelerations and potentials: zeros, for those who compute them
    bool velocities = true;  ///< false: as with positions

    /// What a computation that only reads particles asks for.
    static SnapshotArrays reading() { return {true, true, false}; }
};

/// New particles in host memory, as Particles makes them, with these arrays; components are absent unless
/// asked for.
Particles new_particles(std::size_t n, const SnapshotArrays& arrays);

/// Reads as read_snapshot(file) does, which takes all arrays. Throws the same.
Snapshot read_snapshot(const std::filesystem::path& file, const SnapshotArrays& arrays);

}  // namespace aureole::io
