// Condensed trees by hand, beside a recursion over sets of points, and what is selected of them.
#include "halo/spanning_tree/condensed_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "sim/core/error.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::condensed_tree_test {
namespace {

using halo::CondensedTree;
constexpr double infinity = std::numeric_limits<double>::infinity();

halo::SpanningTree tree_of(const Points& x, Index min_samples = 1)
{
    Particles host = particles_at(x);
    return halo::SpanningTreeFinder().find({}, host.view(), {.min_samples = min_samples});
}
CondensedTree condensed(const Points& x, Index min_cluster_size)
{
    return halo::condensed_tree_of(halo::dendrogram_of(tree_of(x)), min_cluster_size);
}

/// What does not depend on how clusters are numbered: per cluster (birth, size, stability), and per point
/// (lambda, birth of its cluster, size of its cluster).
struct Summary {
    std::vector<std::tuple<double, Index, double>> clusters;
    std::vector<std::tuple<double, double, Index>> points;
};

/// By recursion over sets of points: the longest edges of a set are cut at once.
class Reference {
public:
    Reference(const halo::SpanningTree& tree, Index min_cluster_size)
        : tree_(tree), least_(min_cluster_size), set_(tree.n_particles, 0)
    {
        summary_.points.resize(tree.n_particles);
        summary_.clusters.push_back({0, tree.n_particles, 0});
    }

    Summary run()
    {
        follow(0, 0);
        return summary_;
    }

private:
    std::vector<Index> members(int set) const
    {
        std::vector<Index> result;
        for (Index i = 0; i < set_.size(); ++i)
            if (set_[i] == set) result.push_back(i);
        return result;
    }
    /// Gives the points that edges shorter than this connect to `from` a set of their own.
    void flood(Index from, double squared_length, int set)
    {
        const int old = set_[from];
        set_[from] = set;
        for (bool grown = true; grown;) {
            grown = false;
            for (const auto& edge : tree_.edges)
                if (edge.squared_length < squared_length)
                    for (const auto [a, b] : {std::pair(edge.u, edge.v), std::pair(edge.v, edge.u)})
                        if (set_[a] == set && set_[b] == old) set_[b] = set, grown = true;
        }
    }
    void leave(Index cluster, double lambda, std::size_t points)
    {
        auto& [birth, size, stability] = summary_.clusters[cluster];
        stability += (lambda - birth) * static_cast<double>(points);
    }
    void follow(int set, Index cluster)
    {
        double longest = 0;
        for (const auto& edge : tree_.edges)
            if (set_[edge.u] == set && set_[edge.v] == set) longest = std::max(longest, edge.squared_length);
        const double lambda = 1 / std::sqrt(longest);
        std::vector<std::pair<int, std::vector<Index>>> parts;
        for (const Index i : members(set))
            if (set_[i] == set) {
                flood(i, longest, ++n_sets_);
                parts.push_back({n_sets_, members(n_sets_)});
            }
        const auto large = std::count_if(parts.begin(), parts.end(),
                                         [&](const auto& p) { return p.second.size() >= least_; });
        for (const auto& [part, points] : parts) {
            if (points.size() < least_) {
                leave(cluster, lambda, points.size());
                for (const Index i : points)
                    summary_.points[i] = {lambda, std::get<0>(summary_.clusters[cluster]),
                                          std::get<1>(summary_.clusters[cluster])};
            } else if (large == 1) {
                follow(part, cluster);
            } else {
                leave(cluster, lambda, points.size());
                summary_.clusters.push_back({lambda, static_cast<Index>(points.size()), 0});
                follow(part, static_cast<Index>(summary_.clusters.size() - 1));
            }
        }
    }

    const halo::SpanningTree& tree_;
    std::size_t least_;
    std::vector<int> set_;
    int n_sets_ = 0;
    Summary summary_;
};

Summary summary_of(const CondensedTree& tree)
{
    Summary summary;
    for (const auto& cluster : tree.clusters)
        summary.clusters.push_back({cluster.birth, cluster.size, cluster.stability});
    for (std::size_t i = 0; i < tree.lambda.size(); ++i) {
        const auto& cluster = tree.clusters[tree.cluster[i]];
        summary.points.push_back({tree.lambda[i], cluster.birth, cluster.size});
    }
    return summary;
}

void expect_reference(const Points& x, Index min_samples, Index min_cluster_size)
{
    const halo::SpanningTree tree = tree_of(x, min_samples);
    Summary found = summary_of(halo::condensed_tree_of(halo::dendrogram_of(tree), min_cluster_size));
    Summary expected = Reference(tree, min_cluster_size).run();
    EXPECT_EQ(found.points, expected.points);
    std::sort(found.clusters.begin(), found.clusters.end());
    std::sort(expected.clusters.begin(), expected.clusters.end());
    ASSERT_EQ(found.clusters.size(), expected.clusters.size());
    for (std::size_t c = 0; c < found.clusters.size(); ++c) {
        const auto [birth, size, stability] = expected.clusters[c];
        EXPECT_EQ(std::get<0>(found.clusters[c]), birth);
        EXPECT_EQ(std::get<1>(found.clusters[c]), size);
        if (std::isinf(stability))
            EXPECT_EQ(std::get<2>(found.clusters[c]), stability);
        else
            EXPECT_NEAR(std::get<2>(found.clusters[c]), stability, 1e-11 * (1 + stability));
    }
}

/// Two triples, a point that joins the second and one far away.
const Points two_triples{{0, 0, 0},  {1, 0, 0},  {2, 0, 0},  {10, 0, 0},
                         {12, 0, 0}, {14, 0, 0}, {18, 0, 0}, {50, 0, 0}};

TEST(CondensedTree, TwoTriplesSplitAndLosePoints)
{
    const CondensedTree tree = condensed(two_triples, 3);
    ASSERT_EQ(tree.clusters.size(), 3u);
    EXPECT_EQ(tree.clusters[0].size, 8u);
    EXPECT_DOUBLE_EQ(tree.clusters[0].stability, 1 / 32.0 + 7 / 8.0);
    EXPECT_DOUBLE_EQ(tree.clusters[0].death, 1 / 8.0);
    const int first = tree.cluster[0], second = tree.cluster[3];
    EXPECT_NE(first, second);
    for (const int c : {first, second}) {
        EXPECT_EQ(tree.clusters[c].parent, 0);
        EXPECT_EQ(tree.clusters[c].birth, 1 / 8.0);
    }
    EXPECT_EQ(tree.clusters[first].size, 3u);
    EXPECT_EQ(tree.clusters[second].size, 4u);
    EXPECT_DOUBLE_EQ(tree.clusters[first].stability, 3 * (1 - 1 / 8.0));
    EXPECT_DOUBLE_EQ(tree.clusters[second].stability, 3 * (1 / 2.0 - 1 / 8.0) + (1 / 4.0 - 1 / 8.0));
    EXPECT_EQ(tree.cluster,
              (std::vector<std::int32_t>{first, first, first, second, second, second, second, 0}));
    EXPECT_EQ(tree.lambda, (std::vector<double>{1, 1, 1, 0.5, 0.5, 0.5, 0.25, 1 / 32.0}));
}

TEST(CondensedTree, MergesOfOneLengthCountAsOne)
{
    // three pairs and a single point, all one apart from the next: nothing tells which of them merge first
    const halo::SpanningTree tree =
        tree_of({{0, 0, 0}, {1, 0, 0}, {9, 0, 0}, {17, 0, 0}, {18, 0, 0}, {26, 0, 0}, {27, 0, 0}});
    const CondensedTree found = halo::condensed_tree_of(halo::dendrogram_of(tree), 2);
    ASSERT_EQ(found.clusters.size(), 4u);
    for (const int c : {1, 2, 3}) EXPECT_EQ(found.clusters[c].parent, 0);
    EXPECT_EQ(found.cluster[2], 0);
    EXPECT_EQ(found.lambda[2], 1 / 8.0);
}

TEST(CondensedTree, PointsAtOnePlaceNeverSplit)
{
    Points x(6, {1, 1, 1});
    x.resize(12, {2, 1, 1});
    const CondensedTree tree = condensed(x, 3);
    ASSERT_EQ(tree.clusters.size(), 3u);
    EXPECT_EQ(tree.lambda, std::vector<double>(12, infinity));
    EXPECT_EQ(tree.clusters[1].stability, infinity);
    EXPECT_EQ(halo::select_clusters(tree, {}).label,
              (std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
}

TEST(CondensedTree, NoneOneAndFewPoints)
{
    EXPECT_TRUE(condensed({}, 2).lambda.empty());
    EXPECT_EQ(halo::select_clusters(condensed({{1, 2, 3}}, 2), {}).label, (std::vector<std::int32_t>{-1}));
    EXPECT_EQ(halo::select_clusters(condensed({{1, 2, 3}, {2, 2, 3}}, 5), {}).label,
              (std::vector<std::int32_t>{-1, -1}));
    EXPECT_THROW(condensed({{1, 2, 3}}, 1), ArgumentError);
}

TEST(CondensedTree, RandomSetsMatchTheRecursion)
{
    for (const Index min_samples : {1u, 4u})
        for (const Index least : {2u, 5u, 20u}) {
            SCOPED_TRACE(std::to_string(min_samples) + " samples, clusters of " + std::to_string(least));
            expect_reference(clustered_points(200, 90 + least), min_samples, least);
            Points x = clustered_points(200, 95);
            for (auto& p : x)
                for (double& c : p) c = std::round(8 * c) / 8;  // many equal lengths and places
            expect_reference(x, min_samples, least);
            expect_reference(lattice_points(5, 1), min_samples, least);
        }
}

TEST(CondensedTree, SelectionsByHand)
{
    const CondensedTree tree = condensed(two_triples, 3);
    using Labels = std::vector<std::int32_t>;
    const halo::FlatClusters stable = halo::select_clusters(tree, {});
    EXPECT_EQ(stable.label, (Labels{1, 1, 1, 0, 0, 0, 0, -1}));
    EXPECT_EQ(stable.probability, (std::vector<double>{1, 1, 1, 1, 1, 1, 0.5, 0}));
    EXPECT_EQ(halo::select_clusters(tree, {.leaves = true}).label, stable.label);
    EXPECT_EQ(halo::select_clusters(tree, {.allow_single = true}).label, stable.label);
    // one cluster where both parts are less stable than the whole: those that leave it last
    const Points even{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3.1, 0, 0}, {4.1, 0, 0}, {5.1, 0, 0}, {7.1, 0, 0}};
    EXPECT_EQ(halo::select_clusters(condensed(even, 3), {}).label, (Labels{0, 0, 0, 1, 1, 1, -1}));
    EXPECT_EQ(halo::select_clusters(condensed(even, 3), {.allow_single = true}).label,
              (Labels{0, 0, 0, 0, 0, 0, -1}));
    EXPECT_EQ(halo::select_clusters(condensed(even, 3), {.allow_single = true, .max_size = 6}).label,
              (Labels{0, 0, 0, 1, 1, 1, -1}));
}

TEST(CondensedTree, SplitsBelowTheLeastDistanceAreUndone)
{
    // two pairs of triples: the triples are 2 apart, the pairs 20
    Points x;
    for (const double pair : {0.0, 24.0})
        for (const double triple : {0.0, 3.0})
            for (const double at : {0.0, 0.5, 1.0}) x.push_back({pair + triple + at, 0, 0});
    const CondensedTree tree = condensed(x, 3);
    using Labels = std::vector<std::int32_t>;
    const Labels triples{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}, pairs{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
    EXPECT_EQ(halo::select_clusters(tree, {}).label, triples);
    EXPECT_EQ(halo::select_clusters(tree, {.least_distance = 1.9}).label, triples);
    for (const bool leaves : {false, true})
        EXPECT_EQ(halo::select_clusters(tree, {.leaves = leaves, .least_distance = 2.1}).label, pairs);
    EXPECT_EQ(halo::select_clusters(tree, {.least_distance = 30}).label, pairs);
    EXPECT_EQ(halo::select_clusters(tree, {.allow_single = true, .least_distance = 30}).label, Labels(12, 0));
}

}  // namespace
}  // namespace aureole::test::condensed_tree_test
