#include "halo/spanning_tree/dendrogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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

namespace {

constexpr Index unjoined = 0xffffffffu;

/// Per particle the smallest particle that is connected to it by edges up to the length, or unjoined.
std::vector<Index> sets_at(const SpanningTree& tree, double squared_length)
{
    std::vector<Index> set(tree.n_particles);
    std::iota(set.begin(), set.end(), Index{0});
    const UnionFind sets{set.data()};
    const auto reach = std::partition_point(tree.edges.begin(), tree.edges.end(), [&](const auto& edge) {
        return edge.squared_length <= squared_length;
    });
    const auto n_edges = static_cast<Index>(reach - tree.edges.begin());
#pragma omp parallel for if (n_edges > parallel_threshold)
    for (Index e = 0; e < n_edges; ++e) sets.unite(tree.edges[e].u, tree.edges[e].v);
#pragma omp parallel for if (tree.n_particles > parallel_threshold)
    for (Index i = 0; i < tree.n_particles; ++i) sets.flatten(i);

    if (tree.n_linking == 0) std::fill(set.begin(), set.end(), unjoined);
    for (const SpanningTree::Join& join : tree.joins)
        set[join.particle] = join.squared_length <= squared_length ? set[join.nearest] : unjoined;
    return set;
}

struct Candidate {
    Index set, n_members;
    std::uint64_t smallest_id;
};

/// Those with enough members, in canonical order.
std::vector<Candidate> groups_of(const std::vector<Index>& set, Index min_members,
                                 std::span<const std::uint64_t> ids)
{
    std::vector<Index> n_members(set.size(), 0);
    for (const Index s : set)
        if (s != unjoined) ++n_members[s];
    std::vector<Candidate> groups;
    std::vector<Index> row(set.size(), unjoined);
    for (Index s = 0; s < set.size(); ++s)
        if (n_members[s] >= min_members) {
            row[s] = static_cast<Index>(groups.size());
            groups.push_back({s, n_members[s], std::numeric_limits<std::uint64_t>::max()});
        }
    for (std::size_t i = 0; i < set.size(); ++i)
        if (set[i] != unjoined && row[set[i]] != unjoined) {
            Candidate& group = groups[row[set[i]]];
            group.smallest_id = std::min(group.smallest_id, ids.empty() ? i : ids[i]);
        }
    std::sort(groups.begin(), groups.end(), [](const Candidate& a, const Candidate& b) {
        if (a.n_members != b.n_members) return a.n_members > b.n_members;
        return a.smallest_id != b.smallest_id ? a.smallest_id < b.smallest_id : a.set < b.set;
    });
    return groups;
}

}  // namespace

Groups groups_at(const SpanningTree& tree, double linking_length, Index min_members,
                 std::span<const std::uint64_t> ids)
{
    AUREOLE_EXPECT(std::isfinite(linking_length) && linking_length > 0,
                   "linking length {}, expected a positive, finite number", linking_length);
    AUREOLE_EXPECT(std::isnormal(linking_length * linking_length),
                   "the square of linking length {} is not a normal number", linking_length);
    AUREOLE_EXPECT(min_members > 0, "min_members is 0, expected at least 1");
    AUREOLE_EXPECT(ids.empty() || ids.size() == tree.n_particles,
                   "{} ids for a spanning tree of {} particles", ids.size(), tree.n_particles);

    const std::vector<Index> set = sets_at(tree, linking_length * linking_length);
    const std::vector<Candidate> groups = groups_of(set, min_members, ids);
    AUREOLE_EXPECT(groups.size() <= std::numeric_limits<std::int32_t>::max(),
                   "{} groups are more than a label can number: ask for more members than {}", groups.size(),
                   min_members);

    Groups result;
    std::vector<std::int32_t> row(set.size(), -1);
    for (const Candidate& group : groups) {
        row[group.set] = static_cast<std::int32_t>(result.size());
        result.n_members.push_back(group.n_members);
    }
    result.label.resize(set.size());
    for (std::size_t i = 0; i < set.size(); ++i) result.label[i] = set[i] == unjoined ? -1 : row[set[i]];
    return result;
}

}  // namespace aureole::halo
