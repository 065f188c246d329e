// Element-wise loops of linking on both backends: points and nodes of a LinkTree, friends and nearest points
// by walks of it, and all pairs.
#include "halo/fof/linking.hpp"

#include <limits>

#include "halo/fof/neighbour_visitors.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/build_nodes_dual.hpp"

namespace aureole::halo {
namespace {

constexpr float farthest = std::numeric_limits<float>::max();
/// Around no point; farther than any reach from all others.
constexpr BoundingBox<float> no_box{{farthest, farthest, farthest}, {-farthest, -farthest, -farthest}};

/// Boxes around the positions of a node and, in phase space, around its velocities.
template <bool phase>
struct NodeBoxes {
    BoundingBox<float> positions, velocities;

    AUREOLE_HD static NodeBoxes none() { return {no_box, no_box}; }
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

    AUREOLE_HD static NodeBoxes none() { return {no_box}; }
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
        Boxes boxes = Boxes::none();
        for (Index i = tree.begin(k), end = tree.end(k); i < end; ++i) boxes = boxes.around(boxes_at(i));
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

namespace {

AUREOLE_HD TreePoint point_of(const LinkQuery& query, Index i)
{
    const Vec3f x = query.frame.to_frame(query.box.wrap(query.particles.position.load(i)));
    return {x.x, x.y, x.z, i};
}

}  // namespace

void gather_points(Exec exec, const LinkQuery& query, const Index* order, Index n_points,
                   const LinkTree& tree, TreePoint* unordered)
{
    if (unordered)
        for_each(exec, query.particles.n, [=] AUREOLE_HD(Index i) { unordered[i] = point_of(query, i); });
    for_each(exec, n_points, [=] AUREOLE_HD(Index k) {
        const Index i = order[k];
        tree.point[k] = unordered ? unordered[i] : point_of(query, i);
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

namespace {
/// Shows a visitor of neighbours the leaves within its reach.
template <bool periodic, bool phase, class Visitor>
struct WithinReach {
    const LinkTask& task;
    Visitor& neighbours;

    AUREOLE_HD bool opens(Index k) const
    {
        return task.query.template metric<periodic, phase>().squared(
                   neighbours.site, bounds_of<phase>(task.tree, k)) <= neighbours.reach();
    }
    AUREOLE_HD void leaf(Index k) { neighbours.see(task.tree.begin(k), task.tree.end(k)); }
};

/// The points near a point, by a walk of the tree.
template <bool in_periodic_box, bool in_phase_space>
struct TreeNeighbours {
    const LinkTask& task;

    static constexpr bool periodic = in_periodic_box, phase = in_phase_space;

    AUREOLE_HD const LinkTree& points() const { return task.tree; }
    AUREOLE_HD Index surely_friends(Index i) const
    {
        const Index leaf = task.tree.leaf_of(i);
        if (!task.tree.node[leaf].friends) return 0;
        const Index node = task.tree.friendly_node(leaf);
        return task.tree.end(node) - task.tree.begin(node);
    }
    template <class Visitor>
    AUREOLE_HD void show(Index, Visitor& neighbours) const
    {
        WithinReach<periodic, phase, Visitor> visitor{task, neighbours};
        traverse(task.tree, LinkTree::root, visitor);
    }
};

}  // namespace

void flatten_sets(Exec exec, const UnionFind& sets, Index n)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) { sets.flatten(i); });
}

void flag_core_points(Exec exec, const LinkTask& task, Index min_friends, std::uint8_t* flag)
{
    dispatch(task.query, [&]<bool periodic, bool phase> {
        flag_points_with_friends<TreeNeighbours<periodic, phase>>(exec, task, min_friends, flag);
    });
}

void join_nearest(Exec exec, const LinkTask& task, IndexRange points)
{
    dispatch(task.query, [&]<bool periodic, bool phase> {
        join_points<TreeNeighbours<periodic, phase>>(exec, task, points);
    });
}

void leave_alone(Exec exec, const UnionFind& sets, IndexRange points)
{
    for_each(exec, points.end - points.begin,
             [=] AUREOLE_HD(Index k) { sets.parent[points.begin + k] = no_set; });
}

namespace {
// Points are compared in tiles, first whether any of a tile may be near: a loop without branches. Lanes that
// stand side by side read the same tile.
constexpr Index tile = 64;

template <bool periodic, bool phase>
AUREOLE_HD bool any_may_link(const LinkTask& task, const Site<phase>& site, Index begin, Index end)
{
    const auto metric = task.query.template metric<periodic, phase>();
    const float possible = task.query.band.possible;
    int near = 0;
    for (Index j = begin; j < end; ++j)
        near |= metric.squared(site, site_of<phase>(task.tree, j)) <= possible;
    return near != 0;
}

/// Links point i to its friends behind it.
template <bool periodic, bool phase>
AUREOLE_HD void link_point(const LinkTask& task, Index i)
{
    const Site<phase> site = site_of<phase>(task.tree, i);
    const Index n = task.tree.n;
    for (Index begin = i / tile * tile; begin < n;) {
        const Index end = n - begin < tile ? n : begin + tile;
        if (any_may_link<periodic, phase>(task, site, begin, end))
            for (Index j = begin > i ? begin : i + 1; j < end; ++j)
                if (task.query.template linked<periodic, phase>(site, site_of<phase>(task.tree, j)))
                    task.sets.unite(i, j);
        begin = end;
    }
}

template <bool periodic, bool phase>
void link_points(Exec exec, const LinkTask& task)
{
    for_each_uneven(exec, task.tree.n, [=] AUREOLE_HD(Index i) { link_point<periodic, phase>(task, i); });
}

}  // namespace

void start_alone(Exec exec, const LinkTask& task)
{
    for_each(exec, task.tree.n, [=] AUREOLE_HD(Index i) { task.sets.parent[i] = i; });
}

void link_all_pairs(Exec exec, const LinkTask& task)
{
    if constexpr (with_cuda)
        if (exec.backend == Backend::cuda) return link_tiles(exec.stream, task);
    dispatch(task.query, [&]<bool periodic, bool phase> { link_points<periodic, phase>(exec, task); });
}

}  // namespace aureole::halo
