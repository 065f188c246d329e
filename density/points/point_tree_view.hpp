// What kernels see of a tree of points, and how it is asked for those in a box.
#pragma once

#include <cmath>

#include "sim/core/vec3.hpp"

namespace aureole::density {

struct BoundingBox {
    Vec3 low, high;  ///< both included

    AUREOLE_HD bool meets(const BoundingBox& other) const
    {
        return low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y &&
               other.low.y <= high.y && low.z <= other.high.z && other.low.z <= high.z;
    }
    AUREOLE_HD void include(Vec3 x)
    {
        low = {std::fmin(low.x, x.x), std::fmin(low.y, x.y), std::fmin(low.z, x.z)};
        high = {std::fmax(high.x, x.x), std::fmax(high.y, x.y), std::fmax(high.z, x.z)};
    }
};

/// Points begin .. end of the sorted ones, under node `node`; its halves are nodes 2 node + 1 and + 2.
struct PointRange {
    static constexpr Index most_in_leaf = 8;

    std::size_t node;
    Index begin, end;

    AUREOLE_HD bool is_leaf() const { return end - begin <= most_in_leaf; }
    AUREOLE_HD Index middle() const { return begin + (end - begin) / 2; }
    AUREOLE_HD PointRange lower() const { return {2 * node + 1, begin, middle()}; }
    AUREOLE_HD PointRange upper() const { return {2 * node + 2, middle(), end}; }
};

struct PointTreeView {
    const BoundingBox* nodes;
    const Vec3* sorted;  ///< [n_points]
    const Index* order;  ///< [n_points]: which point that is
    Index n_points;
    std::size_t n_nodes;

    /// Calls body(number, position) for every point inside the box, its faces included.
    template <class Body>
    AUREOLE_HD void for_each_inside(const BoundingBox& box, Body&& body) const
    {
        PointRange waiting[64];
        int n_waiting = 0;
        waiting[n_waiting++] = {0, 0, n_points};
        while (n_waiting > 0) {
            const PointRange range = waiting[--n_waiting];
            if (!nodes[range.node].meets(box)) continue;
            if (range.is_leaf()) {
                for (Index k = range.begin; k < range.end; ++k)
                    if (box.meets({sorted[k], sorted[k]})) body(order[k], sorted[k]);
            } else {
                waiting[n_waiting++] = range.upper();
                waiting[n_waiting++] = range.lower();
            }
        }
    }
};

}  // namespace aureole::density
