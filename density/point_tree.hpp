// Points that are looked for by boxes: a balanced tree of their bounding boxes, halved along the longest side
// (k-d tree, Bentley 1975). Built in O(P log P), asked in O(log P + what is found).
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "sim/core/vec3.hpp"

namespace aureole::density {

struct BoundingBox {
    Vec3 low, high;  ///< both included

    bool meets(const BoundingBox& other) const
    {
        return low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y &&
               other.low.y <= high.y && low.z <= other.high.z && other.low.z <= high.z;
    }
    void include(Vec3 x)
    {
        low = {std::fmin(low.x, x.x), std::fmin(low.y, x.y), std::fmin(low.z, x.z)};
        high = {std::fmax(high.x, x.x), std::fmax(high.y, x.y), std::fmax(high.z, x.z)};
    }
};

class PointTree {
public:
    /// At least one point, fewer than 2^32.
    explicit PointTree(std::span<const Vec3> points);

    const BoundingBox& bounds() const { return nodes_[0]; }

    /// Calls body(number, position) for every point inside the box, its faces included.
    template <class Body>
    void for_each_inside(const BoundingBox& box, Body&& body) const
    {
        Range waiting[64];
        int n_waiting = 0;
        waiting[n_waiting++] = {0, 0, static_cast<Index>(order_.size())};
        while (n_waiting > 0) {
            const Range range = waiting[--n_waiting];
            if (!nodes_[range.node].meets(box)) continue;
            if (range.is_leaf()) {
                for (Index k = range.begin; k < range.end; ++k)
                    if (box.meets({sorted_[k], sorted_[k]})) body(order_[k], sorted_[k]);
            } else {
                waiting[n_waiting++] = range.upper();
                waiting[n_waiting++] = range.lower();
            }
        }
    }

private:
    static constexpr Index most_in_leaf = 8;

    /// Points begin .. end of the sorted ones, under node `node`; its halves are nodes 2 node + 1 and + 2.
    struct Range {
        std::size_t node;
        Index begin, end;

        bool is_leaf() const { return end - begin <= most_in_leaf; }
        Index middle() const { return begin + (end - begin) / 2; }
        Range lower() const { return {2 * node + 1, begin, middle()}; }
        Range upper() const { return {2 * node + 2, middle(), end}; }
    };

    void build(Range range, std::span<const Vec3> points);

    std::vector<Index> order_;
    std::vector<Vec3> sorted_;
    std::vector<BoundingBox> nodes_;
};

}  // namespace aureole::density
