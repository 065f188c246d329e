// A run on several ranks: rank 0 is the run, with its log, directory and signals; the others lend it forces
// (gravity/ranks/crew.hpp).
#pragma once

#include <string>
#include <vector>

#include "sim/comm/communicator.hpp"
#include "sim/io/provenance.hpp"
#include "sim/run/device_choice.hpp"

namespace aureole::run {

struct RunStart;
struct SharedForces;

/// The ranks of a run.
struct RunRanks {
    comm::Communicator& all;
    std::string description;            ///< "4 ranks on 1 host, 2 threads each, mpi (Open MPI v4.1.4)"
    std::vector<std::string> warnings;  ///< of launchers that leave cores idle
    io::Provenance provenance;          ///< Ranks, Hosts, Mpi
};

/// Called by all ranks before anything else. Settles threads: where OMP_NUM_THREADS does not say, the ranks
/// of a host that may run on the same cores share these evenly. Throws ConfigError on every rank when they
/// are not one program: `program` (version and what it was asked to do) and the instruction set of the
/// kernels must be equal, since bits depend on them.
RunRanks settle_ranks(comm::Communicator& ranks, const std::string& program);

/// Throws ConfigError for several ranks and a GPU. `ranks` may be null.
void expect_ranks_possible(const RunRanks* ranks, const DeviceChoice& device);

/// For the simulation of that run: the others make their solver of its configuration.
SharedForces shared_forces(RunRanks& ranks, const RunStart& start);

/// What all ranks but 0 do, until end_serving().
void serve_run(comm::Communicator& ranks);

/// Rank 0 lets the others return from serve_run(), however its run has ended.
void end_serving(comm::Communicator& ranks);

}  // namespace aureole::run
