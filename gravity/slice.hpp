// Which part of its targets an evaluation is for.
#pragma once

#include "sim/core/particles_view.hpp"

namespace aureole::gravity {

/// Part `part`, below `of`, of targets in an order of the solver's own: along its curve, or that of the
/// selection. The default is all of them.
struct Slice {
    unsigned part = 0, of = 1;

    constexpr bool is_everything() const { return of == 1; }

    /// The places of the slice among `n` targets, cut at multiples of `unit`, the number that a solver
    /// evaluates together: every place is in one slice. Defined in make_solver.cpp.
    IndexRange places(Index n, Index unit) const;
};

}  // namespace aureole::gravity
