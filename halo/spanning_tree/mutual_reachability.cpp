// Spanning trees of mutual reachability: the length of an edge is the largest of the two core distances of
// its ends and their distance (Campello, Moulavi & Sander 2013). All on the host.
#include "halo/spanning_tree/boruvka.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "halo/spanning_tree/nearest_outside.hpp"

namespace aureole::halo {
namespace {

/// Visits nodes for the distance of the k-th nearest particle: a heap of the k least so far.
template <int dimensions, bool periodic>
class KthNearest {
public:
    KthNearest(const Cloud<dimensions>& cloud, const Index* multiplicity, Index k)
        : cloud_(cloud), multiplicity_(multiplicity), k_(k)
    {
        heap_.reserve(k);
    }

    double squared_from(Index i)
    {
        for (int axis = 0; axis < dimensions; ++axis) at_[axis] = cloud_.coordinate[axis][i];
        heap_.clear();
        bound_ = limit_ = std::numeric_limits<double>::infinity();
        const Index own = cloud_.tree.leaf_of(i);
        leaf(own);
        for (Index node = own; node != BalancedTree::root; node = BalancedTree::parent(node))
            traverse_near_first(cloud_.tree, BalancedTree::sibling(node), *this);
        return bound_;
    }

    double distance(Index node) const { return cloud_.template squared<periodic>(at_, cloud_.box[node]); }
    bool reaches(double distance) const { return distance <= limit_ && bound_ > 0; }
    void leaf(Index node)
    {
        const Index end = cloud_.tree.end(node);
        for (Index j = cloud_.tree.begin(node); j < end; ++j) {
            const double squared = cloud_.squared(at_, j);
            for (Index copy = 0; copy < multiplicity_[j] && squared < bound_; ++copy) add(squared);
        }
    }

private:
    void add(double squared)
    {
        if (heap_.size() == k_) {
            std::pop_heap(heap_.begin(), heap_.end());
            heap_.back() = squared;
        } else {
            heap_.push_back(squared);
        }
        std::push_heap(heap_.begin(), heap_.end());
        if (heap_.size() < k_) return;
        bound_ = heap_.front();
        limit_ = cloud_.metric.slack(bound_);
    }

    const Cloud<dimensions>& cloud_;
    const Index* multiplicity_;
    std::size_t k_;
    double at_[dimensions];
    double bound_, limit_;  ///< the largest in a full heap, and the same with slack
    std::vector<double> heap_;
};

template <int dimensions, bool periodic>
void fill_core(const Cloud<dimensions>& cloud, const Index* multiplicity, Index k, double* core)
{
#pragma omp parallel if (cloud.tree.n > parallel_threshold)
    {
        KthNearest<dimensions, periodic> search(cloud, multiplicity, k);
#pragma omp for schedule(dynamic, 256)
        for (Index i = 0; i < cloud.tree.n; ++i) core[i] = search.squared_from(i);
    }
}

template <int dimensions, bool periodic>
void search_leaves(const BoruvkaTask<dimensions>& task)
{
    const Index first = task.cloud.tree.n_leaves();
#pragma omp parallel for schedule(dynamic, 64) if (first > parallel_threshold)
    for (Index m = 0; m < first; ++m) OutsideSearch<dimensions, periodic, true>(task, first + m).run();
}

}  // namespace

template <int dimensions>
void find_core_distances(const Cloud<dimensions>& cloud, const Index* multiplicity, Index k, double* core,
                         double* node_core)
{
    if (cloud.metric.box.periodic())
        fill_core<dimensions, true>(cloud, multiplicity, k, core);
    else
        fill_core<dimensions, false>(cloud, multiplicity, k, core);
    const BalancedTree& tree = cloud.tree;
    for (Index node = 2 * tree.n_leaves() - 1; node >= BalancedTree::root; --node)
        node_core[node] =
            tree.is_leaf(node)
                ? *std::min_element(core + tree.begin(node), core + tree.end(node))
                : std::min(node_core[BalancedTree::left(node)], node_core[BalancedTree::right(node)]);
}

template <int dimensions>
void search_reachable(const BoruvkaTask<dimensions>& task)
{
#pragma omp parallel for if (task.cloud.tree.n > parallel_threshold)
    for (Index i = 0; i < task.cloud.tree.n; ++i) seed_bounds<dimensions, true>(task, i);
    if (task.cloud.metric.box.periodic())
        search_leaves<dimensions, true>(task);
    else
        search_leaves<dimensions, false>(task);
}

#define AUREOLE_FOR(dimensions)                                                                         \
    template void find_core_distances(const Cloud<dimensions>&, const Index*, Index, double*, double*); \
    template void search_reachable(const BoruvkaTask<dimensions>&)
AUREOLE_FOR(3);
AUREOLE_FOR(6);
#undef AUREOLE_FOR

}  // namespace aureole::halo
