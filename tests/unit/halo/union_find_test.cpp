#include "halo/union_find.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace aureole::test::union_find_test {
namespace {

class Sets : public testing::Test {
protected:
    void start(Index n)
    {
        parent_.resize(n);
        std::iota(parent_.begin(), parent_.end(), 0u);
        sets_ = {parent_.data()};
    }
    std::vector<Index> parent_;
    halo::UnionFind sets_{};
};

TEST_F(Sets, TheRootIsTheSmallestElement)
{
    start(6);
    EXPECT_EQ(sets_.unite(5, 3), 3u);
    EXPECT_EQ(sets_.unite(2, 4), 2u);
    EXPECT_EQ(sets_.unite(5, 4), 2u);
    EXPECT_EQ(sets_.unite(3, 2), 2u);
    EXPECT_EQ(sets_.find(5), 2u);
    EXPECT_EQ(sets_.find(0), 0u);
    for (Index i = 0; i < 6; ++i) sets_.flatten(i);
    EXPECT_EQ(parent_, (std::vector<Index>{0, 1, 2, 2, 2, 2}));
}

TEST_F(Sets, ASearchShortensItsPath)
{
    start(5);
    parent_ = {0, 0, 1, 2, 3};
    sets_ = {parent_.data()};
    EXPECT_EQ(sets_.find(4), 0u);
    EXPECT_EQ(parent_, (std::vector<Index>{0, 0, 0, 1, 2}));
}

TEST_F(Sets, ManyThreadsAgreeOnTheSets)
{
    constexpr Index n = 60000, n_sets = 7;
    for (int round = 0; round < 5; ++round) {
        start(n);
#pragma omp parallel for schedule(dynamic, 16)
        for (Index i = 0; i < n; ++i) {  // a near and a far element of the same residue class
            sets_.unite(i, static_cast<Index>(std::uint64_t{i} * 48271 % (n / n_sets)) * n_sets + i % n_sets);
            if (i >= n_sets) sets_.unite(i, i - n_sets);
        }
        for (Index i = 0; i < n; ++i) ASSERT_EQ(sets_.find(i), i % n_sets);
    }
}

}  // namespace
}  // namespace aureole::test::union_find_test
