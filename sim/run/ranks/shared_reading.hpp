// Files of initial conditions, which all ranks of a run read: each its rows, that then come to the first.
#pragma once

#include "sim/comm/communicator.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::run {

/// By rank 0 while the others serve (serve_run): as io::read_snapshot(), by all ranks. From now on they wait
/// at most `stall_limit` seconds for each other.
io::Snapshot read_by_ranks(comm::Communicator& ranks, const std::filesystem::path& file, double stall_limit);

/// Whether a task of rank 0 is to read.
bool is_reading(std::span<const std::byte> task);

/// The side of the others. Errors are rank 0's to report.
void serve_reading(comm::Communicator& ranks, std::span<const std::byte> task);

}  // namespace aureole::run
