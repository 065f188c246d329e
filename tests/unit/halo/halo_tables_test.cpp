// Catalogue columns: cases done by hand, groups across the faces of a box, offsets, links between groups and
// subhalos.
#include "halo/halo_tables.hpp"

#include <omp.h>

#include "../../support/close_to.hpp"
#include "../../support/point_sets.hpp"

namespace aureole::test {
namespace {

using halo::Groups;

constexpr Tolerance rounding{1e-14, "a handful of double operations"};

const std::vector<double>& numbers(const Table& table, const std::string& name)
{
    return std::get<std::vector<double>>(table.find(name)->values);
}
const std::vector<std::int64_t>& counts(const Table& table, const std::string& name)
{
    return std::get<std::vector<std::int64_t>>(table.find(name)->values);
}

/// Columns of groups alone.
Table table_of(const Particles& p, const Groups& groups, const Box& box = {})
{
    return halo::group_properties({.particles = p, .groups = groups, .box = box});
}

TEST(GroupProperties, TwoBodiesDoneByHand)
{
    Particles p = particles_at({{0, 0, 0}, {9, 9, 9}, {4, 0, 0}});
    p.mass.host()[0] = 3;
    p.mass.host()[2] = 1;
    p.velocity.x.host()[0] = 2;
    p.velocity.x.host()[2] = -2;
    p.type.host()[2] = 4;
    const Table t = table_of(p, {{0, -1, 0}, {2}});
    EXPECT_EQ(t.rows, 1u);
    EXPECT_EQ(counts(t, "GroupLen"), (std::vector<std::int64_t>{2}));
    EXPECT_EQ(counts(t, "GroupLenType"), (std::vector<std::int64_t>{0, 1, 0, 0, 1, 0}));
    EXPECT_EQ(numbers(t, "GroupMass"), (std::vector<double>{4}));
    EXPECT_EQ(numbers(t, "GroupMassType"), (std::vector<double>{0, 3, 0, 0, 1, 0}));
    EXPECT_EQ(numbers(t, "GroupPos"), (std::vector<double>{1, 0, 0}));
    EXPECT_EQ(numbers(t, "GroupVel"), (std::vector<double>{1, 0, 0}));
    EXPECT_EQ(numbers(t, "GroupVelDisp"), (std::vector<double>{1}));  // (3 * 1 + 1 * 9) / (3 * 4)
    EXPECT_EQ(numbers(t, "GroupRadius"), (std::vector<double>{3}));
    EXPECT_EQ(numbers(t, "GroupHalfMassRad"), (std::vector<double>{1}));
}

TEST(GroupProperties, OffsetsCountTheMembersOfEachTypeBefore)
{
    Particles p = particles_at(Points(6, {1, 2, 3}));
    for (const Index i : {1u, 2u, 5u}) p.type.host()[i] = 2;
    const Table t = table_of(p, {{0, 0, 0, 1, -1, 1}, {3, 2}});
    EXPECT_EQ(counts(t, "GroupOffsetType"), (std::vector<std::int64_t>{0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0}));
}

TEST(GroupProperties, AGroupOnTheCornerEqualsTheShiftedOne)
{
    const Points x = uniform_points(500, 9);
    Points middle = x, corner = x;
    for (auto& q : middle)
        for (double& c : q) c = 4 + c / 4;
    for (auto& q : corner)
        for (double& c : q) c = c / 4 - 0.125;  // partly below zero: wrapped
    const Groups all{std::vector<std::int32_t>(500, 0), {500}};
    const Box box{8};
    Particles a = particles_at(middle), b = particles_at(corner);
    for (Index i = 0; i < 500; ++i) a.mass.host()[i] = b.mass.host()[i] = 1.0 + i % 7;
    const Table ta = table_of(a, all, box), tb = table_of(b, all, box);
    for (const char* name : {"GroupRadius", "GroupHalfMassRad"})
        EXPECT_TRUE(close_to(numbers(tb, name)[0], numbers(ta, name)[0], 1, rounding)) << name;
    for (int k = 0; k < 3; ++k) {
        const double at = numbers(tb, "GroupPos")[k];
        EXPECT_TRUE(at >= 0 && at < 8) << at;
        EXPECT_TRUE(close_to(box.nearest(at - numbers(ta, "GroupPos")[k] + 4.125), 0, 1, rounding));
    }
}

TEST(GroupProperties, MasslessMembersCountAlike)
{
    const Particles p = particles_at({{0, 0, 0}, {1, 0, 0}, {5, 0, 0}});
    const Table t = table_of(p, {{0, 0, 0}, {3}});
    EXPECT_EQ(numbers(t, "GroupMass"), (std::vector<double>{0}));
    EXPECT_EQ(numbers(t, "GroupPos"), (std::vector<double>{2, 0, 0}));
    EXPECT_EQ(numbers(t, "GroupRadius"), (std::vector<double>{3}));
    EXPECT_EQ(numbers(t, "GroupHalfMassRad"), (std::vector<double>{2}));
}

TEST(GroupProperties, NoGroupsGiveEmptyColumns)
{
    const Particles p = particles_at(uniform_points(5, 1));
    const Table t = table_of(p, {std::vector<std::int32_t>(5, -1), {}});
    EXPECT_EQ(t.rows, 0u);
    EXPECT_NE(t.find("GroupReducedAxes"), nullptr);
    for (const Column& column : t.columns)
        std::visit([&](const auto& values) { EXPECT_TRUE(values.empty()) << column.name; }, column.values);
}

TEST(GroupProperties, ThreadsDoNotChangeABit)
{
    Particles p = particles_at(clustered_points(5000, 3));
    for (Index i = 0; i < 5000; ++i) p.mass.host()[i] = 1.0 / (1 + i % 13);
    Groups groups{std::vector<std::int32_t>(5000), std::vector<Index>(50, 100)};
    for (Index i = 0; i < 5000; ++i) groups.label[i] = static_cast<std::int32_t>(i % 50);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const Table one = table_of(p, groups);
    omp_set_num_threads(3);
    const Table three = table_of(p, groups);
    omp_set_num_threads(threads);
    for (std::size_t c = 0; c < one.columns.size(); ++c)
        EXPECT_EQ(one.columns[c].values, three.columns[c].values) << one.columns[c].name;
}

TEST(GroupProperties, LabelsOfAnotherSetAreRefused)
{
    const Particles p = particles_at(uniform_points(5, 1));
    EXPECT_THROW(table_of(p, {{0, 0}, {2}}), Error);
}

}  // namespace
}  // namespace aureole::test
