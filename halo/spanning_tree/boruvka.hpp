// Boruvka's rounds (1926) over a tree of points: in every round each component takes its shortest edge to
// another one, until one component is left. Edges are told apart by (squared length, smaller rank, larger
// rank), so no two are equal, the tree is unique and no cycle can close.
//
// A round (after March, Ram & Gray 2010; Prokopenko, Sao & Lebrun-Grandie 2022):
//  1. colour: every point and every node of one component learns which;
//  2. seed: bounds on each component's shortest edge, from what points remember and from neighbours along the
//     order;
//  3. search: every leaf walks from itself upwards through the tree, leaves out nodes of its own colour and
//     those beyond the bounds. A point remembers what it found, and below which distance nothing is left:
//     components only grow, so most points need no second search;
//  4. join: the points whose edge is their component's best record it and unite the sets.
// All loops are element-wise. Cost: n log n for the first rounds, far less for the later ones; about
// log2(n) / 2 rounds.
#pragma once

#include "halo/spanning_tree/cloud.hpp"
#include "halo/spanning_tree/spanning_tree.hpp"
#include "halo/union_find.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

/// What a round knows of each point, and of the component whose smallest point it is.
struct BoruvkaArrays {
    const Index* rank;            ///< of the point's particle among all ids: breaks ties
    UnionFind sets;               ///< of the points
    Index* colour;                ///< root of the point's set as the round began
    Index* node_colour;           ///< per node: the colour of all its points, or mixed
    Index* nearest;               ///< the nearest point of another component, ties by rank; or none
    double* cleared;              ///< no point of another component is nearer than the root of this
    double* nearest_squared;      ///< squared distance of `nearest`
    std::uint64_t* best_squared;  ///< per root: bits of the least squared distance to another component
    std::uint64_t* best_ranks;    ///< per root: among those, the least (smaller rank, larger rank)
    Index* best_point;            ///< per root: the point of that edge

    static constexpr Index mixed = 0xffffffffu, none = 0xffffffffu;
};

/// Edges in no particular order.
struct EdgeArrays {
    std::uint64_t* squared;  ///< bits of the squared length
    std::uint64_t* ranks;    ///< of the two particles: the smaller in the upper half
    Index* n;                ///< how many there are, in the memory of the backend
};

template <int dimensions>
struct BoruvkaTask {
    Cloud<dimensions> cloud;
    BoruvkaArrays points;
    EdgeArrays edges;
};

/// Every point alone, nothing remembered.
template <int dimensions>
void start_components(Exec exec, const BoruvkaTask<dimensions>& task);

/// One round: appends one edge for every pair of components that join.
template <int dimensions>
void join_components(Exec exec, const BoruvkaTask<dimensions>& task);

/// sorted[k] = the edges by rising (squared length, smaller rank, larger rank), ranks turned into particles.
/// `pairs` has places for all `n_edges`, `n_ranks` is more than every rank.
void sort_edges(Exec exec, const EdgeArrays& edges, Index n_edges, Index n_ranks, const Index* by_rank,
                SortBuffers pairs, std::byte* sort_scratch, SpanningTree::Edge* sorted);

}  // namespace aureole::halo
