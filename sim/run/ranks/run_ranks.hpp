// A run on several ranks: rank 0 is the run, with its log, directory and signals; the others lend it forces
// (gravity/ranks/ranked_solver.hpp).
#pragma once

#include <string>
#include <vector>

#include "sim/comm/device_moves.hpp"
#include "sim/io/provenance.hpp"
#include "sim/run/device_choice.hpp"
#include "sim/run/ranks/rank_memory.hpp"

namespace aureole::run {

struct Config;
struct RunStart;
struct RunUnits;
struct SharedForces;

/// The ranks of a run.
struct RunRanks {
    comm::Communicator& all;
    DeviceChoice device;                       ///< of this rank
    std::shared_ptr<comm::DeviceMoves> moves;  ///< between the devices of all ranks
    std::string description;                   ///< "4 ranks on 1 host, 2 threads each, mpi (Open MPI v4.1.4)"
    std::vector<std::string> notes;            ///< for the log: devices and transport
    std::vector<std::string> warnings;         ///< of launchers that leave cores idle
    std::vector<RankMemory> memory;            ///< of each, where a forecast was asked for
    io::Provenance provenance;                 ///< Ranks, Hosts, Mpi, Devices, Transport
};

/// Called by all ranks before anything else. Settles threads: where OMP_NUM_THREADS does not say, the ranks
/// of a host that may run on the same cores share these evenly. Settles devices: of `device`, the word of
/// --device, auto and cuda are one GPU for each rank, counted through those of its host, so that ranks share
/// them where they are more. All ranks compute on the CPU, or all on GPUs of one kind. Throws ConfigError on
/// every rank when they are not one program: `program` (version and what it was asked to do) and the
/// instruction set of the kernels must be equal, since bits depend on them.
RunRanks settle_ranks(comm::Communicator& ranks, const std::string& program, const std::string& device);

/// Throws ConfigError, before anything is made or written, where the solver of an internal configuration runs
/// on one rank alone and `ranks` are several.
void expect_shareable(const RunRanks* ranks, const Config& internal);

/// For the simulation of that run: the others make their solver of its configuration.
SharedForces shared_forces(RunRanks& ranks, const RunStart& start);
/// For forces of a configuration in the user's units, of which `internal` has been made.
SharedForces shared_forces(RunRanks& ranks, const Config& config, const RunUnits& units,
                           const Config& internal);

/// What all ranks but 0 do, until end_serving().
void serve_run(RunRanks& ranks);

/// Rank 0 lets the others return from serve_run(), however its run has ended.
void end_serving(comm::Communicator& ranks);

}  // namespace aureole::run
