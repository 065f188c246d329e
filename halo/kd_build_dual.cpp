#include "halo/kd_build.hpp"
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

AUREOLE_HD TreeNode node_around(Vec3f low, Vec3f high, const Band& band)
{
    const Vec3f diagonal = high - low;  // in a periodic box images can only be nearer
    return {low, dot(diagonal, diagonal) <= band.certain ? 1u : 0u, high, 0};
}

AUREOLE_HD TreeNode leaf_box(const KdTree& tree, Index k, const Band& band)
{
    Vec3f low = tree.point[tree.begin(k)].position(), high = low;
    for (Index i = tree.begin(k) + 1; i < tree.end(k); ++i) {
        low = smaller(low, tree.point[i].position());
        high = larger(high, tree.point[i].position());
    }
    return node_around(low, high, band);
}

AUREOLE_HD TreeNode parent_box(const KdTree& tree, Index k, const Band& band)
{
    const TreeNode a = tree.node[KdTree::left(k)], b = tree.node[KdTree::left(k) + 1];
    return node_around(smaller(a.low, b.low), larger(a.high, b.high), band);
}

}  // namespace

void gather_points(Exec exec, const LinkQuestion& question, const Index* order, Index n_points,
                   TreePoint* point)
{
    for_each(exec, n_points, [=] AUREOLE_HD(Index k) {
        const Index i = order[k];
        const Vec3f x = question.frame.to_frame(question.box.wrap(question.particles.position.load(i)));
        point[k] = {x.x, x.y, x.z, i};
    });
}

void build_nodes(Exec exec, const KdTree& tree, const Band& band)
{
    for (int level = tree.depth; level >= 0; --level) {
        const Index first = Index{1} << level;
        for_each(exec, first, [=] AUREOLE_HD(Index m) {
            const Index k = first + m;
            tree.node[k] = tree.is_leaf(k) ? leaf_box(tree, k, band) : parent_box(tree, k, band);
        });
    }
}

}  // namespace aureole::halo
