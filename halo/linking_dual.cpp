#include "halo/linking.hpp"

#include "halo/actions.hpp"
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
template <bool periodic, bool phase>
struct LinkVisitor {
    const LinkTask& task;
    Bounds<phase> own;
    Index begin, end;  ///< the leaf's points
    Index root;        ///< when the leaf's points are all friends: of their set, when last asked

    AUREOLE_HD LinkMetric<periodic, phase> metric() const
    {
        return task.question.template metric<periodic, phase>();
    }

    AUREOLE_HD bool enters(Index k)
    {
        const Bounds<phase> node = bounds_of<phase>(task.tree, k);
        return metric().squared(own, node) <= task.question.band.possible &&
               !(own.box.friends && node.box.friends && shares_set(k));
    }

    AUREOLE_HD void visit(Index k)
    {
        const Bounds<phase> node = bounds_of<phase>(task.tree, k);
        const Index first = task.tree.begin(k), last = task.tree.end(k);
        for (Index i = begin; i < end; ++i) {
            const Site<phase> site = site_of<phase>(task.tree, i);
            if (metric().squared(site, node) > task.question.band.possible) continue;
            if (node.box.friends && task.sets.find(i) == task.sets.find(first)) continue;
            if (link_to(i, site, first, last, node.box.friends) && own.box.friends && node.box.friends)
                return;
        }
    }

    /// Joins point i to its friends among [first, last), or to one of them; returns whether there was any.
    AUREOLE_HD bool link_to(Index i, const Site<phase>& site, Index first, Index last, bool one_is_enough)
    {
        bool any = false;
        for (Index j = first; j < last && !(any && one_is_enough); ++j)
            if (task.question.template linked<periodic, phase>(site, site_of<phase>(task.tree, j))) {
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
template <bool periodic, bool phase>
AUREOLE_HD void link_leaf(const LinkTask& task, Index leaf)
{
    const KdTree& tree = task.tree;
    const Index begin = tree.begin(leaf), end = tree.end(leaf);
    LinkVisitor<periodic, phase> visitor{task, bounds_of<phase>(tree, leaf), begin, end,
                                         task.sets.find(begin)};
    if (visitor.own.box.friends) {
        walk(tree, KdTree::after(friendly_node(tree, leaf)), visitor);
    } else {
        for (Index i = begin; i < end; ++i) visitor.link_to(i, site_of<phase>(tree, i), i + 1, end, false);
        walk(tree, KdTree::after(leaf), visitor);
    }
}

template <bool periodic, bool phase>
void link_leaves(Exec exec, const LinkTask& task)
{
    const Index first = task.tree.n_leaves();
    for_each_uneven(exec, first, [=] AUREOLE_HD(Index m) { link_leaf<periodic, phase>(task, first + m); });
}

/// Shows an action the leaves within its reach.
template <bool periodic, bool phase, class Action>
struct WithinReach {
    const LinkTask& task;
    Action& action;

    AUREOLE_HD bool enters(Index k) const
    {
        return task.question.template metric<periodic, phase>().squared(
                   action.site, bounds_of<phase>(task.tree, k)) <= action.reach();
    }
    AUREOLE_HD void visit(Index k) { action.see(task.tree.begin(k), task.tree.end(k)); }
};

template <bool periodic, bool phase>
AUREOLE_HD bool has_friends(const LinkTask& task, Index i, Index enough)
{
    const Index leaf = task.tree.leaf_of(i);
    if (task.tree.node[leaf].friends) {
        const Index node = friendly_node(task.tree, leaf);
        if (task.tree.end(node) - task.tree.begin(node) > enough) return true;
    }
    using Action = CountFriends<periodic, phase>;
    Action action{task.question, task.tree, site_of<phase>(task.tree, i), i, enough};
    WithinReach<periodic, phase, Action> visitor{task, action};
    walk(task.tree, KdTree::root, visitor);
    return action.found >= enough;
}

template <bool periodic, bool phase>
void flag_points_with_friends(Exec exec, const LinkTask& task, Index enough, std::uint8_t* flag)
{
    for_each_uneven(exec, task.tree.n,
                    [=] AUREOLE_HD(Index i) { flag[i] = has_friends<periodic, phase>(task, i, enough); });
}

template <bool periodic, bool phase>
AUREOLE_HD Index set_of_nearest(const LinkTask& task, Index i)
{
    if (task.tree.n == 0) return no_set;
    using Action = FindNearest<periodic, phase>;
    Action action = Action::from(task.question, task.tree, i);
    WithinReach<periodic, phase, Action> visitor{task, action};
    walk(task.tree, KdTree::root, visitor);
    return action.found == no_set ? no_set : task.sets.parent[action.found];
}

template <bool periodic, bool phase>
void join_points(Exec exec, const LinkTask& task, IndexRange points)
{
    const Index first = points.begin;
    for_each_uneven(exec, points.end - first, [=] AUREOLE_HD(Index k) {
        task.sets.parent[first + k] = set_of_nearest<periodic, phase>(task, first + k);
    });
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
    ask(task.question, [&]<bool periodic, bool phase> { link_leaves<periodic, phase>(exec, task); });
}

void flatten_sets(Exec exec, const UnionFind& sets, Index n)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) { sets.flatten(i); });
}

void flag_core_points(Exec exec, const LinkTask& task, Index min_friends, std::uint8_t* flag)
{
    ask(task.question, [&]<bool periodic, bool phase> {
        flag_points_with_friends<periodic, phase>(exec, task, min_friends, flag);
    });
}

void join_nearest(Exec exec, const LinkTask& task, IndexRange points)
{
    ask(task.question, [&]<bool periodic, bool phase> { join_points<periodic, phase>(exec, task, points); });
}

void leave_alone(Exec exec, const UnionFind& sets, IndexRange points)
{
    for_each(exec, points.end - points.begin,
             [=] AUREOLE_HD(Index k) { sets.parent[points.begin + k] = no_set; });
}

}  // namespace aureole::halo
