#include "halo/linking.hpp"

#include "halo/kd_walk.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {
namespace {

/// The largest node around leaf k whose members are all friends; k itself when there is none.
AUREOLE_HD Index friendly_node(const KdTree& tree, Index k)
{
    while (k != KdTree::root && tree.node[KdTree::parent(k)].friends) k = KdTree::parent(k);
    return k;
}

/// Joins point i to every friend in the part of the tree that is walked.
template <bool periodic>
struct LinkVisitor {
    const LinkTask& task;
    TreePoint point;
    Index root;  ///< of the set of point i, when last asked

    AUREOLE_HD bool enters(Index k)
    {
        const TreeNode node = task.tree.node[k];
        const float squared = task.question.metric<periodic>().squared_to_box(point.position(), node);
        return squared <= task.question.band.possible && !(node.friends && shares_set(k));
    }

    AUREOLE_HD void visit(Index k)
    {
        const bool one_is_enough = task.tree.node[k].friends;
        const Index end = task.tree.end(k);
        for (Index j = task.tree.begin(k); j < end; ++j) {
            if (!task.question.linked<periodic>(point, task.tree.point[j])) continue;
            root = task.sets.unite(root, j);
            if (one_is_enough) return;
        }
    }

    /// For nodes of friends, who all have one root.
    AUREOLE_HD bool shares_set(Index k)
    {
        const Index theirs = task.sets.find(task.tree.begin(k));
        if (theirs == root) return true;
        root = task.sets.find(root);
        return theirs == root;
    }
};

template <bool periodic>
AUREOLE_HD void link_point(const LinkTask& task, Index i)
{
    const KdTree& tree = task.tree;
    const Index leaf = tree.leaf_of(i);
    LinkVisitor<periodic> visitor{task, tree.point[i], task.sets.find(i)};
    if (!tree.node[leaf].friends) {
        for (Index j = i + 1; j < tree.end(leaf); ++j)
            if (task.question.linked<periodic>(visitor.point, tree.point[j]))
                visitor.root = task.sets.unite(visitor.root, j);
        walk(tree, KdTree::after(leaf), visitor);
    } else {
        walk(tree, KdTree::after(friendly_node(tree, leaf)), visitor);
    }
}

/// Remembers the nearest linking particle met so far.
template <bool periodic>
struct NearestVisitor {
    const LinkTask& task;
    TreePoint point;
    double nearest;        ///< squared distance, the squared linking length before the first
    float reach;           ///< beyond this squared distance in the frame nothing is nearer
    Index found = no_set;  ///< index in the tree

    AUREOLE_HD bool enters(Index k) const
    {
        return task.question.metric<periodic>().squared_to_box(point.position(), task.tree.node[k]) <= reach;
    }

    AUREOLE_HD void visit(Index k)
    {
        const Index end = task.tree.end(k);
        for (Index j = task.tree.begin(k); j < end; ++j) {
            const TreePoint other = task.tree.point[j];
            if (task.question.metric<periodic>().squared(point.position(), other.position()) > reach)
                continue;
            const double squared = task.question.squared_between(point.particle, other.particle);
            if (!comes_before(squared, other.particle)) continue;
            nearest = squared;
            found = j;
            reach = Band::around(std::sqrt(squared) * task.question.frame.scale).possible;
        }
    }

    AUREOLE_HD bool comes_before(double squared, Index particle) const
    {
        if (squared != nearest || found == no_set) return squared <= nearest;
        const std::uint64_t* id = task.question.particles.id;
        return id[particle] < id[task.tree.point[found].particle];
    }
};

template <bool periodic>
AUREOLE_HD Index set_of_nearest(const LinkTask& task, const TreePoint& point)
{
    if (task.tree.n == 0) return no_set;
    NearestVisitor<periodic> visitor{task, point, task.question.squared_length, task.question.band.possible};
    walk(task.tree, KdTree::root, visitor);
    return visitor.found == no_set ? no_set : task.sets.parent[visitor.found];
}

}  // namespace

void start_sets(Exec exec, const LinkTask& task)
{
    for_each(exec, task.tree.n, [=] AUREOLE_HD(Index i) {
        const Index leaf = task.tree.leaf_of(i);
        task.sets.parent[i] =
            task.tree.node[leaf].friends ? task.tree.begin(friendly_node(task.tree, leaf)) : i;
    });
}

void link_friends(Exec exec, const LinkTask& task)
{
    if (task.question.box.periodic())
        for_each_uneven(exec, task.tree.n, [=] AUREOLE_HD(Index i) { link_point<true>(task, i); });
    else
        for_each_uneven(exec, task.tree.n, [=] AUREOLE_HD(Index i) { link_point<false>(task, i); });
    for_each(exec, task.tree.n, [=] AUREOLE_HD(Index i) { task.sets.flatten(i); });
}

void join_nearest(Exec exec, const LinkTask& task, Index n_points)
{
    const Index first = task.tree.n;
    if (task.question.box.periodic())
        for_each_uneven(exec, n_points - first, [=] AUREOLE_HD(Index k) {
            task.sets.parent[first + k] = set_of_nearest<true>(task, task.tree.point[first + k]);
        });
    else
        for_each_uneven(exec, n_points - first, [=] AUREOLE_HD(Index k) {
            task.sets.parent[first + k] = set_of_nearest<false>(task, task.tree.point[first + k]);
        });
}

}  // namespace aureole::halo
