// Which part describes which groups.
#include "halo/ranks/group_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace aureole::test::group_shares_test {
namespace {

using halo::GroupShares;

TEST(GroupShares, GivesTheLargestFirstToThePartOfLeastLoad)
{
    const std::vector<std::uint64_t> n_members{9, 8, 7, 6, 5, 4};
    const GroupShares shares = GroupShares::of(n_members, 3, 100);
    // costs n * (bits of n): 36, 32, 21, 18, 15, 12
    EXPECT_EQ(shares.owner, (std::vector<std::uint32_t>{0, 1, 2, 2, 1, 0}));
    EXPECT_EQ(shares.load, (std::vector<std::uint64_t>{48, 47, 39}));
    EXPECT_EQ(shares.n_batches(), 1u);
}

TEST(GroupShares, CutsWhatAPartHasIntoBatchesOfWholeGroups)
{
    std::vector<std::uint64_t> n_members{50, 6, 6, 5, 5, 5, 1, 1, 1, 1};
    const GroupShares shares = GroupShares::of(n_members, 2, 12);
    std::vector<std::uint32_t> all;
    for (const auto& batches : shares.of_part)
        for (const halo::GroupBatch& batch : batches) {
            std::uint64_t n = 0;
            for (const std::uint32_t g : batch.group) n += n_members[g];
            EXPECT_EQ(n, batch.n_members);
            EXPECT_TRUE(n <= 12 || batch.group.size() == 1);
            EXPECT_TRUE(std::ranges::is_sorted(batch.group));
            all.insert(all.end(), batch.group.begin(), batch.group.end());
        }
    std::ranges::sort(all);
    std::vector<std::uint32_t> each(n_members.size());
    std::iota(each.begin(), each.end(), 0u);
    EXPECT_EQ(all, each);
    EXPECT_GT(shares.n_batches(), 2u);
    EXPECT_EQ(GroupShares::of({}, 4, 12).n_batches(), 0u);
}

TEST(GroupShares, TellsAGroupForWhichAllOthersWait)
{
    const std::vector<std::uint64_t> even(30, 100), heap{5000, 100, 100};
    EXPECT_FALSE(GroupShares::is_uneven(even, 4));
    EXPECT_TRUE(GroupShares::is_uneven(heap, 4));
    EXPECT_FALSE(GroupShares::is_uneven(heap, 1));
    EXPECT_FALSE(GroupShares::is_uneven({}, 4));
}

}  // namespace
}  // namespace aureole::test::group_shares_test
