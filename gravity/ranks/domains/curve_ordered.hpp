// One part's particles in the full order along the curve.
#pragma once

#include "gravity/ranks/domains/particles.hpp"
#include "gravity/tree/build.hpp"

namespace aureole::gravity::domains {

/// Keys of particles in their own order.
Untouched<std::uint64_t> curve_keys(const ConstParticlesView& particles, const tree::Frame& frame);

struct CurveOrdered {
    std::span<const Index> order() const { return {sorted.value, n}; }
    std::span<const std::uint64_t> key() const { return {sorted.key, n}; }

    Index n = 0;
    Untouched<std::uint64_t> keys;
    Untouched<Index> values;
    SortBuffers sorted{};                ///< in them
    Untouched<tree::Likeness> likeness;  ///< [n + 1]: 0 at both ends
};

/// By key, deep key, key of a run, id and serial. `first`: the place of the first of them among all; all
/// particles of a cell of the curve are here.
CurveOrdered curve_ordered(const DomainParticles& particles, const tree::Frame& frame, Index first);

}  // namespace aureole::gravity::domains
