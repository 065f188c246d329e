// A stable partition of an order by flags: how core particles come to lie before the others.
#pragma once

#include "sim/core/backend.hpp"

namespace aureole::halo {

/// Arrays of `n`, in the memory of the backend. Nothing but `order` and `n_flagged` is of use afterwards.
struct FlaggedFirst {
    Index n;
    std::uint8_t* flag;  ///< by place in `order`
    Index* order;
    Index *selected, *spare;
    Index* n_flagged;
    std::byte* scratch;  ///< as select_flagged() wants it
};

/// Moves the flagged entries of `order` to its front; both parts keep their sequence.
void put_flagged_first(Exec exec, const FlaggedFirst& lists);

}  // namespace aureole::halo
