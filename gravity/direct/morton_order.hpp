// Particles along a space-filling curve.
#pragma once

#include <cstdint>

#include "gravity/force_request.hpp"

namespace aureole::gravity {

struct MortonItem {
    std::uint64_t key;
    Index index;
};

/// Writes the indices of the selection to `order`, sorted by the Morton key of their position with 21 bits a
/// dimension (coordinates from `low`, `extent` wide in each), ties by index. `items` has twice as many
/// entries as the selection.
void morton_order(ConstVec3View position, const Selection& selection, Vec3 low, double extent,
                  MortonItem* items, Index* order);

}  // namespace aureole::gravity
