// Catalogue columns: cases done by hand, groups across the faces of a box, offsets, links between groups and
// subhalos.
#include "halo/catalogue/halo_tables.hpp"

#include <omp.h>

#include "halo/catalogue/halo_parameters.hpp"
#include "halo/catalogue/member_order.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::halo_tables_test {
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

TEST(GroupTable, IsThatOfTheParticlesWhenGivenTheirRows)
{
    Particles p = particles_at(uniform_points(3000, 4));
    for (Index i = 0; i < 3000; ++i) p.mass.host()[i] = 1.0 / (1 + i % 13);
    Groups groups{std::vector<std::int32_t>(3000), std::vector<Index>(1500, 2)};  // several portions of rows
    for (Index i = 0; i < 3000; ++i) groups.label[i] = static_cast<std::int32_t>(i / 2);
    const auto rows = halo::halo_properties({.particles = p}, members_of(groups));
    const Table whole = table_of(p, groups), part = halo::group_table({.rows = rows});
    ASSERT_EQ(part.columns.size(), whole.columns.size());
    for (std::size_t c = 0; c < whole.columns.size(); ++c)
        EXPECT_EQ(part.columns[c].values, whole.columns[c].values) << whole.columns[c].name;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        EXPECT_EQ(numbers(part, "GroupMass")[r], rows[r].mass) << r;
        EXPECT_EQ(numbers(part, "GroupAxes")[9 * r + 5], rows[r].shape.axis[1].z) << r;
    }
}

TEST(GroupTable, IsTheSameWhenSpheresAreFoundAfterItsOtherColumnsAreFilled)
{
    const Particles p = particles_at(uniform_points(3000, 4));
    Groups groups{std::vector<std::int32_t>(3000), std::vector<Index>(1500, 2)};
    for (Index i = 0; i < 3000; ++i) groups.label[i] = static_cast<std::int32_t>(i / 2);
    auto rows = halo::halo_properties({.particles = p}, members_of(groups));
    const auto thresholds = halo::usual_thresholds(halo::reference_densities(1));
    for (halo::HaloProperties& row : rows) row.max_velocity = 2;  // no concentration is NaN
    std::vector<halo::OverdensitySphere> spheres(rows.size() * thresholds.size());
    const halo::GroupTableInput input{.rows = rows, .thresholds = thresholds, .spheres = spheres};
    halo::TableBuilder columns = halo::group_table_builder(input);
    columns.fill_early();
    for (std::size_t k = 0; k < spheres.size(); ++k)
        spheres[k] = {1 + 0.5 * static_cast<double>(k), 2 + static_cast<double>(k)};
    const Table expected = halo::group_table(input);
    for (halo::HaloProperties& row : rows) row.n_members = 0;  // was read
    const Table found = halo::group_table(std::move(columns), nullptr, rows.size());
    ASSERT_EQ(found.columns.size(), expected.columns.size());
    for (std::size_t c = 0; c < found.columns.size(); ++c) {
        EXPECT_EQ(found.columns[c].name, expected.columns[c].name);
        EXPECT_EQ(found.columns[c].values, expected.columns[c].values) << expected.columns[c].name;
    }
    EXPECT_EQ(numbers(found, "Group_M_" + thresholds[0].column)[1], spheres[thresholds.size()].mass);
}

TEST(GroupTable, SpheresOfOtherGroupsAreRefused)
{
    const std::vector<halo::HaloProperties> rows(2);
    const std::vector<halo::DensityThreshold> thresholds{{"200c", 1, "Crit200"}};
    const std::vector<halo::OverdensitySphere> one(1);
    EXPECT_THROW(halo::group_table({.rows = rows, .thresholds = thresholds, .spheres = one}), Error);
    EXPECT_THROW(halo::group_table({.rows = rows, .thresholds = thresholds}), Error);
    EXPECT_THROW(halo::subhalo_table({.rows = rows, .subhalos = {}, .spheres = {}}), Error);
    halo::Subhalos subhalos;
    subhalos.group = subhalos.rank = {0, 0};
    subhalos.parent = {-1, -1};
    subhalos.members.begin = {0, 0, 0};
    const std::vector<halo::PerType> types(1);
    const std::vector<std::uint64_t> id(2);
    const auto table = [&](std::size_t n_spheres, std::size_t n_radii) {
        const halo::SubhaloSpheres spheres{std::vector<halo::OverdensitySphere>(n_spheres),
                                           std::vector<double>(n_radii)};
        return halo::subhalo_table({.rows = rows,
                                    .subhalos = subhalos,
                                    .types_of_groups = types,
                                    .most_bound_id = id,
                                    .thresholds = thresholds,
                                    .spheres = spheres});
    };
    EXPECT_EQ(table(2, 2).rows, 2u);
    EXPECT_THROW(table(1, 2), Error);
    EXPECT_THROW(table(2, 1), Error);
}

/// Six members in group 0, in two subhalos but for particle 8; group 1 without; types and ids as they come.
struct Example {
    Particles p = particles_at(uniform_points(9, 2));
    Groups groups{{0, 0, 1, 0, 0, 1, -1, 0, 0}, {6, 2}};
    halo::Subhalos subhalos;

    Example()
    {
        for (Index i = 0; i < 9; ++i) {
            p.mass.host()[i] = 1 + i;
            p.id.host()[i] = 100 + i;
            p.type.host()[i] = i % 2;
        }
        subhalos.members = {{3, 0, 4, 1, 7}, {0, 3, 5}};
        subhalos.group = {0, 0};
        subhalos.rank = {0, 1};
        subhalos.parent = {-1, 0};
        subhalos.binding_energy = {-3, -2, -1, -2, -1};
    }
    halo::TableInput input() const { return {.particles = p, .groups = groups, .subhalos = &subhalos}; }
};

TEST(SubhaloProperties, RowsLinkGroupsAndSubhalos)
{
    const Example e;
    const Table g = halo::group_properties(e.input()), s = halo::subhalo_properties(e.input());
    EXPECT_EQ(counts(g, "GroupFirstSub"), (std::vector<std::int64_t>{0, -1}));
    EXPECT_EQ(counts(g, "GroupNsubs"), (std::vector<std::int64_t>{2, 0}));
    EXPECT_EQ(counts(s, "SubhaloLen"), (std::vector<std::int64_t>{3, 2}));
    EXPECT_EQ(counts(s, "SubhaloGroupNr"), (std::vector<std::int64_t>{0, 0}));
    EXPECT_EQ(counts(s, "SubhaloRankInGr"), (std::vector<std::int64_t>{0, 1}));
    EXPECT_EQ(counts(s, "SubhaloParent"), (std::vector<std::int64_t>{-1, 0}));
    EXPECT_EQ(counts(s, "SubhaloIDMostbound"), (std::vector<std::int64_t>{103, 101}));
    EXPECT_EQ(numbers(s, "SubhaloMass"), (std::vector<double>{4 + 1 + 5, 2 + 8}));
    for (const char* name : {"SubhaloPos", "SubhaloVel", "SubhaloCM", "SubhaloVelDisp", "SubhaloVmax",
                             "SubhaloVmaxRad", "SubhaloHalfmassRad", "SubhaloSpin", "SubhaloMassType"})
        EXPECT_NE(s.find(name), nullptr) << name;
    EXPECT_EQ(s.find("SubhaloVirialRatio"), nullptr) << "no potentials, no energies";
}

TEST(SubhaloProperties, OverdensitiesAreThoseOfTheMembersAlone)
{
    Example e;
    const std::vector<halo::DensityThreshold> thresholds{{"200c", 1e-3, "Crit200"}};
    const std::vector<Vec3> centre{e.p.position.load(3), e.p.position.load(1)};
    halo::TableInput input = e.input();
    input.thresholds = thresholds;
    input.subhalo_centre = centre;
    const Table t = halo::subhalo_properties(input);
    const double unit_sphere = 4 * 3.14159265358979323846 / 3;
    for (std::size_t s = 0; s < 2; ++s) {
        const double mass = s == 0 ? 4 + 1 + 5 : 2 + 8;
        const double radius = std::cbrt(mass / (1e-3 * unit_sphere));
        EXPECT_EQ(numbers(t, "Subhalo_M_Crit200")[s], mass) << "not of all 45";
        EXPECT_TRUE(close_to(numbers(t, "Subhalo_R_Crit200")[s], radius, radius, rounding));
        const double circular = std::sqrt(mass / radius), ratio = numbers(t, "SubhaloVmax")[s] / circular;
        EXPECT_EQ(numbers(t, "SubhaloConcentration")[s], halo::concentration_of_velocities(ratio));
    }
    EXPECT_TRUE(std::isnan(numbers(t, "SubhaloTidalRad")[0])) << "no parent";
    EXPECT_NE(t.find("SubhaloConcentrationRmax"), nullptr);
}

TEST(SubhaloProperties, OffsetsCountTheParticlesOfEachTypeInTheOrderWritten)
{
    Example e;
    // a subhalo in the second group as well: its offset passes over the first group's unbound member, of its
    // type
    e.p.type.host()[8] = 1;
    e.subhalos.members.particle.push_back(5);
    e.subhalos.members.begin.push_back(6);
    e.subhalos.group.push_back(1);
    e.subhalos.rank.push_back(0);
    e.subhalos.parent.push_back(-1);
    e.subhalos.binding_energy.push_back(-1);
    const Table t = halo::subhalo_properties(e.input());
    const std::vector<Index> order = halo::member_order(e.groups, e.subhalos);
    const auto& offset = counts(t, "SubhaloOffsetType");
    const auto& length = counts(t, "SubhaloLenType");
    for (std::size_t s = 0; s < 3; ++s)
        for (int type = 0; type < 2; ++type) {
            std::vector<Index> of_type, found, expected;
            for (const Index i : order)
                if (e.p.type.host()[i] == type) of_type.push_back(i);
            for (std::int64_t k = 0; k < length[6 * s + type]; ++k)
                found.push_back(of_type.at(offset[6 * s + type] + k));
            for (const Index i : e.subhalos.members.of(s))
                if (e.p.type.host()[i] == type) expected.push_back(i);
            EXPECT_EQ(found, expected) << "subhalo " << s << " type " << type;
        }
}

TEST(SubhaloProperties, NoneFoundGiveEmptyColumnsAndNoneGivenIsAnError)
{
    Example e;
    e.subhalos = {};
    EXPECT_EQ(halo::subhalo_properties(e.input()).rows, 0u);
    EXPECT_EQ(counts(halo::group_properties(e.input()), "GroupFirstSub"),
              (std::vector<std::int64_t>{-1, -1}));
    EXPECT_THROW(halo::subhalo_properties({.particles = e.p, .groups = e.groups}), Error);
    EXPECT_EQ(table_of(e.p, e.groups).find("GroupNsubs"), nullptr);
}

TEST(GroupProperties, OverdensitiesAreColumnsNamedAfterTheirThresholds)
{
    Particles p = particles_at({{0, 0, 0}, {0.1, 0, 0}, {9, 9, 9}});
    for (double& m : p.mass.host()) m = 1;
    const auto reference = halo::reference_densities(1e-3);
    std::vector<halo::DensityThreshold> thresholds = halo::usual_thresholds(reference);
    thresholds.push_back(halo::density_threshold("300c", reference));
    const Groups pair{{0, 0, -1}, {2}};
    const std::vector<Vec3> centre{{0, 0, 0}};
    const Table t = halo::group_properties(
        {.particles = p, .groups = pair, .group_centre = centre, .thresholds = thresholds});
    const double unit_sphere = 4 * 3.14159265358979323846 / 3;
    for (const char* name : {"Crit200", "Mean200", "Crit500", "TopHat200", "300c"})
        EXPECT_EQ(numbers(t, std::string("Group_M_") + name)[0], 2) << name;
    const double radius = std::cbrt(2 / (0.2 * unit_sphere));
    EXPECT_TRUE(close_to(numbers(t, "Group_R_Crit200")[0], radius, radius, rounding));
    EXPECT_TRUE(close_to(numbers(t, "Group_R_300c")[0], std::cbrt(2 / (0.3 * unit_sphere)), 1, rounding));
    EXPECT_TRUE(close_to(numbers(t, "GroupRelativeOffset")[0], 0.05 / radius, 1, rounding));
    EXPECT_TRUE(
        close_to(numbers(t, "GroupConcentrationRmax")[0], 2.1625815870646098 * radius / 0.1, 1e3, rounding));
    EXPECT_EQ(table_of(p, pair).find("Group_M_Crit200"), nullptr) << "it was not asked for";

    for (auto& threshold : thresholds) threshold.density = NAN;
    const Table unknown = halo::group_properties({.particles = p, .groups = pair, .thresholds = thresholds});
    EXPECT_TRUE(std::isnan(numbers(unknown, "Group_M_Crit200")[0]));
    EXPECT_TRUE(close_to(numbers(unknown, "GroupRelativeOffset")[0], 0, 1, rounding)) << "of the extent";
}

TEST(GroupProperties, AnOverdensityIsAskedForOnce)
{
    const Example e;
    const std::vector<halo::DensityThreshold> twice(2, {"200c", 1, "Crit200"});
    halo::TableInput input = e.input();
    input.thresholds = twice;
    EXPECT_THROW(halo::group_properties(input), Error);
}

TEST(GroupProperties, EnergiesNeedPotentials)
{
    Example e;
    const std::vector<double> potential(9, -2.0);
    halo::TableInput input = e.input();
    input.group_potential = potential;
    const Table t = halo::group_properties(input);
    EXPECT_EQ(numbers(t, "GroupPotentialEnergy"), (std::vector<double>{-(1 + 2 + 4 + 5 + 8 + 9), -(3 + 6)}));
    EXPECT_EQ(numbers(t, "GroupVirialRatio"), (std::vector<double>{0, 0})) << "all at rest";
    EXPECT_NE(t.find("GroupSpinPeebles"), nullptr);
    EXPECT_EQ(table_of(e.p, e.groups).find("GroupPotentialEnergy"), nullptr);
}

}  // namespace
}  // namespace aureole::test::halo_tables_test
