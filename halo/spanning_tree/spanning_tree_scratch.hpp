// The memory of a spanning tree: what a finder keeps from call to call.
#pragma once

#include "halo/particle_summary.hpp"
#include "halo/spanning_tree/cloud_points.hpp"
#include "halo/spanning_tree/spanning_tree.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::halo {

struct SpanningTreeScratch {
    SpanningTreeTimes times;
    Buffer<std::uint64_t> key, spare_key;
    Buffer<Index> value, spare_value;
    Buffer<std::byte> sort_scratch;
    Buffer<Index> by_rank, rank, parent, colour, node_colour, nearest, best_point, counters;
    Buffer<std::uint64_t> best_squared, best_ranks, edge_squared, edge_ranks;
    Buffer<std::uint8_t> is_point;
    Buffer<double> coordinate, cleared, nearest_squared, core, node_core, heaps;
    Buffer<std::byte> median, spare_median, box;
    Buffer<SpanningTree::Edge> edge;
    Buffer<ParticleSummary> summary;

    /// For all particles of `source`, in the memory of `exec`; what measures cores comes when it is needed.
    void provide(Exec exec, const CloudSource& source);
};

}  // namespace aureole::halo
