// How exactly a GPU works out how much of a tetrahedron is in a cell.
#pragma once

#include "sim/core/backend.hpp"

namespace aureole::density {

/// Sums are exact in both, and so are totals of mass and momentum, and stream counts.
enum class Precision {
    full,   ///< shares of cells are double
    mixed,  ///< shares are float, as if corners had moved by up to 2^-24 of their tetrahedron's extent
};

inline const char* name_of(Precision precision) { return precision == Precision::mixed ? "mixed" : "double"; }

/// What a backend gives when it is asked for `wanted`: the CPU is no faster in float.
inline Precision precision_on(Backend backend, Precision wanted)
{
    return backend == Backend::cpu ? Precision::full : wanted;
}

}  // namespace aureole::density
