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

/// Joins the points of one leaf to all their friends in the part of the tree that is walked.
template <bool periodic>
struct LinkVisitor {
    const LinkTask& task;
    TreeNode own;
    Index begin, end;  ///< the leaf's points
    Index root;        ///< when the leaf's points are all friends: of their set, when last asked

    AUREOLE_HD bool enters(Index k)
    {
        const TreeNode node = task.tree.node[k];
        return task.question.metric<periodic>().squared(own, node) <= task.question.band.possible &&
               !(own.friends && node.friends && shares_set(k));
    }

    AUREOLE_HD void visit(Index k)
    {
        const TreeNode node = task.tree.node[k];
        const Index first = task.tree.begin(k), last = task.tree.end(k);
        for (Index i = begin; i < end; ++i) {
            const TreePoint point = task.tree.point[i];
            if (task.question.metric<periodic>().squared(point.position(), node) >
                task.question.band.possible)
                continue;
            if (node.friends && task.sets.find(i) == task.sets.find(first)) continue;
            if (link_to(i, point, first, last, node.friends) && own.friends && node.friends) return;
        }
    }

    /// Joins point i to its friends among [first, last), or to one of them; returns whether there was any.
    AUREOLE_HD bool link_to(Index i, const TreePoint& point, Index first, Index last, bool one_is_enough)
    {
        bool any = false;
        for (Index j = first; j < last && !(any && one_is_enough); ++j)
            if (task.question.linked<periodic>(point, task.tree.point[j])) {
                root = task.sets.unite(i, j);
                any = true;
            }
        return any;
    }

    /// For two nodes of friends: all members of either have one root.
    AUREOLE_HD bool shares_set(Index k)
    {
        const Index theirs = task.sets.find(task.tree.begin(k));
        if (theirs == root) return true;
        root = task.sets.find(begin);
        return theirs == root;
    }
};

/// Pairs inside a leaf, then of the leaf with what comes after it in the tree: every pair once.
template <bool periodic>
AUREOLE_HD void link_leaf(const LinkTask& task, Index leaf)
{
    const KdTree& tree = task.tree;
    const Index begin = tree.begin(leaf), end = tree.end(leaf);
    LinkVisitor<periodic> visitor{task, tree.node[leaf], begin, end, task.sets.find(begin)};
    if (visitor.own.friends) {
        walk(tree, KdTree::after(friendly_node(tree, leaf)), visitor);
    } else {
        for (Index i = begin; i < end; ++i) visitor.link_to(i, tree.point[i], i + 1, end, false);
        walk(tree, KdTree::after(leaf), visitor);
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
        return task.question.metric<periodic>().squared(point.position(), task.tree.node[k]) <= reach;
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
    const Index first = task.tree.n_leaves();
    if (task.question.box.periodic())
        for_each_uneven(exec, first, [=] AUREOLE_HD(Index m) { link_leaf<true>(task, first + m); });
    else
        for_each_uneven(exec, first, [=] AUREOLE_HD(Index m) { link_leaf<false>(task, first + m); });
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
