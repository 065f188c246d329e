#include "halo/fof/kd_build.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {
namespace {

AUREOLE_HD float smaller(float a, float b) { return b < a ? b : a; }
AUREOLE_HD float larger(float a, float b) { return b > a ? b : a; }
AUREOLE_HD Vec3f smaller(Vec3f a, Vec3f b)
{
    return {smaller(a.x, b.x), smaller(a.y, b.y), smaller(a.z, b.z)};
}
AUREOLE_HD Vec3f larger(Vec3f a, Vec3f b) { return {larger(a.x, b.x), larger(a.y, b.y), larger(a.z, b.z)}; }

/// A box that grows.
struct Corners {
    Vec3f low, high;

    AUREOLE_HD void include(const Corners& c)
    {
        low = smaller(low, c.low);
        high = larger(high, c.high);
    }
    AUREOLE_HD float squared_diagonal() const
    {
        const Vec3f diagonal = high - low;
        return dot(diagonal, diagonal);
    }
};

AUREOLE_HD Corners corners_at(Vec3f x) { return {x, x}; }

AUREOLE_HD Corners positions_in(const KdTree& tree, Index k)
{
    if (!tree.is_leaf(k)) {
        const TreeNode a = tree.node[KdTree::left(k)], b = tree.node[KdTree::left(k) + 1];
        return {smaller(a.low, b.low), larger(a.high, b.high)};
    }
    Corners box = corners_at(tree.point[tree.begin(k)].position());
    for (Index i = tree.begin(k) + 1; i < tree.end(k); ++i) box.include(corners_at(tree.point[i].position()));
    return box;
}

AUREOLE_HD Corners velocities_in(const KdTree& tree, Index k)
{
    if (!tree.is_leaf(k)) {
        const VelocityBox a = tree.velocity_box[KdTree::left(k)], b = tree.velocity_box[KdTree::left(k) + 1];
        return {smaller(a.low, b.low), larger(a.high, b.high)};
    }
    Corners box = corners_at(tree.velocity[tree.begin(k)].velocity());
    for (Index i = tree.begin(k) + 1; i < tree.end(k); ++i)
        box.include(corners_at(tree.velocity[i].velocity()));
    return box;
}

AUREOLE_HD void build_node(const KdTree& tree, Index k, const Band& band)
{
    const Corners x = positions_in(tree, k);
    float squared = x.squared_diagonal();  // in a periodic box images can only be nearer
    if (tree.velocity_box) {
        const Corners v = velocities_in(tree, k);
        tree.velocity_box[k] = {v.low, 0, v.high, 0};
        squared += v.squared_diagonal();
    }
    const std::uint32_t friends = squared <= band.certain ? 1 : 0;
    tree.node[k] = {x.low, friends, x.high, friends};
}

}  // namespace

void gather_points(Exec exec, const LinkQuery& query, const Index* order, Index n_points, const KdTree& tree)
{
    for_each(exec, n_points, [=] AUREOLE_HD(Index k) {
        const Index i = order[k];
        const Vec3f x = query.frame.to_frame(query.box.wrap(query.particles.position.load(i)));
        tree.point[k] = {x.x, x.y, x.z, i};
        if (tree.velocity) tree.velocity[k] = query.frame.velocity_to_frame(query.particles.velocity.load(i));
    });
}

void build_nodes(Exec exec, const KdTree& tree, const Band& band)
{
    for (int level = tree.depth; level >= 0; --level) {
        const Index first = Index{1} << level;
        for_each(exec, first, [=] AUREOLE_HD(Index m) { build_node(tree, first + m, band); });
    }
}

}  // namespace aureole::halo
