// The memory that forces take on each rank of a run, and what the ranks have, for forecasts.
#pragma once

#include <string>
#include <vector>

#include "sim/comm/communicator.hpp"
#include "sim/core/memory/memory_part.hpp"
#include "sim/run/device_choice.hpp"

namespace aureole::run {

struct Config;

/// What the solver of an internal configuration keeps for `n` particles on rank 0 of n_ranks, and what
/// own_potentials() does, for the forecast. A tree over domains holds one of them, but where components have
/// potentials of their own: these are of a whole tree on each rank.
memory::Part forces_memory(const Config& internal, Backend where, std::size_t n, std::size_t n_components,
                           int n_ranks);

/// The same of each other rank: all that it takes.
memory::Part lent_forces_memory(const Config& internal, Backend where, std::size_t n,
                                std::size_t n_components, int n_ranks);

/// What one rank has left before anything is made.
struct RankMemory {
    struct Left {
        std::uint64_t bytes = 0;
        bool is_own = false;  ///< by a limit of its process; else it shares them with ranks that stand there
    };
    std::string host;
    std::string gpu, gpu_id;  ///< its name for this rank, and one that no other has; none on the CPU
    Left cpu, cuda;
};

/// Of every rank, on every rank. Collective. Throws on all of them as memory::available() on one.
std::vector<RankMemory> memory_of_ranks(comm::Communicator& ranks, const DeviceChoice& device);

/// Bytes that a rank takes.
struct RankNeeds {
    std::size_t cpu = 0, cuda = 0;
};

/// What the ranks take, line by line, and at last which of them has the least left of what there is.
std::vector<std::string> rank_memory_lines(const std::vector<RankMemory>& ranks, const RankNeeds& first,
                                           const RankNeeds& others);

}  // namespace aureole::run
