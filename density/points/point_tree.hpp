// Points that are looked for by boxes: a balanced tree of their bounding boxes, halved along the longest side
// (k-d tree, Bentley 1975). Built in O(P log P), asked in O(log P + what is found).
#pragma once

#include <span>
#include <vector>

#include "density/points/point_tree_view.hpp"

namespace aureole::density {

class PointTree {
public:
    /// At least one point, fewer than 2^32.
    explicit PointTree(std::span<const Vec3> points);

    static std::size_t bytes(std::size_t n_points);

    const BoundingBox& bounds() const { return nodes_[0]; }
    PointTreeView view() const
    {
        return {nodes_.data(), sorted_.data(), order_.data(), static_cast<Index>(order_.size()),
                nodes_.size()};
    }

    /// Calls body(number, position) for every point inside the box, its faces included.
    template <class Body>
    void for_each_inside(const BoundingBox& box, Body&& body) const
    {
        view().for_each_inside(box, body);
    }

private:
    void build(PointRange range, std::span<const Vec3> points);

    std::vector<Index> order_;
    std::vector<Vec3> sorted_;
    std::vector<BoundingBox> nodes_;
};

}  // namespace aureole::density
