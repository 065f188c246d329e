// Gathers points and fills the nodes of a LinkTree, on both backends.
#include "halo/fof/linking.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/build_nodes_dual.hpp"

namespace aureole::halo {
namespace {

/// Boxes around the positions of a node and, in phase space, around its velocities.
template <bool phase>
struct NodeBoxes {
    BoundingBox<float> positions, velocities;

    AUREOLE_HD NodeBoxes around(const NodeBoxes& other) const
    {
        return {positions.around(other.positions), velocities.around(other.velocities)};
    }
    AUREOLE_HD float squared_diagonal() const
    {
        return positions.squared_diagonal() + velocities.squared_diagonal();
    }
};
template <>
struct NodeBoxes<false> {
    BoundingBox<float> positions;

    AUREOLE_HD NodeBoxes around(const NodeBoxes& other) const { return {positions.around(other.positions)}; }
    AUREOLE_HD float squared_diagonal() const { return positions.squared_diagonal(); }
};

template <bool phase>
struct NodeBuilder {
    LinkTree tree;
    Band band;

    using Boxes = NodeBoxes<phase>;

    AUREOLE_HD Boxes leaf(Index k) const
    {
        Boxes boxes = boxes_at(tree.begin(k));
        for (Index i = tree.begin(k) + 1; i < tree.end(k); ++i) boxes = boxes.around(boxes_at(i));
        return boxes;
    }
    AUREOLE_HD static Boxes merge(const Boxes& left, const Boxes& right) { return left.around(right); }
    AUREOLE_HD Boxes load(Index k) const
    {
        if constexpr (phase)
            return {tree.node[k].box(), tree.velocity_box[k].box()};
        else
            return {tree.node[k].box()};
    }
    AUREOLE_HD void store(Index k, const Boxes& boxes) const
    {
        // in a periodic box images can only be nearer
        const std::uint32_t friends = boxes.squared_diagonal() <= band.certain ? 1 : 0;
        tree.node[k] = {boxes.positions.low, friends, boxes.positions.high, friends};
        if constexpr (phase) tree.velocity_box[k] = PaddedBox::of(boxes.velocities);
    }

private:
    AUREOLE_HD Boxes boxes_at(Index i) const
    {
        const auto position = BoundingBox<float>::at(tree.point[i].position());
        if constexpr (phase)
            return {position, BoundingBox<float>::at(tree.velocity[i].velocity())};
        else
            return {position};
    }
};

}  // namespace

void gather_points(Exec exec, const LinkQuery& query, const Index* order, Index n_points,
                   const LinkTree& tree)
{
    for_each(exec, n_points, [=] AUREOLE_HD(Index k) {
        const Index i = order[k];
        const Vec3f x = query.frame.to_frame(query.box.wrap(query.particles.position.load(i)));
        tree.point[k] = {x.x, x.y, x.z, i};
        if (tree.velocity)
            tree.velocity[k] =
                TreeVelocity::of(query.frame.velocity_to_frame(query.particles.velocity.load(i)));
    });
}

void build_link_nodes(Exec exec, const LinkTree& tree, const Band& band)
{
    if (tree.velocity_box)
        build_nodes(exec, tree, NodeBuilder<true>{tree, band});
    else
        build_nodes(exec, tree, NodeBuilder<false>{tree, band});
}

}  // namespace aureole::halo
