// A kd-tree over the members of one large group, in double, with what bounds a node's potential. Nodes are
// numbered as in KdTree. Median splits of the longest axis; cost n log n.
#pragma once

#include <vector>

#include "halo/centres/bodies.hpp"
#include "halo/kd_tree.hpp"

namespace aureole::halo {

struct MemberNode {
    Vec3 low, high;  ///< smallest box around the members
    Vec3 centre;     ///< of mass
    double mass = 0;
    double radius = 0;  ///< no member is farther from the centre
    double second = 0;  ///< at least sum m r^2 about the centre
};

class MemberTree {
public:
    static constexpr std::size_t leaf_size = 32;

    /// At least one body.
    explicit MemberTree(const BodiesView& bodies);

    const KdTree& shape() const { return shape_; }  ///< numbers only: its arrays are not there
    const MemberNode& node(Index k) const { return nodes_[k]; }
    Index order(std::size_t at) const { return order_[at]; }  ///< the body at a place of the tree
    BodiesView bodies() const { return {x_.size(), x_.data(), y_.data(), z_.data(), mass_.data()}; }

private:
    void sort_bodies(const BodiesView& bodies);
    MemberNode leaf_of(Index k) const;
    MemberNode parent_of(Index k) const;

    KdTree shape_;
    std::vector<MemberNode> nodes_;
    std::vector<Index> order_;
    std::vector<double> x_, y_, z_, mass_;
};

}  // namespace aureole::halo
