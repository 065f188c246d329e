// The members of one large group in a balanced hierarchy, in double, with what bounds a node's potential.
// Medians of the longest axis; cost n log n. Nodes are numbered as in sim/core/spatial/balanced_tree.hpp.
#pragma once

#include <vector>

#include "halo/centres/bodies.hpp"
#include "sim/core/spatial/balanced_tree.hpp"
#include "sim/core/spatial/bounding_box.hpp"

namespace aureole::halo {

/// The box is the smallest one around the members.
struct MemberNode : BoundingBox<double> {
    Vec3 centre;  ///< of mass
    double mass = 0;
    double radius = 0;  ///< no member is farther from the centre
    double second = 0;  ///< at least sum m r^2 about the centre
};

class MemberTree {
public:
    static constexpr Index leaf_size = 32;

    /// At least one body.
    explicit MemberTree(const BodiesView& bodies);

    const BalancedTree& shape() const { return shape_; }
    const MemberNode& node(Index k) const { return nodes_[k]; }
    Index order(std::size_t at) const { return order_[at]; }  ///< the body at a place of the tree
    BodiesView bodies() const { return {x_.size(), x_.data(), y_.data(), z_.data(), mass_.data()}; }

private:
    struct Builder;

    void sort_bodies(const BodiesView& bodies);

    BalancedTree shape_;
    std::vector<MemberNode> nodes_;
    std::vector<Index> order_;
    std::vector<double> x_, y_, z_, mass_;
};

}  // namespace aureole::halo
