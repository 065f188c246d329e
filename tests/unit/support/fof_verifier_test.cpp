// The judge is judged: right answers pass, each kind of wrong answer is named.
#include "tests/support/halo/fof_verifier.hpp"

#include <gtest/gtest.h>

#include "tests/support/point_sets.hpp"

namespace aureole::test {
namespace {

/// Two pairs, a triple and a single on a line, spacing 1 inside groups: canonical rows 0 (triple), 1, 2.
class Verifier : public testing::Test {
protected:
    Verifier()
        : particles_(particles_at(
              {{0, 0, 0}, {1, 0, 0}, {5, 0, 0}, {6, 0, 0}, {7, 0, 0}, {20, 0, 0}, {21, 0, 0}, {40, 0, 0}}))
    {
    }

    std::string fault() const { return fault_in({particles_, config_}, groups_); }

    Particles particles_;
    halo::FofConfig config_{.linking_length = 1, .min_members = 2};
    halo::Groups groups_{{1, 1, 0, 0, 0, 2, 2, -1}, {3, 2, 2}};
};

TEST_F(Verifier, TheRightAnswerPasses) { EXPECT_EQ(fault(), ""); }

TEST_F(Verifier, TheSlowFinderFindsTheRightAnswer)
{
    const halo::Groups slow = reference_groups({particles_, config_});
    EXPECT_EQ(slow.label, groups_.label);
    EXPECT_EQ(slow.n_members, groups_.n_members);
}

TEST_F(Verifier, AMissingLabelIsNamed)
{
    groups_.label.pop_back();
    EXPECT_EQ(fault(), "labels: 7");
}

TEST_F(Verifier, ALabelOutOfRangeIsNamed)
{
    groups_.label[7] = 3;
    EXPECT_EQ(fault(), "label 3 out of range");
}

TEST_F(Verifier, AWrongLengthIsNamed)
{
    groups_.n_members[0] = 4;
    EXPECT_EQ(fault(), "lengths are not the numbers of members");
}

TEST_F(Verifier, ASmallGroupIsNamed)
{
    groups_ = {{1, 1, 0, 0, 0, 2, 2, 3}, {3, 2, 2, 1}};
    EXPECT_EQ(fault(), "a group is too small");
}

TEST_F(Verifier, AnOrderByRisingLengthIsNamed)
{
    groups_ = {{0, 0, 1, 1, 1, 2, 2, -1}, {2, 3, 2}};
    EXPECT_EQ(fault(), "group 1 is longer than the last");
}

TEST_F(Verifier, ATieInTheWrongOrderIsNamed)
{
    groups_.label = {2, 2, 0, 0, 0, 1, 1, -1};
    EXPECT_EQ(fault(), "group 2 has a smaller id than its equal before");
}

TEST_F(Verifier, FriendsInTwoGroupsAreNamed)
{
    groups_ = {{1, 1, 0, 0, -1, 2, 2, -1}, {2, 2, 2}};
    EXPECT_EQ(fault().substr(0, 5), "group");  // a tie now, and out of order
    groups_ = {{0, 0, 1, 1, -1, 2, 2, -1}, {2, 2, 2}};
    EXPECT_EQ(fault(), "friends 3 and 4 are apart");
}

TEST_F(Verifier, TwoComponentsInOneGroupAreNamed)
{
    groups_ = {{0, 0, 0, 0, 0, 1, 1, -1}, {5, 2}};
    EXPECT_EQ(fault(), "group 0 is not connected");
}

TEST_F(Verifier, AForgottenGroupIsNamed)
{
    groups_ = {{1, 1, 0, 0, 0, -1, -1, -1}, {3, 2}};
    EXPECT_EQ(fault(), "the particles with 6 should be a group");
}

TEST_F(Verifier, AParticleOfAnotherTypeMustBeWithItsNearest)
{
    particles_.type.host()[4] = 0;
    config_.linking_types = 1 << 1;
    EXPECT_EQ(fault(), "");
    groups_ = {{0, 0, 1, 1, -1, 2, 2, -1}, {2, 2, 2}};
    EXPECT_EQ(fault(), "particle 4 is not with its nearest linking neighbour");
}

TEST_F(Verifier, APeriodicBoxLinksAcrossItsFaces)
{
    config_.box.side = 41;
    EXPECT_EQ(fault(), "friends 0 and 7 are apart");
    groups_ = reference_groups({particles_, config_});
    EXPECT_EQ(fault(), "");
    EXPECT_EQ(groups_.n_members, (std::vector<Index>{3, 3, 2}));
}

}  // namespace
}  // namespace aureole::test
