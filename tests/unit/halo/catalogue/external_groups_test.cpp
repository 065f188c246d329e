#include "halo/catalogue/external_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sim/core/error.hpp"

namespace aureole::test::external_groups_test {
namespace {

using Labels = std::vector<std::int32_t>;
using Numbers = std::vector<std::int64_t>;
using Ids = std::vector<std::uint64_t>;

TEST(ExternalGroups, AreNumberedByLengthThenBySmallestId)
{
    // numbers 40 (3 members), 7 and 2 (2 each; id 1 is in 2), 9 (1)
    const Numbers membership{7, 40, -1, 2, 40, 7, 9, 40, 2};
    const Ids id{8, 3, 2, 5, 4, 6, 7, 9, 1};
    const halo::Groups groups = halo::groups_of_memberships(membership, id, 2);
    EXPECT_EQ(groups.label, (Labels{2, 0, -1, 1, 0, 2, -1, 0, 1}));
    EXPECT_EQ(groups.n_members, (std::vector<Index>{3, 2, 2}));
}

TEST(ExternalGroups, NumbersAndOrderOfParticlesDoNotMatter)
{
    std::mt19937_64 engine(5);
    Numbers membership(400);
    Ids id(400);
    for (std::size_t i = 0; i < id.size(); ++i) {
        id[i] = 3 * i + 1;
        membership[i] = static_cast<std::int64_t>(engine() % 50) - 5;
    }
    const halo::Groups groups = halo::groups_of_memberships(membership, id, 6);
    std::vector<std::size_t> order(400);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), engine);
    Numbers other(400);
    Ids other_id(400);
    for (std::size_t i = 0; i < order.size(); ++i) {
        other[i] = membership[order[i]] < 0 ? -3 : 1000000007 - 17 * membership[order[i]];
        other_id[i] = id[order[i]];
    }
    const halo::Groups again = halo::groups_of_memberships(other, other_id, 6);
    EXPECT_EQ(again.n_members, groups.n_members);
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(again.label[i], groups.label[order[i]]);
    EXPECT_TRUE(std::is_sorted(groups.n_members.rbegin(), groups.n_members.rend()));
}

TEST(ExternalGroups, NobodyAndSingleParticlesAreValid)
{
    EXPECT_TRUE(halo::groups_of_memberships({}, {}, 1).n_members.empty());
    EXPECT_EQ(halo::groups_of_memberships(Numbers{-1}, Ids{1}, 1).label, Labels{-1});
    EXPECT_EQ(halo::groups_of_memberships(Numbers{0}, Ids{1}, 1).label, Labels{0});
    EXPECT_EQ(halo::groups_of_memberships(Numbers{0}, Ids{1}, 2).label, Labels{-1});
}

TEST(ExternalGroups, WrongCountsAreRefused)
{
    EXPECT_THROW(halo::groups_of_memberships(Numbers{0}, Ids{}, 1), Error);
    EXPECT_THROW(halo::groups_of_memberships(Numbers{0}, Ids{1}, 0), Error);
}

}  // namespace
}  // namespace aureole::test::external_groups_test
