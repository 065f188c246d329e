// The sequence of particles beside a catalogue.
#include "halo/catalogue/member_order.hpp"

#include <gtest/gtest.h>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::member_order_test {
namespace {

using halo::Groups;
using halo::Subhalos;
using Order = std::vector<Index>;

/// Group 0 with two subhalos, group 1 with none, group 2 with one.
struct Example {
    Groups groups{{2, 0, 1, 0, -1, 0, 0, 2, 0, 1, 0}, {6, 2, 2}};
    Subhalos subhalos;

    Example()
    {
        subhalos.members = {{3, 6, 10, 5, 7}, {0, 3, 4, 5}};
        subhalos.group = {0, 0, 2};
        subhalos.rank = {0, 1, 0};
        subhalos.parent = {-1, 0, -1};
        subhalos.binding_energy = {-3, -2, -1, -4, -1};
    }
};

TEST(MemberOrder, GroupsComeInTurnAndInputOrderStaysInside)
{
    EXPECT_EQ(halo::member_order({{1, -1, 0, 1, 0, -1, 0}, {3, 2}}), (Order{2, 4, 6, 0, 3, 1, 5}));
    EXPECT_TRUE(halo::member_order({}).empty());
    EXPECT_EQ(halo::member_order({{-1, -1}, {}}), (Order{0, 1}));
}

TEST(MemberOrder, SubhalosComeByRankBeforeTheGroupsOtherMembers)
{
    const Example e;
    EXPECT_EQ(halo::member_order(e.groups, e.subhalos), (Order{3, 6, 10, 5, 1, 8, 2, 9, 7, 0, 4}));
}

TEST(MemberOrder, TheMostBoundComesFirstAndEqualsStayInInputOrder)
{
    Example e;
    e.subhalos.members.particle = {6, 10, 3, 5, 7};
    e.subhalos.binding_energy = {-1, -5, -1, -4, -1};
    EXPECT_EQ(halo::member_order(e.groups, e.subhalos), (Order{10, 3, 6, 5, 1, 8, 2, 9, 7, 0, 4}));
}

TEST(MemberOrder, SubhalosThatContradictTheirGroupsAreRefused)
{
    const auto refused = [](auto spoil, const char* what) {
        Example e;
        spoil(e);
        EXPECT_TRUE(contains(message_of<Error>([&] { halo::member_order(e.groups, e.subhalos); }), what));
    };
    refused([](Example& e) { e.subhalos.members.particle[0] = 2; }, "particle 2 is in subhalo 0");
    refused([](Example& e) { e.subhalos.members.particle[1] = 3; }, "particle 3 is in subhalo 0");
    refused([](Example& e) { e.subhalos.members.particle[1] = 99; }, "particle 99");
    refused([](Example& e) { e.subhalos.rank[1] = 0; }, "subhalo 1 has rank 0");
    refused([](Example& e) { e.subhalos.group = {2, 0, 0}; }, "comes after one of group 2");
    refused([](Example& e) { e.subhalos.group[2] = 3; }, "subhalo 2 is in group 3");
    refused([](Example& e) { e.subhalos.binding_energy.pop_back(); }, "4 binding energies");
    refused([](Example& e) { e.subhalos.parent.pop_back(); }, "2 parents");
    refused([](Example& e) { e.groups.n_members[2] = 1; }, "has no place");
    refused([](Example& e) { e.groups.n_members[0] = 60; }, "groups of 64 members");
}

}  // namespace
}  // namespace aureole::test::member_order_test
