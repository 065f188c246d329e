
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "sim/analysis/particle_difference.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::test {
namespace {

using run::matched_rows, run::RowPair;
using Pairs = std::vector<RowPair>;

Table groups(const std::vector<Vec3>& places, double radius = 1)
{
    Table table;
    table.rows = places.size();
    std::vector<double> values;
    for (const Vec3 x : places) values.insert(values.end(), {x.x, x.y, x.z});
    std::vector<std::int64_t> lengths(places.size());
    for (std::size_t k = 0; k < lengths.size(); ++k) lengths[k] = static_cast<std::int64_t>(100 - k);
    table.columns.push_back({"GroupPos", "", {}, 3, values});
    table.columns.push_back({"GroupRadius", "", {}, 1, std::vector<double>(places.size(), radius)});
    table.columns.push_back({"GroupLen", "", {}, 1, lengths});
    return table;
}

TEST(RowMatching, FindsGroupsThatHaveExchangedTheirNumbers)
{
    const auto rows = matched_rows(groups({{0, 0, 0}, {5, 0, 0}, {9, 0, 0}}),
                                   groups({{5.1, 0, 0}, {0, 0.1, 0}, {9, 0, 0}}), 0);
    EXPECT_TRUE(rows.by_place);
    EXPECT_EQ(rows.pairs, (Pairs{{0, 1}, {1, 0}, {2, 2}}));
}

TEST(RowMatching, WhatIsFartherThanTheRadiiIsAnotherGroup)
{
    EXPECT_EQ(matched_rows(groups({{0, 0, 0}}), groups({{1.5, 0, 0}}), 0).pairs, Pairs{});
    EXPECT_EQ(matched_rows(groups({{0, 0, 0}}), groups({{1.5, 0, 0}}, 2), 0).pairs, (Pairs{{0, 0}}));
    Table bare = groups({{0, 0, 0}}), far = groups({{1e6, 0, 0}});
    std::erase_if(bare.columns, [](const Column& column) { return column.name == "GroupRadius"; });
    EXPECT_EQ(matched_rows(bare, far, 0).pairs, (Pairs{{0, 0}})) << "no radius, no limit";
}

TEST(RowMatching, TheNearestPairComesFirst)
{
    // both of the second are within reach of both of the first
    const auto rows = matched_rows(groups({{0, 0, 0}, {0.6, 0, 0}}), groups({{0.5, 0, 0}, {-0.9, 0, 0}}), 0);
    EXPECT_EQ(rows.pairs, (Pairs{{0, 1}, {1, 0}}));
}

TEST(RowMatching, SeesAcrossTheFacesOfAPeriodicBox)
{
    const Table a = groups({{9.9, 5, 5}, {5, 0.1, 5}}), b = groups({{5, 9.9, 5}, {0.1, 5, 5}});
    EXPECT_EQ(matched_rows(a, b, 10).pairs, (Pairs{{0, 1}, {1, 0}}));
    EXPECT_EQ(matched_rows(a, b, 0).pairs, Pairs{});
}

TEST(RowMatching, AMostBoundParticleSaysMoreThanAPlace)
{
    Table a = groups({{0, 0, 0}, {0.5, 0, 0}}), b = groups({{0, 0, 0}, {0.5, 0, 0}});
    a.columns.push_back({"GroupIDMostbound", "", {}, 1, std::vector<std::int64_t>{7, 9}});
    b.columns.push_back({"GroupIDMostbound", "", {}, 1, std::vector<std::int64_t>{9, 7}});
    EXPECT_EQ(matched_rows(a, b, 0).pairs, (Pairs{{0, 1}, {1, 0}}));
}

TEST(RowMatching, RowsAtOnePlaceGoByNumberAndTablesWithoutPlacesToo)
{
    const Table twice = groups({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}});
    EXPECT_EQ(matched_rows(twice, twice, 0).pairs, (Pairs{{0, 0}, {1, 1}, {2, 2}}));
    const double none = std::numeric_limits<double>::quiet_NaN();
    const Table lost = groups({{none, 0, 0}, {1, 0, 0}});
    EXPECT_EQ(matched_rows(lost, lost, 0).pairs, (Pairs{{0, 0}, {1, 1}}));
    EXPECT_EQ(matched_rows(groups({}), twice, 0).pairs, Pairs{});
    Table bare;
    bare.rows = 2;
    const auto rows = matched_rows(bare, bare, 0);
    EXPECT_FALSE(rows.by_place);
    EXPECT_EQ(rows.pairs, (Pairs{{0, 0}, {1, 1}}));
}

TEST(RowMatching, AgreesWithAllPairsOnManyRandomGroups)
{
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> place(0, 10), shift(-0.02, 0.02);
    std::vector<Vec3> places(500), moved(500);
    for (Vec3& x : places) x = {place(random), place(random), place(random)};
    for (std::size_t k = 0; k < places.size(); ++k)
        moved[(k * 387 + 11) % 500] = places[k] + Vec3{shift(random), shift(random), shift(random)};
    const auto rows = matched_rows(groups(places), groups(moved), 0);
    ASSERT_EQ(rows.pairs.size(), 500u);
    for (const auto& [i, j] : rows.pairs) EXPECT_EQ(j, (i * 387 + 11) % 500);
}

TEST(TableDifference, ComparesTheSameGroupsWhateverTheirNumbers)
{
    const Table a = groups({{0, 0, 0}, {5, 0, 0}, {90, 0, 0}}), b = groups({{5, 0, 0}, {0, 0, 0.25}});
    const run::SetDifference set = run::difference(a, b);
    EXPECT_EQ(set.in_both, 2u);
    EXPECT_EQ(set.only_in_first, 1u);
    EXPECT_EQ(set.only_in_second, 0u);
    EXPECT_EQ(set.renumbered, 2u);
    EXPECT_EQ(set.fields[0].name, "GroupPos");
    EXPECT_EQ(set.fields[0].largest, 0.25);
    EXPECT_EQ(set.fields[0].at, 0u);
    EXPECT_EQ(set.fields[2].largest, 1);
    EXPECT_FALSE(set.within(1e9));
}

}  // namespace
}  // namespace aureole::test
