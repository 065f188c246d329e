#include "halo/spanning_tree/condensed_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

constexpr std::int32_t no_cluster = -1;

/// From the last merge to the first: what becomes of the two parts of each.
class Condensing {
public:
    Condensing(const Dendrogram& dendrogram, Index min_cluster_size)
        : merges_(dendrogram.merges),
          n_(dendrogram.particle.size()),
          min_size_(min_cluster_size),
          top_(merges_.size()),
          n_large_(merges_.size(), 0),
          state_(merges_.size())
    {
        result_.clusters.push_back({.parent = no_cluster, .birth = 0, .size = static_cast<Index>(n_)});
        result_.cluster.assign(n_, 0);
        result_.lambda.assign(n_, std::numeric_limits<double>::infinity());
    }

    CondensedTree run()
    {
        count_large_parts();
        for (std::size_t k = merges_.size(); k-- > 0;)
            for (const std::uint64_t part : {merges_[k].first, merges_[k].second}) follow(k, part);
        for (std::size_t i = 0; i < n_ && n_ > 1; ++i) leave(result_.cluster[i], result_.lambda[i], 1);
        return std::move(result_);
    }

private:
    /// The cluster of a merge's particles, and when they have left it: lambda, or -1 while they have not.
    struct State {
        std::int32_t cluster = 0;
        double left = -1;
    };

    bool is_leaf(std::uint64_t node) const { return node < n_; }
    double lambda_of(std::size_t k) const { return 1 / merges_[k].length(); }
    bool same_length(std::size_t j, std::size_t k) const
    {
        return merges_[j].squared_length == merges_[k].squared_length;
    }

    /// Merges of one length that are connected share their top one; of its parts it counts the large ones.
    void count_large_parts()
    {
        if (!top_.empty()) top_.back() = merges_.size() - 1;
        for (std::size_t k = merges_.size(); k-- > 0;)
            for (const std::uint64_t part : {merges_[k].first, merges_[k].second}) {
                if (is_leaf(part)) continue;
                const std::size_t j = part - n_;
                top_[j] = same_length(j, k) ? top_[k] : j;
                if (!same_length(j, k) && merges_[j].size >= min_size_) ++n_large_[top_[k]];
            }
    }

    void follow(std::size_t k, std::uint64_t part)
    {
        State state = state_[k];
        if (is_leaf(part)) {
            result_.cluster[part] = state.cluster;
            result_.lambda[part] = state.left < 0 ? lambda_of(k) : state.left;
            return;
        }
        const std::size_t j = part - n_;
        if (!same_length(j, k) && state.left < 0) {
            if (merges_[j].size < min_size_)
                state.left = lambda_of(k);
            else if (n_large_[top_[k]] > 1)
                state.cluster = split_off(state.cluster, lambda_of(k), merges_[j].size);
        }
        state_[j] = state;
    }

    std::int32_t split_off(std::int32_t parent, double lambda, Index size)
    {
        AUREOLE_EXPECT(result_.clusters.size() < std::numeric_limits<std::int32_t>::max(),
                       "{} clusters are more than a label can number: ask for more particles than {} in each",
                       result_.clusters.size(), min_size_);
        leave(parent, lambda, size);
        result_.clusters.push_back({.parent = parent, .birth = lambda, .size = size});
        return static_cast<std::int32_t>(result_.clusters.size() - 1);
    }

    void leave(std::int32_t from, double lambda, Index particles)
    {
        CondensedTree::Cluster& cluster = result_.clusters[from];
        cluster.stability += (lambda - cluster.birth) * particles;
        cluster.death = std::max(cluster.death, lambda);
    }

    const std::vector<Dendrogram::Merge>& merges_;
    std::size_t n_;
    Index min_size_;
    std::vector<std::size_t> top_;
    std::vector<Index> n_large_;  ///< per top merge: parts of at least min_size_
    std::vector<State> state_;    ///< per merge
    CondensedTree result_;
};

using Flags = std::vector<bool>;

/// Clusters whose stability is at least the sum of the best choice below them, which comes after them.
Flags most_stable(const CondensedTree& tree, const ClusterSelection& selection)
{
    const std::size_t n = tree.clusters.size();
    Flags taken(n);
    std::vector<double> of_children(n, 0);
    for (std::size_t c = n; c-- > 0;) {
        const CondensedTree::Cluster& cluster = tree.clusters[c];
        const bool too_large = selection.max_size > 0 && cluster.size > selection.max_size;
        taken[c] = !too_large && of_children[c] <= cluster.stability;
        if (cluster.parent != no_cluster)
            of_children[cluster.parent] += taken[c] ? cluster.stability : of_children[c];
    }
    return taken;
}

Flags leaves_of(const CondensedTree& tree)
{
    Flags taken(tree.clusters.size(), true);
    for (const CondensedTree::Cluster& cluster : tree.clusters)
        if (cluster.parent != no_cluster) taken[cluster.parent] = false;
    return taken;
}

/// Takes the cluster instead that `c` was part of at the least distance.
void take_wider(const CondensedTree& tree, const ClusterSelection& selection, std::size_t c, Flags& taken)
{
    const double largest_birth = 1 / selection.least_distance;
    if (tree.clusters[c].birth <= largest_birth) return;
    taken[c] = false;
    while (tree.clusters[c].birth >= largest_birth) {
        const std::int32_t parent = tree.clusters[c].parent;
        if (parent == 0 && !selection.allow_single) break;
        c = static_cast<std::size_t>(parent);
    }
    taken[c] = true;
}

/// Per cluster the outermost taken one that it is or lies in, or none.
std::vector<std::int32_t> outermost(const CondensedTree& tree, const Flags& taken)
{
    std::vector<std::int32_t> around(tree.clusters.size(), no_cluster);
    for (std::size_t c = 0; c < around.size(); ++c) {
        const std::int32_t parent = tree.clusters[c].parent;
        if (parent != no_cluster) around[c] = around[parent];
        if (around[c] == no_cluster && taken[c]) around[c] = static_cast<std::int32_t>(c);
    }
    return around;
}

/// Per cluster the one of the selection that it is or lies in, or none.
std::vector<std::int32_t> selected_around(const CondensedTree& tree, const ClusterSelection& selection)
{
    Flags taken = selection.leaves ? leaves_of(tree) : most_stable(tree, selection);
    if (!selection.allow_single) taken[0] = false;
    const std::vector<std::int32_t> around = outermost(tree, taken);
    if (!(selection.least_distance > 0)) return around;
    for (std::size_t c = tree.clusters.size(); c-- > 1;)
        if (around[c] == static_cast<std::int32_t>(c)) take_wider(tree, selection, c, taken);
    return outermost(tree, taken);
}

/// Renames clusters to 0, 1, ... by falling number of particles, then by the first one.
void number_by_size(std::vector<std::int32_t>& label, std::size_t n_clusters)
{
    std::vector<Index> size(n_clusters, 0);
    std::vector<std::int32_t> present;  // in the order of first particles
    for (const std::int32_t c : label)
        if (c != no_cluster && size[c]++ == 0) present.push_back(c);
    std::stable_sort(present.begin(), present.end(), [&](auto a, auto b) { return size[a] > size[b]; });
    std::vector<std::int32_t> number(n_clusters);
    for (std::size_t k = 0; k < present.size(); ++k) number[present[k]] = static_cast<std::int32_t>(k);
    for (std::int32_t& c : label)
        if (c != no_cluster) c = number[c];
}

}  // namespace

CondensedTree condensed_tree_of(const Dendrogram& dendrogram, Index min_cluster_size)
{
    if (min_cluster_size < 2)
        throw ArgumentError(fmt::format("min_cluster_size is {}, expected at least 2", min_cluster_size));
    return Condensing(dendrogram, min_cluster_size).run();
}

FlatClusters select_clusters(const CondensedTree& tree, const ClusterSelection& selection)
{
    const std::vector<std::int32_t> around = selected_around(tree, selection);
    const double least_in_first =
        selection.least_distance > 0 ? 1 / selection.least_distance : tree.clusters[0].death;
    FlatClusters result{std::vector<std::int32_t>(tree.cluster.size(), no_cluster),
                        std::vector<double>(tree.cluster.size(), 0)};
    for (std::size_t i = 0; i < tree.cluster.size(); ++i) {
        const std::int32_t c = around[tree.cluster[i]];
        const double lambda = tree.lambda[i];
        if (c == no_cluster || (c == 0 && lambda < least_in_first)) continue;
        const double death = tree.clusters[c].death;
        result.label[i] = c;
        result.probability[i] = death == 0 || std::isinf(lambda) ? 1 : std::min(lambda, death) / death;
    }
    number_by_size(result.label, tree.clusters.size());
    return result;
}

}  // namespace aureole::halo
