// Lists of particles where a backend computes: what kernels read in place of Members.
#pragma once

#include "sim/core/backend.hpp"

namespace aureole::halo {

/// Lists of particles in a backend's memory, one after the other; as Members holds them on the host.
struct MembersView {
    Index n_lists = 0;
    std::uint64_t n_members = 0;           ///< of all lists together
    const Index* particle = nullptr;       ///< n_members of them, list after list
    const std::uint64_t* begin = nullptr;  ///< n_lists + 1: where each list begins, and the end of the last
};

}  // namespace aureole::halo
