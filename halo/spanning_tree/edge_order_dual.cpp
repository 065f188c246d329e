#include "halo/spanning_tree/edge_order.hpp"
#include "halo/spanning_tree/nearest_outside.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {

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
