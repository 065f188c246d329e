// Points that are looked for by boxes: the balanced hierarchy of sim/core/spatial with their bounding boxes,
// at medians of the longest side. Built in O(P log P) on the host, searched in O(log P + what is found) on
// either backend.
#pragma once

#include <span>
#include <vector>

#include "sim/core/spatial/balanced_tree.hpp"
#include "sim/core/spatial/bounding_box.hpp"

namespace aureole::density {

/// What kernels see of a tree of points.
struct PointTreeView : Hierarchy<const BoundingBox<double>> {
    const Vec3* sorted;  ///< [n]
    const Index* order;  ///< [n]: which point that is

    static constexpr Index leaf_size = 8;

    /// Calls body(number, position) for every point inside the box, its faces included.
    template <class Body>
    AUREOLE_HD void for_each_inside(const BoundingBox<double>& box, Body&& body) const
    {
        struct Visitor {
            const PointTreeView& tree;
            const BoundingBox<double>& box;
            Body& body;

            AUREOLE_HD bool opens(Index k) const { return tree.node[k].meets(box); }
            AUREOLE_HD void leaf(Index k) const
            {
                const Index end = tree.end(k);
                for (Index i = tree.begin(k); i < end; ++i)
                    if (box.meets(BoundingBox<double>::at(tree.sorted[i])))
                        body(tree.order[i], tree.sorted[i]);
            }
        } visitor{*this, box, body};
        traverse(*this, root, visitor);
    }
};

class PointTree {
public:
    /// At least one point, fewer than 2^32.
    explicit PointTree(std::span<const Vec3> points);

    static std::size_t bytes(std::size_t n_points);

    const BoundingBox<double>& bounds() const { return nodes_[BalancedTree::root]; }
    PointTreeView view() const { return {{shape_, nodes_.data()}, sorted_.data(), order_.data()}; }

    /// Calls body(number, position) for every point inside the box, its faces included.
    template <class Body>
    void for_each_inside(const BoundingBox<double>& box, Body&& body) const
    {
        view().for_each_inside(box, body);
    }

private:
    BalancedTree shape_;
    std::vector<Index> order_;
    std::vector<Vec3> sorted_;
    std::vector<BoundingBox<double>> nodes_;
};

}  // namespace aureole::density
