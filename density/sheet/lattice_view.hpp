// What kernels see of a lattice.
#pragma once

#include "sim/core/backend.hpp"

namespace aureole::density {

/// particle[(i n + j) n + k] started at site i, j, k of axes x, y, z; n = side.
struct LatticeView {
    Index side;
    const Index* particle;
};

}  // namespace aureole::density
