// Spanning trees of mutual reachability: the length of an edge is the largest of the two core distances of
// its ends and their distance (Campello, Moulavi & Sander 2013).
#include "halo/spanning_tree/boruvka.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "halo/spanning_tree/nearest_outside.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/build_nodes_dual.hpp"

namespace aureole::halo {
namespace {

/// Visits nodes for the distance of the k-th nearest particle: a heap of the k least so far, the largest at
/// its root. Place p of the heap is heap[p * stride], so that heaps of neighbouring threads are interleaved.
template <int dimensions, bool periodic>
class KthNearest {
public:
    AUREOLE_HD KthNearest(const Cloud<dimensions>& cloud, const Index* multiplicity, Index k, double* heap,
                          Index stride)
        : cloud_(cloud), multiplicity_(multiplicity), k_(k), heap_(heap), stride_(stride)
    {
    }

    AUREOLE_HD double squared_from(Index i)
    {
        for (int axis = 0; axis < dimensions; ++axis) at_[axis] = cloud_.coordinate[axis][i];
        n_ = 0;
        bound_ = limit_ = squared_of(bits_of_infinity);
        const Index own = cloud_.tree.leaf_of(i);
        leaf(own);
        for (Index node = own; node != BalancedTree::root; node = BalancedTree::parent(node))
            traverse_near_first(cloud_.tree, BalancedTree::sibling(node), *this);
        return bound_;
    }

    AUREOLE_HD double distance(Index node) const
    {
        return cloud_.template squared<periodic>(at_, cloud_.box[node]);
    }
    AUREOLE_HD bool reaches(double distance) const { return distance <= limit_ && bound_ > 0; }
    AUREOLE_HD void leaf(Index node)
    {
        const Index end = cloud_.tree.end(node);
        for (Index j = cloud_.tree.begin(node); j < end; ++j) {
            const double squared = cloud_.squared(at_, j);
            for (Index copy = 0; copy < multiplicity_[j] && squared < bound_; ++copy) add(squared);
        }
    }

private:
    AUREOLE_HD double& place(Index p) const { return heap_[std::size_t{p} * stride_]; }

    AUREOLE_HD void add(double squared)
    {
        if (n_ < k_)
            rise(n_++, squared);
        else
            sink(squared);
        if (n_ < k_) return;
        bound_ = place(0);
        limit_ = cloud_.metric.slack(bound_);
    }
    /// From a new place upwards.
    AUREOLE_HD void rise(Index p, double squared)
    {
        while (p > 0) {
            const Index parent = (p - 1) / 2;
            if (place(parent) >= squared) break;
            place(p) = place(parent);
            p = parent;
        }
        place(p) = squared;
    }
    /// In the place of the largest, and downwards.
    AUREOLE_HD void sink(double squared)
    {
        Index p = 0;
        for (std::size_t child = 1; child < k_; child = 2 * std::size_t{p} + 1) {
            Index larger = static_cast<Index>(child);
            if (larger + 1 < k_ && place(larger + 1) > place(larger)) ++larger;
            if (place(larger) <= squared) break;
            place(p) = place(larger);
            p = larger;
        }
        place(p) = squared;
    }

    const Cloud<dimensions>& cloud_;
    const Index* multiplicity_;
    Index k_;
    double* heap_;
    Index stride_;
    Index n_ = 0;  ///< places of the heap that are taken
    double at_[dimensions];
    double bound_ = 0, limit_ = 0;  ///< the largest in a full heap, and the same with slack
};

/// On the host: one heap a thread.
template <int dimensions, bool periodic>
void fill_core_cpu(const Cloud<dimensions>& cloud, const CoreArrays& cores)
{
#pragma omp parallel if (cloud.tree.n > parallel_threshold)
    {
        std::vector<double> heap(cores.k);
        KthNearest<dimensions, periodic> search(cloud, cores.multiplicity, cores.k, heap.data(), 1);
#pragma omp for schedule(dynamic, 256)
        for (Index i = 0; i < cloud.tree.n; ++i) cores.core[i] = search.squared_from(i);
    }
}

/// On a GPU: a heap for each of the points that are searched at once.
template <int dimensions, bool periodic>
void fill_core(Exec exec, const Cloud<dimensions>& cloud, const CoreArrays& cores)
{
    if (exec.backend == Backend::cpu) return fill_core_cpu<dimensions, periodic>(cloud, cores);
    const Cloud<dimensions> c = cloud;
    const CoreArrays to = cores;
    const Index at_once = points_at_once(c.tree.n, to.k);
    for (Index first = 0; first < c.tree.n;) {
        const Index n = std::min(at_once, c.tree.n - first);
        for_each(exec, n, [=] AUREOLE_HD(Index t) {
            KthNearest<dimensions, periodic> search(c, to.multiplicity, to.k, to.heaps + t, at_once);
            to.core[first + t] = search.squared_from(first + t);
        });
        first += n;
    }
}

/// The least core distance of a node.
struct CoreBuilder : Hierarchy<double> {
    const double* core;

    AUREOLE_HD double leaf(Index k) const
    {
        const Index last = end(k);
        double least = core[begin(k)];
        for (Index i = begin(k) + 1; i < last; ++i)
            if (core[i] < least) least = core[i];
        return least;
    }
    AUREOLE_HD static double merge(double left, double right) { return left < right ? left : right; }
};

/// How many particles lie at each point: one, and those that coincident edges join to it.
template <int dimensions>
void count_particles(Exec exec, const BoruvkaTask<dimensions>& task, Index n_coincident,
                     const CoreArrays& cores)
{
    const Index* const rank = task.points.rank;
    Index *const point_of = cores.point_of, *const multiplicity = cores.multiplicity;
    const std::uint64_t* const ranks = task.edges.ranks;
    for_each(exec, task.cloud.tree.n, [=] AUREOLE_HD(Index i) {
        point_of[rank[i]] = i;
        multiplicity[i] = 1;
    });
    for_each(exec, n_coincident,
             [=] AUREOLE_HD(Index e) { atomic_add(&multiplicity[point_of[ranks[e] >> 32]], 1); });
}

template <int dimensions, bool periodic>
void search_leaves(Exec exec, const BoruvkaTask<dimensions>& task)
{
    const BoruvkaTask<dimensions> t = task;
    const Index first = t.cloud.tree.n_leaves();
    for_each_uneven(exec, first, [=] AUREOLE_HD(Index m) {
        OutsideSearch<dimensions, periodic, true>(t, first + m).run();
    });
}

}  // namespace

template <int dimensions>
void find_core_distances(Exec exec, BoruvkaTask<dimensions>& task, Index n_coincident,
                         const CoreArrays& cores)
{
    const Cloud<dimensions>& cloud = task.cloud;
    count_particles(exec, task, n_coincident, cores);
    if (cloud.metric.box.periodic())
        fill_core<dimensions, true>(exec, cloud, cores);
    else
        fill_core<dimensions, false>(exec, cloud, cores);
    build_nodes(exec, cloud.tree, CoreBuilder{{cloud.tree, cores.node_core}, cores.core});
    const CoreArrays of = cores;
    const EdgeArrays edges = task.edges;
    for_each(exec, n_coincident, [=] AUREOLE_HD(Index e) {
        edges.squared[e] = bits_of(of.core[of.point_of[edges.ranks[e] >> 32]]);
    });
    double* const cleared = task.points.cleared;
    for_each(exec, cloud.tree.n, [=] AUREOLE_HD(Index i) { cleared[i] = of.core[i]; });
    task.points.core = cores.core;
    task.points.node_core = cores.node_core;
}

template <int dimensions>
void search_reachable(Exec exec, const BoruvkaTask<dimensions>& task)
{
    const BoruvkaTask<dimensions> t = task;
    for_each(exec, t.cloud.tree.n, [=] AUREOLE_HD(Index i) { seed_bounds<dimensions, true>(t, i); });
    if (t.cloud.metric.box.periodic())
        search_leaves<dimensions, true>(exec, t);
    else
        search_leaves<dimensions, false>(exec, t);
}

#define AUREOLE_FOR(dimensions)                                                                  \
    template void find_core_distances(Exec, BoruvkaTask<dimensions>&, Index, const CoreArrays&); \
    template void search_reachable(Exec, const BoruvkaTask<dimensions>&)
AUREOLE_FOR(3);
AUREOLE_FOR(6);
#undef AUREOLE_FOR

}  // namespace aureole::halo
