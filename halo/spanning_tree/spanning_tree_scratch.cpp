// What the memory of a spanning tree holds, and how much that will be.
#include "halo/spanning_tree/spanning_tree_scratch.hpp"

#include <algorithm>

#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo {

void SpanningTreeScratch::provide(Exec exec, const CloudSource& source)
{
    const Index n = source.particles.n;
    const auto require = [&](auto& buffer, std::size_t size) { buffer.require(exec.backend, size); };
    for (auto* buffer : {&key, &spare_key, &best_squared, &best_ranks, &edge_squared, &edge_ranks})
        require(*buffer, n);
    for (auto* buffer : {&value, &spare_value, &by_rank, &rank, &parent, &colour, &nearest, &best_point})
        require(*buffer, n);
    for (auto* buffer : {&cleared, &nearest_squared}) require(*buffer, n);
    require(is_point, n);
    require(counters, 2);
    require(summary, 1);
    require(coordinate, std::size_t{n} * source.dimensions() + cloud_leaf_size);
    require(sort_scratch, std::max(sort_pairs_scratch_bytes(exec.backend, n),
                                   select_flagged_scratch_bytes(exec.backend, n)));
    const std::size_t n_nodes = BalancedTree::over(n, cloud_leaf_size).n_places();
    require(node_colour, n_nodes);
    const bool six = source.phase_space;
    require(box, n_nodes * (six ? sizeof(CloudBox<6>) : sizeof(CloudBox<3>)));
    require(median, n * (six ? sizeof(MedianPoint<6>) : sizeof(MedianPoint<3>)));
}

std::size_t SpanningTreeFinder::scratch_bytes(Backend where, std::size_t n, bool in_phase_space)
{
    if (n == 0) return 0;
    const std::size_t dimensions = in_phase_space ? 6 : 3;
    const std::size_t point = in_phase_space ? sizeof(MedianPoint<6>) : sizeof(MedianPoint<3>);
    const std::size_t box = in_phase_space ? sizeof(CloudBox<6>) : sizeof(CloudBox<3>);
    const std::size_t n_nodes = BalancedTree::over(n, cloud_leaf_size).n_places();
    const std::size_t per_particle = 6 * sizeof(std::uint64_t) + 8 * sizeof(Index) +
                                     (2 + dimensions) * sizeof(double) + 1 + sizeof(SpanningTree::Edge) +
                                     (where == Backend::cuda ? 2 : 1) * point;
    return n * per_particle + n_nodes * (box + sizeof(Index)) +
           std::max(sort_pairs_scratch_bytes(where, n), select_flagged_scratch_bytes(where, n));
}

}  // namespace aureole::halo
