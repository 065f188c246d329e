#include "halo/spanning_tree/cloud_points.hpp"

#include <cstring>

#include "halo/particle_summary.hpp"
#include "halo/spanning_tree/nearest_outside.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/build_nodes_dual.hpp"

namespace aureole::halo {
namespace {

/// Mixes all bits of `x` into the high ones (the finaliser of splitmix64: Steele, Lea & Flood 2014).
AUREOLE_HD std::uint64_t mixed_bits(std::uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

AUREOLE_HD std::uint64_t place_key(const CloudSource& source, Index particle)
{
    std::uint64_t key = 0;
    for (int k = 0; k < source.dimensions(); ++k) {
        const double x = source.coordinate(k, particle);
        std::uint64_t bits;
        std::memcpy(&bits, &x, sizeof bits);
        key = mixed_bits(key + bits + 0x9e3779b97f4a7c15u);
    }
    return key >> (64 - place_key_bits);
}

AUREOLE_HD bool coincide(const CloudSource& source, Index p, Index q)
{
    for (int k = 0; k < source.dimensions(); ++k)
        if (source.coordinate(k, p) != source.coordinate(k, q)) return false;
    return true;
}

/// First of the sorted keys that equals key[i].
AUREOLE_HD Index run_begin(const std::uint64_t* key, Index i)
{
    Index first = 0;
    for (Index count = i; count > 0;) {
        const Index half = count / 2;
        if (key[first + half] < key[i]) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

/// Different places may share a key, but hardly ever do: the first of the run is nearly always the right one.
AUREOLE_HD Index first_at_place(const CloudSource& source, const Index* by_rank, const SortBuffers& pairs,
                                Index i)
{
    if (i == 0 || pairs.key[i - 1] != pairs.key[i]) return i;
    const Index particle = by_rank[pairs.value[i]];
    Index first = run_begin(pairs.key, i);
    while (first < i && !coincide(source, by_rank[pairs.value[first]], particle)) ++first;
    return first;
}

template <int dimensions>
struct BoxBuilder : Hierarchy<CloudBox<dimensions>> {
    Cloud<dimensions> cloud;

    AUREOLE_HD CloudBox<dimensions> leaf(Index k) const
    {
        CloudBox<dimensions> box;
        const Index begin = cloud.tree.begin(k), end = cloud.tree.end(k);
        for (int axis = 0; axis < dimensions; ++axis) {
            const double* const x = cloud.coordinate[axis];
            box.low[axis] = box.high[axis] = x[begin];
            for (Index i = begin + 1; i < end; ++i) box.include(axis, x[i]);
        }
        return box;
    }
    AUREOLE_HD static CloudBox<dimensions> merge(const CloudBox<dimensions>& a, const CloudBox<dimensions>& b)
    {
        return a.around(b);
    }
};

/// Visits nodes for the point nearest to a place.
template <int dimensions, bool periodic>
struct NearestPoint {
    const Cloud<dimensions>& cloud;
    const Index* rank;
    double at[dimensions];
    double squared = squared_of(bits_of_infinity);
    Index found = BoruvkaArrays::none;

    AUREOLE_HD double distance(Index k) const { return cloud.template squared<periodic>(at, cloud.box[k]); }
    AUREOLE_HD bool reaches(double distance) const { return distance <= cloud.metric.slack(squared); }
    AUREOLE_HD void leaf(Index k)
    {
        const Index end = cloud.tree.end(k);
        for (Index j = cloud.tree.begin(k); j < end; ++j) {
            const double d = cloud.squared(at, j);
            if (d > squared || (d == squared && found != BoruvkaArrays::none && rank[j] > rank[found]))
                continue;
            squared = d;
            found = j;
        }
    }
};

template <int dimensions, bool periodic>
AUREOLE_HD void nearest_point(const CloudSource& source, Index particle, const Cloud<dimensions>& cloud,
                              const Index* rank, Index* nearest, double* squared)
{
    NearestPoint<dimensions, periodic> search{cloud, rank, {}};
    for (int k = 0; k < dimensions; ++k) search.at[k] = source.coordinate(k, particle);
    traverse_near_first(cloud.tree, BalancedTree::root, search);
    *nearest = rank[search.found];
    *squared = search.squared;
}

}  // namespace

void make_id_keys(Exec exec, const CloudSource& source, const SortBuffers& pairs)
{
    for_each(exec, source.particles.n, [=] AUREOLE_HD(Index i) {
        pairs.key[i] = source.particles.id_of(i);
        pairs.value[i] = i;
    });
}

void make_linking_keys(Exec exec, const CloudSource& source, const SortBuffers& pairs)
{
    for_each(exec, source.particles.n, [=] AUREOLE_HD(Index i) {
        pairs.key[i] = type_links(source.linking_types, source.particles.type_of(pairs.value[i])) ? 0 : 1;
    });
}

void make_place_keys(Exec exec, const CloudSource& source, const Index* by_rank, Index n,
                     const SortBuffers& pairs)
{
    for_each(exec, n, [=] AUREOLE_HD(Index r) {
        pairs.key[r] = place_key(source, by_rank[r]);
        pairs.value[r] = r;
    });
}

void join_coincident(Exec exec, const CloudSource& source, const Index* by_rank, Index n,
                     const SortBuffers& pairs, std::uint8_t* is_point, const EdgeArrays& edges)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) {
        const Index rank = pairs.value[i], first = first_at_place(source, by_rank, pairs, i);
        is_point[rank] = first == i;
        if (first == i) return;
        const Index slot = atomic_add(edges.n, 1);
        edges.squared[slot] = 0;
        edges.ranks[slot] = std::uint64_t{pairs.value[first]} << 32 | rank;
    });
}

template <int dimensions>
void load_points(Exec exec, const CloudSource& source, const Index* by_rank, const Index* ranks, Index n,
                 MedianPoint<dimensions>* unordered)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) {
        MedianPoint<dimensions>& point = unordered[i];
        point.rank = ranks[i];
        point.unused = 0;
        for (int k = 0; k < dimensions; ++k) point.at[k] = source.coordinate(k, by_rank[ranks[i]]);
    });
}

template <int dimensions>
void fill_cloud(Exec exec, const MedianPoint<dimensions>* ordered, const Cloud<dimensions>& cloud,
                Index* rank)
{
    const Cloud<dimensions> to = cloud;
    for_each(exec, to.tree.n, [=] AUREOLE_HD(Index i) {
        rank[i] = ordered[i].rank;
        for (int k = 0; k < dimensions; ++k) to.coordinate[k][i] = ordered[i].at[k];
    });
    build_nodes(exec, to.tree, BoxBuilder<dimensions>{{to.tree, to.box}, to});
}

template <int dimensions>
void find_nearest_points(Exec exec, const CloudSource& source, const Index* others, Index n_others,
                         const Cloud<dimensions>& cloud, const Index* rank, Index* nearest, double* squared)
{
    const Cloud<dimensions> in = cloud;
    if (source.box.periodic())
        for_each_uneven(exec, n_others, [=] AUREOLE_HD(Index k) {
            nearest_point<dimensions, true>(source, others[k], in, rank, nearest + k, squared + k);
        });
    else
        for_each_uneven(exec, n_others, [=] AUREOLE_HD(Index k) {
            nearest_point<dimensions, false>(source, others[k], in, rank, nearest + k, squared + k);
        });
}

#define AUREOLE_FOR(dimensions)                                                                       \
    template void load_points(Exec, const CloudSource&, const Index*, const Index*, Index,            \
                              MedianPoint<dimensions>*);                                              \
    template void fill_cloud(Exec, const MedianPoint<dimensions>*, const Cloud<dimensions>&, Index*); \
    template void find_nearest_points(Exec, const CloudSource&, const Index*, Index,                  \
                                      const Cloud<dimensions>&, const Index*, Index*, double*)
AUREOLE_FOR(3);
AUREOLE_FOR(6);
#undef AUREOLE_FOR

}  // namespace aureole::halo
