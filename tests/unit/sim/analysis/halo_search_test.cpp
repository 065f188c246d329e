#include "sim/analysis/halo_search.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace aureole::test {
namespace {

TEST(HaloSearch, LinkingLengthFromTheBox)
{
    run::HalosConfig halos;
    halos.linking_length = 0.2;
    EXPECT_DOUBLE_EQ(run::plan_halo_search(halos, 1000, Box{50}).fof.linking_length, 1.0);
    EXPECT_THROW(run::plan_halo_search(halos, 1000, Box{}), ConfigError) << "b means nothing without a box";
    halos.mean_separation = 3;
    EXPECT_DOUBLE_EQ(run::plan_halo_search(halos, 1000, Box{}).fof.linking_length, 0.6);
}

TEST(HaloSearch, LinkingLengthFromTheBoundaryDensity)
{
    run::HalosConfig halos;
    halos.boundary_density = 0.653 / 8;
    EXPECT_NEAR(run::plan_halo_search(halos, 10, Box{}).fof.linking_length, 2.0, 1e-14);
}

TEST(HaloSearch, NamedTypesLink)
{
    run::HalosConfig halos;
    EXPECT_EQ(run::linking_types(halos), 0x3f);
    halos.types = {1, 4};
    EXPECT_EQ(run::linking_types(halos), 0x12);
}

TEST(HaloSearch, TheQuestionIsHandedToTheFinder)
{
    run::HalosConfig halos;
    halos.absolute_linking_length = 1;
    const run::HaloSearch plain = run::plan_halo_search(halos, 10, Box{});
    EXPECT_EQ(plain.method, "fastest");
    EXPECT_TRUE(std::isinf(plain.fof.linking_velocity));
    EXPECT_EQ(plain.fof.min_friends, 1u);
    halos.method = "grid";
    halos.linking_velocity = 3;
    halos.min_friends = 4;
    halos.border = halo::Border::nearest;
    const run::HaloSearch asked = run::plan_halo_search(halos, 10, Box{});
    EXPECT_EQ(asked.method, "grid");
    EXPECT_EQ(asked.fof.linking_velocity, 3);
    EXPECT_EQ(asked.fof.min_friends, 4u);
    EXPECT_EQ(asked.fof.border, halo::Border::nearest);
}

TEST(HaloSearch, SettingsThatContradictEachOtherAreRefused)
{
    run::HalosConfig halos;
    halos.absolute_linking_length = 1;
    halos.relative_linking_velocity = 2;
    EXPECT_EQ(run::plan_halo_search(halos, 10, Box{}).fof.relative_linking_velocity, 2);
    halos.linking_velocity = 3;
    EXPECT_THROW(run::plan_halo_search(halos, 10, Box{}), ConfigError);
    halos.relative_linking_velocity.reset();
    halos.method = "spanning_tree";
    EXPECT_NO_THROW(run::plan_halo_search(halos, 10, Box{}));
    halos.min_friends = 4;
    EXPECT_THROW(run::plan_halo_search(halos, 10, Box{}), ConfigError);
}

TEST(HaloSearch, NoGroupsSayTheLengthAndAGiantSaysSo)
{
    run::HaloSearch search;
    search.fof.linking_length = 0.5;
    search.origin = "given";
    EXPECT_NE(run::find_summary(2, {}, search, "kpc").find("linking length 0.5 kpc (given)"),
              std::string::npos);
    EXPECT_NE(run::find_summary(3, {2}, search, "").find("more than half"), std::string::npos);
    EXPECT_EQ(run::find_summary(3, {1}, search, "").find("more than half"), std::string::npos);
}

}  // namespace
}  // namespace aureole::test
