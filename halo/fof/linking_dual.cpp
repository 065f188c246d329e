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

}  // namespace aureole::halo
