// How far numbers reach, gathered by many threads in an order that does not matter.
#pragma once

#include "sim/core/atomics.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole {

/// From the least to the largest of some numbers; around none at first. NaN counts for none.
struct Extent {
    double low = 1.7976931348623157e308, high = -1.7976931348623157e308;

    AUREOLE_HD void include(double x)
    {
        if (x < low) low = x;
        if (x > high) high = x;
    }
    /// Into the ordered_bits() of those of all lanes; by whole warps.
    AUREOLE_HD void merge_into(std::uint64_t* shared_low, std::uint64_t* shared_high) const
    {
        atomic_min_of_warp(shared_low, ordered_bits(low));
        atomic_max_of_warp(shared_high, ordered_bits(high));
    }
};

}  // namespace aureole
