// Branches that start from equal parts: which do, and the parts by hand.
#include "halo/substructure/competition.hpp"

#include <gtest/gtest.h>

#include "tests/support/halo/gathered_points.hpp"

namespace aureole::test::mergers_test {
namespace {

using halo::Branch;

/// A branch of `n` members that parted from a piece of 100 at the origin of phase space.
Branch parted(Index n, Vec3 position, Vec3 velocity)
{
    Branch branch;
    branch.n_members = n;
    branch.n_sibling = 100;
    branch.moments.position = position;
    branch.moments.velocity = velocity;
    return branch;
}

TEST(Mergers, AreOfComparableHalosThatAreApart)
{
    Branch parent;
    parent.moments.size = 2;
    parent.moments.speed = 10;
    EXPECT_TRUE(are_comparable(parted(100, {4, 0, 0}, {}), parent)) << "two dispersions";
    EXPECT_TRUE(are_comparable(parted(20, {}, {0, 0, 16}), parent)) << "1.6 dispersions";
    EXPECT_TRUE(are_comparable(parted(20, {2.2, 0, 0}, {0, 11, 0}), parent)) << "1.1 of each";
    EXPECT_FALSE(are_comparable(parted(100, {2, 0, 0}, {0, 10, 0}), parent)) << "one of each: within a core";
    EXPECT_FALSE(are_comparable(parted(19, {4, 0, 0}, {}), parent)) << "a satellite";
    parent.moments.size = parent.moments.speed = 0;
    EXPECT_FALSE(are_comparable(parted(100, {4, 0, 0}, {}), parent)) << "there is no scale";
}

TEST(Mergers, PartsAreThoseNearestInPhaseSpace)
{
    Particles p(Backend::cpu, 6);
    const double x[6] = {0, 4, 1.9, 2.1, 2, 1}, v[6] = {0, 0, 0, 0, 9, 0};
    for (Index i = 0; i < 6; ++i) {
        p.view().position.x[i] = x[i];
        p.view().velocity.x[i] = v[i];
        p.view().mass[i] = 1;
    }
    GatheredPoints gathered(p.reading_view());
    halo::MergerPool pool{0, {}, {7, 5, 3}, {{{0, 0, 0}, {}}, {{4, 0, 0}, {}}, {{2, 0, 0}, {10, 0, 0}}}};
    pool.whole.size = pool.whole.speed = 1;
    const auto shared_out = [&] {
        std::vector<Index> start{7, 5, 3, 3, 3, 2};  // the last belongs to none of them
        share_out({}, gathered.points, std::span(&pool, 1), 8, start.data(), gathered.arena);
        return start;
    };
    EXPECT_EQ(shared_out(), (std::vector<Index>{7, 5, 7, 5, 3, 2}));
    pool.whole.speed = 0;  // velocities do not count
    EXPECT_EQ(shared_out(), (std::vector<Index>{7, 5, 3, 3, 3, 2}));
}

}  // namespace
}  // namespace aureole::test::mergers_test
