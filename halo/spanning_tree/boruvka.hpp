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
// Where points have core distances, an edge is as long as the largest of its two core distances and its
// distance, the mutual reachability (Campello, Moulavi & Sander 2013): no edge of a point is shorter than its
// core distance, none into a node shorter than the least core distance there.
// All loops are element-wise. Cost: n log n for the first rounds, far less for the later ones; about
// log2(n) / 2 rounds.
//
// The points of a spanning tree, in 3 dimensions (space) or 6 (phase space), and the distances between them.
//
// Exactness: what decides is squared(), in double with explicit fma, the same on every backend. Everything
// that only prunes sums the squares of the same rounded differences in another way: it errs by less than
// 2^-50 of itself, or by less than 1e-300 (times the weight of velocities) where squares underflow, and
// slack() allows for more than that. A box's gap along an axis is no larger than the difference of any two
// members, rounded alike, because rounding keeps order.
#pragma once

#include "halo/separation.hpp"
#include "halo/spanning_tree/spanning_tree.hpp"
#include "halo/union_find.hpp"
#include "sim/core/spatial/balanced_tree.hpp"
#include "sim/core/spatial/bounding_box.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

/// Most points in a leaf, and how many a search holds side by side.
inline constexpr Index cloud_leaf_size = 8;

/// Bounding box of a node's points, in double: a spanning tree needs all scales.
template <int dimensions>
using CloudBox = BoundingBoxN<double, dimensions>;

/// x or 0, exactly; compilers turn the comparison into a branch, which often goes wrong.
AUREOLE_HD inline double positive_part(double x) { return 0.5 * (x + std::fabs(x)); }

/// What two points are apart.
struct CloudMetric {
    Box box;
    double velocity_scale;  ///< length per velocity

    /// Squared distances above this are above `squared`, however they were summed.
    AUREOLE_HD double slack(double squared) const
    {
        const double largest_weight = 1 + velocity_scale * velocity_scale;
        return squared * (1 + 0x1p-48) + 1e-300 * largest_weight;
    }

    /// Coordinate differences as they enter the sum of squares, for axis `k`.
    template <bool periodic>
    AUREOLE_HD double along(int k, double difference) const
    {
        if (k >= 3) return velocity_scale * difference;
        const double direct = difference < 0 ? -difference : difference;
        if constexpr (!periodic) return direct;
        const double around = box.side - direct;
        return around < direct ? around : direct;
    }

    /// At most the separation along axis k of any point in [low, high] from any in [other_low, other_high].
    template <bool periodic>
    AUREOLE_HD double gap(int k, double low, double high, double other_low, double other_high) const
    {
        const double below = low - other_high, above = other_low - high;
        double between = positive_part(below) + positive_part(above);  // one of them is 0
        if (periodic && k < 3) {
            const double around = positive_part((below < above ? below : above) + box.side);
            between = around < between ? around : between;
        }
        return k < 3 ? between : velocity_scale * between;
    }
};

/// Points in the order of a balanced tree; positions are wrapped.
template <int dimensions>
struct Cloud {
    BalancedTree tree;
    CloudMetric metric;
    double* coordinate[dimensions];  ///< x, y, z (, vx, vy, vz)
    CloudBox<dimensions>* box;       ///< per node

    /// What decides, between point j and a place of so many coordinates; LinkQuery sums in the same order.
    AUREOLE_HD double squared(const double* at, Index j) const
    {
        const double in_space = squared_separation(metric.box, {at[0], at[1], at[2]},
                                                   {coordinate[0][j], coordinate[1][j], coordinate[2][j]});
        if constexpr (dimensions == 3) return in_space;
        const double of_velocity =
            squared_difference({at[3], at[4], at[5]}, {coordinate[3][j], coordinate[4][j], coordinate[5][j]});
        return std::fma(metric.velocity_scale * metric.velocity_scale, of_velocity, in_space);
    }
    AUREOLE_HD double squared(Index i, Index j) const
    {
        double at[dimensions];
        for (int k = 0; k < dimensions; ++k) at[k] = coordinate[k][i];
        return squared(at, j);
    }

    template <bool periodic>
    AUREOLE_HD double squared(const CloudBox<dimensions>& a, const CloudBox<dimensions>& b) const
    {
        double sum = 0;
        for (int k = 0; k < dimensions; ++k) {
            const double d = metric.template gap<periodic>(k, a.low[k], a.high[k], b.low[k], b.high[k]);
            sum += d * d;
        }
        return sum;
    }
    template <bool periodic>
    AUREOLE_HD double squared(const double* a, const CloudBox<dimensions>& b) const
    {
        double sum = 0;
        for (int k = 0; k < dimensions; ++k) {
            const double d = metric.template gap<periodic>(k, a[k], a[k], b.low[k], b.high[k]);
            sum += d * d;
        }
        return sum;
    }
};

/// What a round knows of each point, and of the component whose smallest point it is.
struct BoruvkaArrays {
    const Index* rank;                  ///< of the point's particle among all ids: breaks ties
    UnionFind sets;                     ///< of the points
    Index* colour;                      ///< root of the point's set as the round began
    Index* node_colour;                 ///< per node: the colour of all its points, or mixed
    Index* nearest;                     ///< the nearest point of another component, ties by rank; or none
    double* cleared;                    ///< no point of another component is nearer than the root of this
    double* nearest_squared;            ///< squared distance of `nearest`
    std::uint64_t* best_squared;        ///< per root: bits of the least squared distance to another component
    std::uint64_t* best_ranks;          ///< per root: among those, the least (smaller rank, larger rank)
    Index* best_point;                  ///< per root: the point of that edge
    const double* core = nullptr;       ///< squared core distances, for mutual reachability alone
    const double* node_core = nullptr;  ///< per node: the least of its points

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

    /// Squared length of the edge between points i and j.
    template <bool reachability>
    AUREOLE_HD double squared_edge(Index i, Index j) const
    {
        const double apart = cloud.squared(i, j);
        if constexpr (!reachability) return apart;
        const double core = points.core[i] > points.core[j] ? points.core[i] : points.core[j];
        return core > apart ? core : apart;
    }
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

/// Where core distances go, and what measuring them takes; in the memory of the backend.
struct CoreArrays {
    Index k;              ///< the k-th nearest particle is the core distance away, oneself counted
    Index* point_of;      ///< per rank
    Index* multiplicity;  ///< per point: the particles there
    double* heaps;        ///< on a GPU: k for each of points_at_once()
    double* core;         ///< per point: the squared core distance
    double* node_core;    ///< per node: the least of its points
};

/// How many of `n` points a GPU searches at once, so that their heaps take 256 MB at most (a heap at least).
inline Index points_at_once(Index n, Index k)
{
    constexpr Index most = Index{1} << 25;
    const Index fit = k < most ? most / k : 1;
    return fit < n ? fit : n;
}

/// Squared core distances of all points, those of the `n_coincident` edges between particles at one place,
/// and the bounds that they are for the rounds. All particles together are at least cores.k.
/// Cost: n k log n and less; k doubles for each search at once.
template <int dimensions>
void find_core_distances(Exec exec, BoruvkaTask<dimensions>& task, Index n_coincident,
                         const CoreArrays& cores);

/// Bounds and search of a round where points have core distances (mutual_reachability_dual.cpp).
template <int dimensions>
void search_reachable(Exec exec, const BoruvkaTask<dimensions>& task);

}  // namespace aureole::halo
