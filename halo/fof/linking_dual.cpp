#include "halo/fof/linking.hpp"

#include "halo/fof/neighbour_visitors.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {
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

template <bool periodic, bool phase>
AUREOLE_HD bool has_friends(const LinkTask& task, Index i, Index enough)
{
    const Index leaf = task.tree.leaf_of(i);
    if (task.tree.node[leaf].friends) {
        const Index node = task.tree.friendly_node(leaf);
        if (task.tree.end(node) - task.tree.begin(node) > enough) return true;
    }
    using Visitor = CountFriends<periodic, phase>;
    Visitor neighbours{task.query, task.tree, site_of<phase>(task.tree, i), i, enough};
    WithinReach<periodic, phase, Visitor> visitor{task, neighbours};
    traverse(task.tree, LinkTree::root, visitor);
    return neighbours.found >= enough;
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
    using Visitor = FindNearest<periodic, phase>;
    Visitor neighbours = Visitor::from(task.query, task.tree, i);
    WithinReach<periodic, phase, Visitor> visitor{task, neighbours};
    traverse(task.tree, LinkTree::root, visitor);
    return neighbours.found == no_set ? no_set : task.sets.parent[neighbours.found];
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

void flatten_sets(Exec exec, const UnionFind& sets, Index n)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) { sets.flatten(i); });
}

void flag_core_points(Exec exec, const LinkTask& task, Index min_friends, std::uint8_t* flag)
{
    dispatch(task.query, [&]<bool periodic, bool phase> {
        flag_points_with_friends<periodic, phase>(exec, task, min_friends, flag);
    });
}

void join_nearest(Exec exec, const LinkTask& task, IndexRange points)
{
    dispatch(task.query,
             [&]<bool periodic, bool phase> { join_points<periodic, phase>(exec, task, points); });
}

void leave_alone(Exec exec, const UnionFind& sets, IndexRange points)
{
    for_each(exec, points.end - points.begin,
             [=] AUREOLE_HD(Index k) { sets.parent[points.begin + k] = no_set; });
}

}  // namespace aureole::halo
