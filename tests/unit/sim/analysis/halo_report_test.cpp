#include "sim/analysis/halo_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/point_sets.hpp"

namespace aureole::test {
namespace {

run::HaloSearch search(double length, Box box)
{
    run::HaloSearch result;
    result.fof.linking_length = length;
    result.fof.box = box;
    return result;
}

TEST(HaloReport, ExpectsWhatEvenlySpreadParticlesWouldHave)
{
    const Particles p = particles_at(uniform_points(1000, 3));
    EXPECT_EQ(
        run::expected_neighbours_text(p, search(2, Box{50}), "kpc"),
        "mean separation 5 kpc; spread evenly, a particle would have 0.268 others within the linking length");
    EXPECT_NE(run::expected_neighbours_text(p, search(2, Box{}), "").find("in the bounding box; spread"),
              std::string::npos);
    run::HaloSearch phase = search(2, Box{50});
    phase.fof.linking_velocity = 3;
    EXPECT_EQ(run::expected_neighbours_text(p, phase, "kpc"), "mean separation 5 kpc");
}

TEST(HaloReport, WithoutASeparationItSaysNothing)
{
    EXPECT_EQ(run::expected_neighbours_text(Particles(), search(1, Box{10}), ""), "");
    EXPECT_EQ(run::expected_neighbours_text(particles_at(Points(5, {1, 1, 1})), search(1, Box{}), ""), "");
}

TEST(HaloReport, TheTenLargestGroupsStandInColumns)
{
    Table groups{12, {}};
    std::vector<std::int64_t> length(12);
    std::vector<double> mass(12), position(36, 0.25);
    for (std::size_t k = 0; k < 12; ++k) {
        length[k] = 120 - static_cast<std::int64_t>(k);
        mass[k] = 1.0 / static_cast<double>(k + 1);
    }
    groups.columns.push_back({"GroupLen", "", {}, 1, length});
    groups.columns.push_back({"GroupMass", "", {.mass = 1}, 1, mass});
    groups.columns.push_back({"GroupPos", "", {.length = 1}, 3, position});
    groups.columns.push_back(
        {"Group_R_Crit200", "", {.length = 1}, 1, std::vector<double>(12, std::nan(""))});
    const std::string text = run::largest_groups_text(groups, {"kpc", "Msun", "km/s"});
    EXPECT_EQ(std::ranges::count(text, '\n'), 12);
    EXPECT_TRUE(text.ends_with("0.25\n(2 more)\n")) << text;
    EXPECT_EQ(text.substr(0, text.find('\n')), "group  length  mass [Msun]  x [kpc]     y     z");
    EXPECT_NE(text.find("    9     111          0.1     0.25  0.25  0.25\n"), std::string::npos) << text;
    EXPECT_EQ(run::largest_groups_text(Table{}, {}), "");
}

TEST(HaloReport, TheFirstSubhalosStandInColumnsOfTheirOwn)
{
    Table subhalos{2, {}};
    const auto add = [&](const char* name, Dimension dimension, double first, double second) {
        subhalos.columns.push_back({name, "", dimension, 1, std::vector<double>{first, second}});
    };
    subhalos.columns.push_back({"SubhaloGroupNr", "", {}, 1, std::vector<std::int64_t>{0, 0}});
    subhalos.columns.push_back({"SubhaloParent", "", {}, 1, std::vector<std::int64_t>{-1, 0}});
    subhalos.columns.push_back({"SubhaloLen", "", {}, 1, std::vector<std::int64_t>{90, 30}});
    add("SubhaloVmax", {.velocity = 1}, 200, 50);
    add("SubhaloVmaxRad", {.length = 1}, 20, 5);
    add("SubhaloHalfmassRad", {.length = 1}, 40, 8);
    add("Subhalo_R_Crit200", {.length = 1}, 150, 30);
    add("SubhaloConcentration", {}, 8, std::nan(""));
    add("SubhaloTidalRad", {.length = 1}, std::nan(""), 12);
    EXPECT_EQ(run::first_subhalos_text(subhalos, {"kpc", "Msun", "km/s"}),
              "subhalo  group  parent  length  Vmax [km/s]  Rmax [kpc]  half-mass radius [kpc]  R200 [kpc]  "
              "concentration  tidal radius [kpc]\n"
              "      0      0      -1      90          200          20                      40         150  "
              "            8                   -\n"
              "      1      0       0      30           50           5                       8          30  "
              "            -                  12\n");
    EXPECT_TRUE(run::first_subhalos_text(Table{}, {}).starts_with("no subhalos"));
}

TEST(HaloReport, ComovingUnitsCarryTheirFactors)
{
    const run::RunUnits units{false, galactic_units};
    io::SnapshotHeader header;
    EXPECT_EQ(run::unit_names(units, header).length, "kpc");
    header.comoving = true;
    header.hubble = 0.7;
    EXPECT_EQ(run::unit_names(units, header).length, "kpc/h (comoving)");
    EXPECT_EQ(run::unit_names(units, header).velocity, "km/s") << "peculiar";
    header.h_exponent = 0;
    header.velocity_a_exponent = 0;
    EXPECT_EQ(run::unit_names(units, header).length, "kpc (comoving)");
    EXPECT_EQ(run::unit_names(units, header).velocity, "km/s");
}

}  // namespace
}  // namespace aureole::test
