// How exactly a GPU works out how much of a tetrahedron is in a cell.
#pragma once

#include "sim/core/backend.hpp"
#include "sim/core/precision.hpp"

namespace aureole::density {

/// double_precision: shares of cells are double; mixed: they are float, as if corners had moved by up to
/// 2^-24 of their tetrahedron's extent. Sums are exact in both, and so are totals of mass and momentum, and
/// stream counts.
using aureole::Precision;

/// What a backend gives when it is asked for `wanted`: the CPU is no faster in float.
inline Precision precision_on(Backend backend, Precision wanted)
{
    return backend == Backend::cpu ? Precision::double_precision : wanted;
}

}  // namespace aureole::density
