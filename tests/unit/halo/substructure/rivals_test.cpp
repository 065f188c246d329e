// Branches that start from equal parts: which do, and the parts by hand.
#include "halo/substructure/competition.hpp"

#include <gtest/gtest.h>

#include "sim/core/particles.hpp"

namespace aureole::test {
namespace {

using halo::Branch;
using halo::PhaseCentre;

/// A branch of `n` members that parted from a piece of 100 at the origin of phase space.
Branch parted(std::size_t n, Vec3 position, Vec3 velocity)
{
    Branch branch;
    branch.members.resize(n);
    branch.n_sibling = 100;
    branch.moments.position = position;
    branch.moments.velocity = velocity;
    return branch;
}

TEST(Rivals, AreComparableAndApart)
{
    Branch parent;
    parent.moments.size = 2;
    parent.moments.speed = 10;
    EXPECT_TRUE(are_rivals(parted(100, {4, 0, 0}, {}), parent)) << "two dispersions";
    EXPECT_TRUE(are_rivals(parted(20, {}, {0, 0, 16}), parent)) << "1.6 dispersions";
    EXPECT_TRUE(are_rivals(parted(20, {2.2, 0, 0}, {0, 11, 0}), parent)) << "1.1 of each";
    EXPECT_FALSE(are_rivals(parted(100, {2, 0, 0}, {0, 10, 0}), parent)) << "one of each: within a core";
    EXPECT_FALSE(are_rivals(parted(19, {4, 0, 0}, {}), parent)) << "a satellite";
    parent.moments.size = parent.moments.speed = 0;
    EXPECT_FALSE(are_rivals(parted(100, {4, 0, 0}, {}), parent)) << "there is no scale";
}

TEST(Rivals, PartsAreThoseNearestInPhaseSpace)
{
    Particles p(Backend::cpu, 5);
    const double x[5] = {0, 4, 1.9, 2.1, 2}, v[5] = {0, 0, 0, 0, 9};
    std::vector<Index> all;
    for (Index i = 0; i < 5; ++i) {
        p.view().position.x[i] = x[i];
        p.view().velocity.x[i] = v[i];
        p.view().mass[i] = 1;
        all.push_back(i);
    }
    const halo::GroupPoints points(p.reading_view(), all, {});
    halo::Moments whole;
    whole.size = whole.speed = 1;
    const std::vector<PhaseCentre> centres{{{0, 0, 0}, {}}, {{4, 0, 0}, {}}, {{2, 0, 0}, {10, 0, 0}}};
    const auto parts = nearest_parts(points, all, centres, whole);
    EXPECT_EQ(parts, (std::vector<std::vector<Index>>{{0, 2}, {1, 3}, {4}}));
    whole.speed = 0;  // velocities do not count
    EXPECT_EQ(nearest_parts(points, all, centres, whole),
              (std::vector<std::vector<Index>>{{0}, {1}, {2, 3, 4}}));
}

}  // namespace
}  // namespace aureole::test
