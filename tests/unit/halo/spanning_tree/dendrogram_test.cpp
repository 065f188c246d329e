// The hierarchy of a spanning tree: by hand, and every cut of it against the groups of that length.
#include "halo/spanning_tree/dendrogram.hpp"

#include <gtest/gtest.h>

#include "tests/support/point_sets.hpp"

namespace aureole::test::dendrogram_test {
namespace {

halo::SpanningTree tree_of(Particles& host, std::uint8_t linking_types = 0x3f)
{
    return halo::SpanningTreeFinder().find({}, host.view(), {.linking_types = linking_types});
}

void expect_merge(const halo::Dendrogram::Merge& merge, std::uint64_t first, std::uint64_t second,
                  double length, Index size)
{
    EXPECT_EQ(merge.first, first);
    EXPECT_EQ(merge.second, second);
    EXPECT_EQ(merge.length(), length);
    EXPECT_EQ(merge.size, size);
}

TEST(Dendrogram, TwoPairsAndAStranger)
{
    Particles host = particles_at({{0, 0, 0}, {20, 0, 0}, {1, 0, 0}, {5, 0, 0}, {7, 0, 0}});
    const halo::Dendrogram dendrogram = halo::dendrogram_of(tree_of(host));
    EXPECT_EQ(dendrogram.particle, (std::vector<Index>{0, 1, 2, 3, 4}));
    ASSERT_EQ(dendrogram.merges.size(), 4u);
    expect_merge(dendrogram.merges[0], 0, 2, 1, 2);  // node 5
    expect_merge(dendrogram.merges[1], 3, 4, 2, 2);  // node 6
    expect_merge(dendrogram.merges[2], 5, 6, 4, 4);  // node 7
    expect_merge(dendrogram.merges[3], 1, 7, 13, 5);
}

TEST(Dendrogram, NoneAndOneParticle)
{
    EXPECT_TRUE(halo::dendrogram_of({}).particle.empty());
    Particles one = particles_at({{1, 2, 3}});
    const halo::Dendrogram dendrogram = halo::dendrogram_of(tree_of(one));
    EXPECT_EQ(dendrogram.particle, (std::vector<Index>{0}));
    EXPECT_TRUE(dendrogram.merges.empty());
}

TEST(Dendrogram, OnlyParticlesThatLinkAreLeaves)
{
    Particles host = particles_at({{0, 0, 0}, {9, 0, 0}, {1, 0, 0}, {3, 0, 0}});
    host.type.host()[1] = 0;
    const halo::Dendrogram dendrogram = halo::dendrogram_of(tree_of(host, 1 << 1));
    EXPECT_EQ(dendrogram.particle, (std::vector<Index>{0, 2, 3}));
    expect_merge(dendrogram.merges[0], 0, 1, 1, 2);
    expect_merge(dendrogram.merges[1], 2, 3, 2, 3);
    EXPECT_TRUE(halo::dendrogram_of(tree_of(host, 1 << 5)).particle.empty());
}

/// The nodes that no merge up to the length has merged further, by falling size.
std::vector<Index> sizes_at(const halo::Dendrogram& dendrogram, double length)
{
    std::vector<Index> sizes(dendrogram.particle.size(), 1);
    for (const auto& merge : dendrogram.merges) {
        if (merge.squared_length > length * length) break;
        EXPECT_EQ(merge.size, sizes[merge.first] + sizes[merge.second]);
        sizes[merge.first] = sizes[merge.second] = 0;
        sizes.push_back(merge.size);
    }
    std::erase(sizes, 0u);
    std::sort(sizes.rbegin(), sizes.rend());
    return sizes;
}

TEST(Dendrogram, ItsCutsAreTheGroups)
{
    Points x = clustered_points(1000, 41);
    for (std::size_t i = 0; i < 100; ++i) x[i + 300] = x[i % 7];
    Particles host = particles_at(x);
    const halo::SpanningTree tree = tree_of(host);
    const halo::Dendrogram dendrogram = halo::dendrogram_of(tree);
    for (double length = 1e-5; length < 1; length *= 1.7)
        EXPECT_EQ(sizes_at(dendrogram, length), halo::groups_at(tree, length, 1, host.id.host()).n_members);
    for (std::size_t k = 0; k < dendrogram.merges.size(); ++k) {
        EXPECT_LT(dendrogram.merges[k].first, dendrogram.merges[k].second);
        EXPECT_LT(dendrogram.merges[k].second, dendrogram.particle.size() + k);
        const std::size_t before = k == 0 ? 0 : k - 1;
        EXPECT_GE(dendrogram.merges[k].squared_length, dendrogram.merges[before].squared_length);
    }
}

}  // namespace
}  // namespace aureole::test::dendrogram_test
