// What a catalogue tells of how its centres were found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/analysis/halo_catalogue.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test {
namespace {

using run::HaloContext;
using run::HalosConfig;

const std::vector<std::int64_t>& integers(const Table& table, const char* name)
{
    const Column* column = table.find(name);
    if (!column) throw std::runtime_error(std::string("there is no column ") + name);
    return std::get<std::vector<std::int64_t>>(column->values);
}

Particles unit_masses_at(const Points& points)
{
    Particles particles = particles_at(points);
    std::ranges::fill(particles.mass.host(), 1.0);
    return particles;
}

HaloContext context_of(double linking_length)
{
    HaloContext context;
    context.softening = 0.01;
    context.linking_length = linking_length;
    return context;
}

TEST(CentreColumns, TellHowManyMembersHaveAsManyFriendsAsTheCentre)
{
    // a square, whose corners have two friends each, and a row of three, whose middle alone has two
    const Particles host =
        unit_masses_at({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {9, 0, 0}, {8, 0, 0}, {7, 0, 0}});
    const halo::Groups groups{{0, 0, 0, 0, 1, 1, 1}, {4, 3}};
    HalosConfig halos;
    EXPECT_EQ(run::make_halo_catalogue(host, groups, halos, context_of(1.1)).table.find("GroupCentreTies"),
              nullptr);
    halos.centre = halo::Centre::most_connected;
    const Table table = run::make_halo_catalogue(host, groups, halos, context_of(1.1)).table;
    EXPECT_EQ(integers(table, "GroupCentreTies"), (std::vector<std::int64_t>{4, 1}));
    EXPECT_EQ(integers(table, "GroupCentreFriends"), (std::vector<std::int64_t>{2, 2}));
}

/// Five balls of 80, 70, ... 40 particles, denser towards their centres, along a line.
Particles five_balls(halo::Groups& groups)
{
    Uniform u(11);
    Points points;
    for (int ball = 0; ball < 5; ++ball) {
        groups.n_members.push_back(static_cast<Index>(80 - 10 * ball));
        for (int k = 0; k < 80 - 10 * ball; ++k) {
            const double r = u(), z = 2 * u() - 1, phi = 2 * M_PI * u(), s = r * std::sqrt(1 - z * z);
            points.push_back({10.0 * ball + s * std::cos(phi), s * std::sin(phi), r * z});
            groups.label.push_back(ball);
        }
    }
    return unit_masses_at(points);
}

/// The member of least potential of each group, by a double loop.
std::vector<Index> deepest_members(const Particles& p, const halo::Groups& groups, double softening)
{
    std::vector<Index> deepest(groups.size());
    std::vector<double> least(groups.size(), 1);
    const auto at = [&](Index i) { return p.reading_view().position.load(i); };
    for (Index i = 0; i < p.size(); ++i) {
        double potential = 0;
        for (Index j = 0; j < p.size(); ++j) {
            const Vec3 d = at(i) - at(j);
            if (i != j && groups.label[i] == groups.label[j])
                potential -= 1 / std::sqrt(dot(d, d) + softening * softening);
        }
        const auto group = static_cast<std::size_t>(groups.label[i]);
        if (potential < least[group]) deepest[group] = i, least[group] = potential;
    }
    return deepest;
}

/// 1 where GroupPos is the place of that particle.
std::vector<std::int64_t> found(const Table& table, const Particles& p, const std::vector<Index>& deepest)
{
    const auto& centre = std::get<std::vector<double>>(table.find("GroupPos")->values);
    std::vector<std::int64_t> same;
    for (std::size_t g = 0; g < deepest.size(); ++g)
        same.push_back(centre[3 * g] == p.position.x.host()[deepest[g]]);
    return same;
}

TEST(CentreColumns, TellWhereTheGridFoundTheMemberOfLeastPotential)
{
    halo::Groups groups;
    const Particles host = five_balls(groups);
    HalosConfig halos;
    halos.centre = halo::Centre::poisson;
    halos.centres.get<halo::PoissonConfig>().grid =
        5;  // coarse, and nearly nothing is searched about its minimum: it errs
    halos.centres.get<halo::PoissonConfig>().search_radius = 0.02;
    halos.centres.get<halo::PoissonConfig>().least_members = 60;
    const std::vector<Index> deepest = deepest_members(host, groups, 0.01);
    const Table all = run::make_halo_catalogue(host, groups, halos, context_of(1)).table;
    const std::vector<std::int64_t> expected = found(all, host, deepest);
    EXPECT_EQ(integers(all, "GroupCentreExact"), expected);
    const auto n_exact = expected[0] + expected[1] + expected[2];
    EXPECT_LT(n_exact, 3) << "a case in which the grid errs";
    EXPECT_EQ(expected[3] + expected[4], 2) << "smaller groups are searched exactly";
    EXPECT_TRUE(
        contains(all.find("GroupCentreExact")->description,
                 "Of 3 groups of at least 60 members, searched on a grid, 3 were checked, and the grid "
                 "found the exact centre of " +
                     std::to_string(n_exact) + " "));

    halos.centres.get<halo::PoissonConfig>().checked_groups = 2;  // of three on the grid: the first two
    const std::vector<std::int64_t> two{expected[0], expected[1], -1, 1, 1};
    EXPECT_EQ(
        integers(run::make_halo_catalogue(host, groups, halos, context_of(1)).table, "GroupCentreExact"),
        two);
    halos.centres.get<halo::PoissonConfig>().checked_groups = 0;
    const Table unchecked = run::make_halo_catalogue(host, groups, halos, context_of(1)).table;
    EXPECT_EQ(integers(unchecked, "GroupCentreExact"), (std::vector<std::int64_t>{-1, -1, -1, 1, 1}));
    const std::string& told = unchecked.find("GroupCentreExact")->description;
    EXPECT_TRUE(contains(told, "Of 3 groups of at least 60 members, searched on a grid, none was checked;"));
    EXPECT_FALSE(contains(told, "fraction")) << "there is none of nothing";
    halos.centres.get<halo::PoissonConfig>().least_members = 1;
    const std::vector<std::int64_t> unknown(5, -1);
    EXPECT_EQ(
        integers(run::make_halo_catalogue(host, groups, halos, context_of(1)).table, "GroupCentreExact"),
        unknown);
}

TEST(CentreColumns, AFineGridFindsEveryCentre)
{
    halo::Groups groups;
    const Particles host = five_balls(groups);
    HalosConfig halos;
    halos.centre = halo::Centre::poisson;
    halos.centres.get<halo::PoissonConfig>().least_members = 1;
    halos.centres.get<halo::PoissonConfig>().search_radius = 12;
    const Table table = run::make_halo_catalogue(host, groups, halos, context_of(1)).table;
    EXPECT_EQ(integers(table, "GroupCentreExact"), std::vector<std::int64_t>(5, 1));
    EXPECT_EQ(found(table, host, deepest_members(host, groups, 0.01)), std::vector<std::int64_t>(5, 1));
}

}  // namespace
}  // namespace aureole::test
