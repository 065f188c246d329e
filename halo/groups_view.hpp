// Groups where a backend computes: what kernels read in place of Groups.
#pragma once

#include "sim/core/backend.hpp"

namespace aureole::halo {

/// As Groups holds them on the host.
struct GroupsView {
    Index n = 0;  ///< particles
    Index n_groups = 0;
    const std::int32_t* label = nullptr;  ///< per particle, input order: row of its group from 0, -1 for none
    const Index* length = nullptr;        ///< per group: members
};

}  // namespace aureole::halo
