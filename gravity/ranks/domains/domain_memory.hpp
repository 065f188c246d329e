// What a tree over domains takes, for forecasts.
#pragma once

#include "gravity/solver_config.hpp"
#include "sim/core/backend.hpp"

namespace aureole::gravity::domains {

/// Bytes on the rank that sends the particles of all to their domains, and gets their forces; and on each
/// other.
struct DomainMemory {
    std::size_t kept = 0, other_kept = 0;  ///< where the tree is walked
    std::size_t host = 0, other_host = 0;  ///< of the host of a GPU, while forces are computed
};

/// For the tree of `config` over `n` particles in n_parts domains, one on each rank, the largest of which
/// holds as many as CutRule allows. Imported nodes count as a sixteenth of the domain.
DomainMemory domain_memory(const gravity::Config& config, Backend walked_on, std::size_t n, int n_parts);

}  // namespace aureole::gravity::domains
