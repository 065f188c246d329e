// Groups, and lists of their members, in the memory of a backend: what kernels read in place of Groups and
// Members, which hold the same on the host.
#pragma once

#include "sim/core/backend.hpp"

namespace aureole::halo {

/// Labels and sizes of groups.
struct GroupsView {
    Index n = 0;  ///< particles
    Index n_groups = 0;
    const std::int32_t* label = nullptr;  ///< per particle, input order: row of its group from 0, -1 for none
    const Index* n_members = nullptr;     ///< per group
    const std::uint8_t* core = nullptr;   ///< per particle, on request: 1 for those that link, else 0
};

/// Lists of particles, one after the other.
struct MembersView {
    Index n_lists = 0;
    std::uint64_t n_members = 0;           ///< of all lists together
    const Index* particle = nullptr;       ///< n_members of them, list after list
    const std::uint64_t* begin = nullptr;  ///< n_lists + 1: where each list begins, and the end of the last
};

}  // namespace aureole::halo
