// Particles along a space-filling curve.
#pragma once

#include <cstdint>

#include "sim/core/particles_view.hpp"

namespace aureole::gravity {

struct MortonItem {
    std::uint64_t key;
    Index index;
};

/// Writes the indices of `range` to `order`, sorted by the Morton key of their position with 21 bits a
/// dimension (coordinates from `low`, `extent` wide in each), ties by index. `items` holds twice the range.
void morton_order(Vec3View position, IndexRange range, Vec3 low, double extent, MortonItem* items,
                  Index* order);

}  // namespace aureole::gravity
