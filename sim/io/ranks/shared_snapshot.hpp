// One snapshot file that all ranks write, without parallel HDF5.
#pragma once

#include "sim/comm/communicator.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::io {

/// Writes the particles of all ranks, those of rank 0 first, as write_snapshot() of all of them in one
/// process writes them: the same bytes. `own` are this rank's, in host memory, in any order of types, maybe
/// none; the same arrays are absent on all ranks, `content` is the same everywhere but for `group`, which is
/// of `own`. The first rank makes the file under a temporary name, with all datasets and its own rows; then
/// every rank puts its rows where the library has found place for them, all at a time; when they are on the
/// disk the first rank gives the file its name. The folder is one that all ranks see. Ids have to be there.
///
/// Collective; throws on every rank, and leaves what stood under that name as it was: IoError for files that
/// cannot be written, ArgumentError for content.compress (chunks are packed by one process) and for parts.
void write_shared_snapshot(comm::Communicator& ranks, const std::filesystem::path& file,
                           ConstParticlesView own, const SnapshotContent& content);

}  // namespace aureole::io
