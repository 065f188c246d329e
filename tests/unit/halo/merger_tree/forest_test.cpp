// Trees from links: a case by hand, and a verifier of all pointers on random links.
#include "halo/merger_tree/forest.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "sim/core/error.hpp"

namespace aureole::test::forest_test {
namespace {

using halo::Forest, halo::ForestCatalogue, halo::TreeHalo;
using Rows = std::vector<std::int64_t>;

ForestCatalogue catalogue(Rows group, Rows main, Rows descendant, Rows skip = {}, Rows split = {})
{
    const std::size_t n = group.size();
    ForestCatalogue result;
    result.mass.assign(n, 1);
    result.group = std::move(group);
    result.main = std::move(main);
    result.skip = skip.empty() ? Rows(n, -1) : std::move(skip);
    result.split_from = split.empty() ? Rows(n, -1) : std::move(split);
    result.descendant = std::move(descendant);
    return result;
}

TEST(Forest, AMergerASkipAndALonelyHaloByHand)
{
    // 0: a b c; 1: a c (b hidden); 2: a+c, b; and from 1 on a lonely halo d
    const Forest forest = halo::forest_of({
        catalogue({0, 0, 0}, {-1, -1, -1}, {0, 0, 1}),
        catalogue({0, 0, 1}, {0, 2, -1}, {0, 0, 2}),
        catalogue({0, 0, 1}, {0, -1, 2}, {}, {-1, 1, -1}),
    });
    ASSERT_EQ(forest.size(), 2u);
    EXPECT_EQ(forest.begin, (std::vector<std::uint64_t>{0, 7, 9}));
    const auto name = [](const TreeHalo& halo) { return std::pair(halo.catalogue, halo.row); };
    std::vector<std::pair<int, int>> order;
    for (const TreeHalo& halo : forest.halos) order.push_back(name(halo));
    EXPECT_EQ(order, (std::vector<std::pair<int, int>>{
                         {2, 0}, {1, 0}, {0, 0}, {1, 1}, {0, 2}, {2, 1}, {0, 1}, {2, 2}, {1, 2}}));
    const TreeHalo &root = forest.halos[0], &c = forest.halos[3], &b = forest.halos[5];
    EXPECT_EQ(root.descendant, -1);
    EXPECT_EQ(root.first_progenitor, 1);
    EXPECT_EQ(forest.halos[1].next_progenitor, 3);
    EXPECT_EQ(c.descendant, 0);
    EXPECT_EQ(c.next_progenitor, -1);
    EXPECT_EQ(b.main_progenitor, 6) << "over the gap";
    EXPECT_EQ(forest.halos[6].descendant, 5);
    EXPECT_EQ(b.first_in_group, 0);
    EXPECT_EQ(root.next_in_group, 5);
    EXPECT_EQ(forest.halos[8].tree, 1);
    EXPECT_EQ(forest.halos[8].place, 1);
}

TEST(Forest, AFragmentPointsToItsOriginWithoutDescendingFromIt)
{
    const Forest forest =
        halo::forest_of({catalogue({0}, {-1}, {0}), catalogue({0, 1}, {0, -1}, {}, {}, {-1, 0})});
    ASSERT_EQ(forest.size(), 1u);
    const TreeHalo &origin = forest.halos[1], &fragment = forest.halos[2];
    EXPECT_EQ(fragment.progenitor, 1);
    EXPECT_EQ(fragment.main_progenitor, -1);
    EXPECT_EQ(fragment.first_progenitor, -1);
    EXPECT_EQ(origin.first_descendant, 0);
    EXPECT_EQ(forest.halos[0].next_descendant, 2);
    EXPECT_EQ(fragment.next_descendant, -1);
}

/// Every walk ends, every halo is met once, and what points forth is pointed back to.
void verify(const Forest& forest, std::size_t n)
{
    ASSERT_EQ(forest.halos.size(), n);
    std::set<std::pair<int, int>> met;
    for (std::size_t t = 0; t < forest.size(); ++t) {
        const auto size = static_cast<std::int32_t>(forest.begin[t + 1] - forest.begin[t]);
        const TreeHalo* const tree = forest.halos.data() + forest.begin[t];
        EXPECT_EQ(tree[0].descendant, -1) << "the root is first";
        std::vector<int> as_progenitor(size, 0), as_descendant(size, 0), in_group(size, 0);
        for (std::int32_t k = 0; k < size; ++k) {
            const TreeHalo& halo = tree[k];
            EXPECT_TRUE(met.insert({halo.catalogue, halo.row}).second);
            EXPECT_EQ(halo.tree, static_cast<std::int32_t>(t));
            EXPECT_EQ(halo.place, k);
            int steps = 0;
            for (std::int32_t p = halo.first_progenitor; p >= 0 && steps <= size;
                 p = tree[p].next_progenitor) {
                ++as_progenitor[p], ++steps;
                EXPECT_EQ(tree[p].descendant, k);
                EXPECT_LT(tree[p].catalogue, halo.catalogue);
                EXPECT_GT(p, k) << "depth first";
            }
            EXPECT_LE(steps, size) << "the walk ends";
            steps = 0;
            for (std::int32_t d = halo.first_descendant; d >= 0 && steps <= size;
                 d = tree[d].next_descendant) {
                ++as_descendant[d], ++steps;
                EXPECT_EQ(tree[d].progenitor, k);
            }
            EXPECT_LE(steps, size);
            if (halo.main_progenitor >= 0) {
                EXPECT_EQ(halo.main_progenitor, halo.first_progenitor);
                EXPECT_EQ(tree[halo.main_progenitor].descendant, k);
                EXPECT_EQ(tree[halo.main_progenitor].first_descendant, k);
            }
            if (halo.first_in_group == k)
                for (std::int32_t g = k; g >= 0; g = tree[g].next_in_group) {
                    ++in_group[g];
                    EXPECT_EQ(tree[g].first_in_group, k);
                    EXPECT_EQ(tree[g].catalogue, halo.catalogue);
                }
        }
        for (std::int32_t k = 0; k < size; ++k) {
            EXPECT_EQ(as_progenitor[k], tree[k].descendant >= 0);
            EXPECT_EQ(as_descendant[k], tree[k].progenitor >= 0);
            EXPECT_EQ(in_group[k], 1);
        }
    }
}

TEST(Forest, EveryPointerOfRandomLinksIsConsistent)
{
    std::mt19937_64 engine(5);
    const auto below = [&](std::size_t n) { return static_cast<std::int64_t>(engine() % n); };
    std::size_t n = 0;
    std::vector<ForestCatalogue> catalogues;
    for (std::size_t c = 0; c < 12; ++c) {
        const std::size_t size = c == 4 ? 0 : 40 + engine() % 20;
        ForestCatalogue here = catalogue(Rows(size, 0), Rows(size, -1), {});
        for (std::size_t row = 0; row < size; ++row) {
            here.group[row] = static_cast<std::int64_t>(row / 3);
            here.mass[row] = static_cast<double>(engine() % 7);
        }
        std::vector<bool> taken(c > 0 ? catalogues[c - 1].size() : 0);
        if (c > 0 && !taken.empty()) {
            for (std::size_t row = 0; row < size; ++row) {
                const std::int64_t from = below(taken.size());
                if (row % 5 == 0) here.split_from[row] = from;
                if (row % 5 == 0 || taken[from]) continue;
                here.main[row] = from;
                taken[from] = true;
            }
            catalogues[c - 1].descendant.assign(taken.size(), -1);
            for (auto& into : catalogues[c - 1].descendant)
                if (size > 0 && engine() % 4 > 0) into = below(size);
        }
        if (c == 5)
            for (std::size_t row = 0; row < size && row < catalogues[3].size(); ++row)
                here.skip[row] = static_cast<std::int64_t>(row);
        n += size;
        catalogues.push_back(std::move(here));
    }
    verify(halo::forest_of(catalogues), n);
}

TEST(Forest, OfNothingIsEmptyAndLinksToNowhereAreRefused)
{
    EXPECT_EQ(halo::forest_of({}).size(), 0u);
    EXPECT_EQ(halo::forest_of({catalogue({}, {}, {})}).halos.size(), 0u);
    EXPECT_THROW(halo::forest_of({catalogue({0}, {0}, {})}), ArgumentError);
    EXPECT_THROW(halo::forest_of({catalogue({0}, {-1}, {3}), catalogue({0}, {-1}, {})}), ArgumentError);
    EXPECT_THROW(halo::forest_of({catalogue({0}, {-1}, {0}), catalogue({0, 1}, {0, 0}, {})}), ArgumentError);
}

}  // namespace
}  // namespace aureole::test::forest_test
