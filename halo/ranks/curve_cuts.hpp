// Cuts of a Hilbert curve through the particles of all parts.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/comm/parts.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::halo {

/// The cube that the curve goes through, in 2^21 cells along each axis.
struct CurveFrame {
    Vec3 low{};
    double cells_per_length = 0;

    /// Throws nothing: what lies beyond is in the last cells.
    std::uint64_t key(Vec3 x) const;
};

/// Keys in rising order, and the places that they had; equal ones keep their order.
struct SortedKeys {
    std::vector<std::uint64_t> key;
    std::vector<Index> place;

    static SortedKeys of(std::vector<std::uint64_t> keys);
    std::uint64_t number_below(std::uint64_t bound) const;
};

/// Where the domains of all parts but the first begin, so that they have about equal numbers of the keys of
/// all parts: to one in 128, or as the equal keys of coincident points allow. `held` are those of the parts
/// that are held here. Collective; every rank gets the same.
std::vector<std::uint64_t> even_cuts(comm::Parts& parts, const std::vector<SortedKeys>& held);

}  // namespace aureole::halo
