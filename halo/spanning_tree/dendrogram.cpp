#include "halo/spanning_tree/dendrogram.hpp"

#include <algorithm>

#include "halo/union_find.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

/// Particles that link: all but those that join.
std::vector<Index> linking_particles(const SpanningTree& tree)
{
    std::vector<Index> linking;
    if (tree.n_linking == 0) return linking;
    linking.reserve(tree.n_linking);
    auto join = tree.joins.begin();
    for (Index i = 0; i < tree.n_particles; ++i) {
        if (join != tree.joins.end() && join->particle == i)
            ++join;
        else
            linking.push_back(i);
    }
    return linking;
}

}  // namespace

Dendrogram dendrogram_of(const SpanningTree& tree)
{
    Dendrogram result{linking_particles(tree), {}};
    const std::size_t n = result.particle.size();
    AUREOLE_EXPECT(n == tree.n_linking && tree.edges.size() + 1 == std::max<std::size_t>(n, 1),
                   "a spanning tree of {} particles with {} edges, {} of them linking", tree.n_particles,
                   tree.edges.size(), n);
    std::vector<Index> parent(tree.n_particles);
    std::vector<Index> size(tree.n_particles, 1);       // per root
    std::vector<std::uint64_t> node(tree.n_particles);  // per root
    for (Index i = 0; i < tree.n_particles; ++i) parent[i] = i;
    for (std::size_t leaf = 0; leaf < n; ++leaf) node[result.particle[leaf]] = leaf;

    const UnionFind sets{parent.data()};
    result.merges.reserve(tree.edges.size());
    for (const SpanningTree::Edge& edge : tree.edges) {
        const Index a = sets.find(edge.u), b = sets.find(edge.v);
        const Index members = size[a] + size[b];
        const auto [first, second] = std::minmax({node[a], node[b]});
        const std::uint64_t merged = n + result.merges.size();
        result.merges.push_back({first, second, edge.squared_length, members});
        const Index root = sets.unite(a, b);
        size[root] = members;
        node[root] = merged;
    }
    return result;
}

}  // namespace aureole::halo
