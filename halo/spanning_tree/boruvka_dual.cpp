#include "halo/spanning_tree/boruvka.hpp"

#include "halo/spanning_tree/nearest_outside.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/build_nodes_dual.hpp"

namespace aureole::halo {
namespace {

/// Of a component without an edge: the last one, or a search gone wrong, which the entry point reports.
constexpr std::uint64_t no_ranks = ~std::uint64_t{0};

/// The colour that all points of a node share, or mixed.
struct ColourBuilder : Hierarchy<Index> {
    const Index* colour;

    AUREOLE_HD Index leaf(Index k) const
    {
        const Index first = begin(k), last = end(k);
        for (Index i = first + 1; i < last; ++i)
            if (colour[i] != colour[first]) return BoruvkaArrays::mixed;
        return colour[first];
    }
    AUREOLE_HD static Index merge(Index left, Index right)
    {
        return left == right ? left : BoruvkaArrays::mixed;
    }
};

template <int dimensions>
void colour_points(Exec exec, const BoruvkaTask<dimensions>& task)
{
    const BoruvkaArrays points = task.points;
    for_each(exec, task.cloud.tree.n, [=] AUREOLE_HD(Index i) {
        points.sets.flatten(i);
        points.colour[i] = points.sets.parent[i];
        points.best_squared[i] = bits_of_infinity;
        points.best_ranks[i] = no_ranks;
    });
}

/// Bounds on the shortest edge of every component.
template <int dimensions>
void seed_all_bounds(Exec exec, const BoruvkaTask<dimensions>& task)
{
    const BoruvkaTask<dimensions> t = task;
    for_each(exec, t.cloud.tree.n, [=] AUREOLE_HD(Index i) { seed_bounds<dimensions, false>(t, i); });
}

template <int dimensions>
void search_outside(Exec exec, const BoruvkaTask<dimensions>& task)
{
    const BoruvkaTask<dimensions> t = task;
    const Index first = t.cloud.tree.n_leaves();
    if (t.cloud.metric.box.periodic())
        for_each_uneven(exec, first, [=] AUREOLE_HD(Index m) {
            OutsideSearch<dimensions, true, false>(t, first + m).run();
        });
    else
        for_each_uneven(exec, first, [=] AUREOLE_HD(Index m) {
            OutsideSearch<dimensions, false, false>(t, first + m).run();
        });
}

AUREOLE_HD std::uint64_t rank_pair(const Index* rank, Index i, Index j)
{
    const std::uint64_t a = rank[i], b = rank[j];
    return a < b ? a << 32 | b : b << 32 | a;
}

/// Whether point i ends one of the shortest edges of its component.
AUREOLE_HD bool is_shortest(const BoruvkaArrays& points, Index i)
{
    return points.nearest[i] != BoruvkaArrays::none &&
           bits_of(points.nearest_squared[i]) == points.best_squared[points.colour[i]];
}

/// best_ranks and best_point of every component.
template <int dimensions>
void choose_edges(Exec exec, const BoruvkaTask<dimensions>& task)
{
    const BoruvkaArrays points = task.points;
    for_each(exec, task.cloud.tree.n, [=] AUREOLE_HD(Index i) {
        if (is_shortest(points, i))
            lower(&points.best_ranks[points.colour[i]], rank_pair(points.rank, i, points.nearest[i]));
    });
    for_each(exec, task.cloud.tree.n, [=] AUREOLE_HD(Index i) {
        if (is_shortest(points, i) &&
            points.best_ranks[points.colour[i]] == rank_pair(points.rank, i, points.nearest[i]))
            points.best_point[points.colour[i]] = i;  // one point alone: the edge's other end lies outside
    });
}

template <int dimensions>
void unite_components(Exec exec, const BoruvkaTask<dimensions>& task)
{
    const BoruvkaArrays points = task.points;
    const EdgeArrays edges = task.edges;
    for_each(exec, task.cloud.tree.n, [=] AUREOLE_HD(Index i) {
        if (points.colour[i] != i || points.best_ranks[i] == no_ranks) return;
        const std::uint64_t other = points.colour[points.nearest[points.best_point[i]]];
        // both may choose the same edge: the one of lower colour appends it
        if (other < i && points.best_ranks[other] == points.best_ranks[i]) return;
        const Index slot = atomic_add(edges.n, 1);
        edges.squared[slot] = points.best_squared[i];
        edges.ranks[slot] = points.best_ranks[i];
        points.sets.unite(i, static_cast<Index>(other));
    });
}

}  // namespace

template <int dimensions>
void start_components(Exec exec, const BoruvkaTask<dimensions>& task)
{
    const BoruvkaArrays points = task.points;
    for_each(exec, task.cloud.tree.n, [=] AUREOLE_HD(Index i) {
        points.sets.parent[i] = i;
        points.nearest[i] = BoruvkaArrays::none;
        points.cleared[i] = 0;
    });
}

template <int dimensions>
void join_components(Exec exec, const BoruvkaTask<dimensions>& task)
{
    colour_points(exec, task);
    build_nodes(exec, task.cloud.tree,
                ColourBuilder{{task.cloud.tree, task.points.node_colour}, task.points.colour});
    if (task.points.core != nullptr) {
        search_reachable(exec, task);
    } else {
        seed_all_bounds(exec, task);
        search_outside(exec, task);
    }
    choose_edges(exec, task);
    unite_components(exec, task);
}

template void start_components(Exec, const BoruvkaTask<3>&);
template void start_components(Exec, const BoruvkaTask<6>&);
template void join_components(Exec, const BoruvkaTask<3>&);
template void join_components(Exec, const BoruvkaTask<6>&);

void sort_edges(Exec exec, const EdgeArrays& edges, Index n_edges, Index n_ranks, const Index* by_rank,
                SortBuffers pairs, std::byte* sort_scratch, SpanningTree::Edge* sorted)
{
    int rank_bits = 1;
    while (n_ranks >> rank_bits != 0) ++rank_bits;
    // two stable sorts, the last key first; ranks side by side take fewer passes than two halves of 64 bits
    for_each(exec, n_edges, [=] AUREOLE_HD(Index e) {
        const std::uint64_t ranks = edges.ranks[e];
        pairs.key[e] = ranks >> 32 << rank_bits | (ranks & 0xffffffffu);
        pairs.value[e] = e;
    });
    sort_pairs(exec, n_edges, pairs, 2 * rank_bits, sort_scratch);
    const SortBuffers by_ranks = pairs;
    for_each(exec, n_edges, [=] AUREOLE_HD(Index k) { by_ranks.key[k] = edges.squared[by_ranks.value[k]]; });
    sort_pairs(exec, n_edges, pairs, 64, sort_scratch);
    const Index* const edge = pairs.value;
    for_each(exec, n_edges, [=] AUREOLE_HD(Index k) {
        const Index e = edge[k];
        const std::uint64_t ranks = edges.ranks[e];
        sorted[k] = {by_rank[ranks >> 32], by_rank[ranks & 0xffffffffu], squared_of(edges.squared[e])};
    });
}

}  // namespace aureole::halo
