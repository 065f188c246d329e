// From particles to the points of a spanning tree: ranks by id, one point for all particles at the same
// place, then coordinates and boxes in the tree's order.
#pragma once

#include "halo/spanning_tree/boruvka.hpp"
#include "halo/spanning_tree/median_sort.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

/// The particles and what their distances mean. Velocities count when `phase_space`.
struct CloudSource {
    ConstParticlesView particles;
    Box box;
    bool phase_space;
    std::uint8_t linking_types;

    /// Coordinate k of a particle as distances see it: wrapped, and without a sign on zero.
    AUREOLE_HD double coordinate(int k, Index i) const
    {
        const ConstVec3View& from = k < 3 ? particles.position : particles.velocity;
        const int axis = k < 3 ? k : k - 3;
        const double x = axis == 0 ? from.x[i] : axis == 1 ? from.y[i] : from.z[i];
        return (k < 3 ? box.wrap(x) : x) + 0.0;
    }
    AUREOLE_HD int dimensions() const { return phase_space ? 6 : 3; }
};

/// Keys by id, values 0..n-1, for a stable sort by 64 bits.
void make_id_keys(Exec exec, const CloudSource& source, const SortBuffers& pairs);
/// Afterwards: keys 0 for particles that link, 1 for others, for a stable sort by 1 bit.
void make_linking_keys(Exec exec, const CloudSource& source, const SortBuffers& pairs);

/// Keys by place, values 0..n-1, of the particles by_rank[0, n), for a stable sort by place_key_bits.
void make_place_keys(Exec exec, const CloudSource& source, const Index* by_rank, Index n,
                     const SortBuffers& pairs);
inline constexpr int place_key_bits = 40;

/// After that sort: is_point[rank] = 1 for the smallest rank of each place; every other rank of a place is
/// joined to it by an edge of length 0, as the order of edges requires.
void join_coincident(Exec exec, const CloudSource& source, const Index* by_rank, Index n,
                     const SortBuffers& pairs, std::uint8_t* is_point, const EdgeArrays& edges);

/// unordered[i] = the point of rank ranks[i].
template <int dimensions>
void load_points(Exec exec, const CloudSource& source, const Index* by_rank, const Index* ranks, Index n,
                 MedianPoint<dimensions>* unordered);

/// Ordered points into a cloud with its boxes, and the rank of each.
template <int dimensions>
void fill_cloud(Exec exec, const MedianPoint<dimensions>* ordered, const Cloud<dimensions>& cloud,
                Index* rank);

/// nearest[k] = the rank of the point nearest to particle others[k], ties by rank; squared[k] = its squared
/// distance.
template <int dimensions>
void find_nearest_points(Exec exec, const CloudSource& source, const Index* others, Index n_others,
                         const Cloud<dimensions>& cloud, const Index* rank, Index* nearest, double* squared);

}  // namespace aureole::halo
