#include "sim/io/halos/catalogue_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using Reals = std::vector<double>;
constexpr Tolerance rounding{1e-14, "a handful of double operations"};

Table one_group()
{
    Table table{1, {}};
    table.columns.push_back({"GroupLen", "Members.", {}, 1, std::vector<std::int64_t>{30}});
    table.columns.push_back({"GroupMass", "Mass.", {.mass = 1}, 1, Reals{3}});
    table.columns.push_back({"GroupPos", "Position.", {.length = 1}, 3, Reals{1, 2, -3}});
    table.columns.push_back({"GroupVel", "Velocity.", {.velocity = 1}, 3, Reals{7, 8, 9}});
    table.columns.push_back({"GroupRadius", "Radius.", {.length = 1}, 1, Reals{4}});
    return table;
}

TEST(YtCatalogue, NumbersArePhysicalAndInCgs)
{
    const TemporaryFolder folder;
    io::CatalogueContent content;
    content.header = {.time = 0.5,
                      .redshift = 1,
                      .box_size = 10,
                      .omega0 = 0.3,
                      .omega_lambda = 0.7,
                      .hubble = 0.5,
                      .comoving = true,
                      .units = galactic_units};
    io::write_yt_catalogue(folder / "halos_000.0.h5", one_group(), content);
    const auto file = io::Hdf5File::open(folder / "halos_000.0.h5");
    const auto expect = [&](const char* name, double value, const char* unit) {
        EXPECT_TRUE(close_to(file.values<double>(name)[0], value, std::abs(value), rounding)) << name;
        EXPECT_EQ(file.text(name, "units"), unit) << name;
    };
    // kpc/h comoving at a = 1/2 and h = 1/2: one kpc; velocities of the table are peculiar
    expect("/particle_position_x", kpc_cm, "cm");
    expect("/particle_position_z", -3 * kpc_cm, "cm");
    expect("/virial_radius", 4 * kpc_cm, "cm");
    expect("/particle_velocity_x", 7e5, "cm/s");
    expect("/particle_mass", 3 * 1e10 * solar_mass_g / 0.5, "g");
    EXPECT_EQ(file.number("/", "num_halos"), 1);
    EXPECT_EQ(file.text("/", "data_type"), "halo_catalog");
    EXPECT_NEAR(file.numbers("/", "domain_right_edge")[2] / kpc_cm, 10, 1e-13);
    EXPECT_EQ(file.number("/", "current_redshift"), 1);
}

TEST(YtCatalogue, IsolatedHalosLieInADomainAboutTheOrigin)
{
    const TemporaryFolder folder;
    io::CatalogueContent content;
    content.header.units = galactic_units;
    content.scales.length = 100;
    io::write_yt_catalogue(folder / "h.0.h5", one_group(), content);
    const auto file = io::Hdf5File::open(folder / "h.0.h5");
    EXPECT_NEAR(file.numbers("/", "domain_left_edge")[0] / kpc_cm, -600, 1e-10);
    EXPECT_EQ(file.number("/", "cosmological_simulation"), 0);
    Table none = one_group();
    none.rows = 0;
    for (Column& column : none.columns) std::visit([](auto& values) { values.clear(); }, column.values);
    io::write_yt_catalogue(folder / "none.0.h5", none, content);
    EXPECT_EQ(io::Hdf5File::open(folder / "none.0.h5").number("/", "num_halos"), 0);
}

TEST(YtCatalogue, AVirialRadiusIsTakenBeforeTheExtent)
{
    const TemporaryFolder folder;
    Table groups = one_group();
    groups.columns.push_back({"Group_R_Crit200", "Radius.", {.length = 1}, 1, Reals{2}});
    io::write_yt_catalogue(folder / "h.0.h5", groups, {});
    EXPECT_NEAR(io::Hdf5File::open(folder / "h.0.h5").values<double>("/virial_radius")[0] / kpc_cm, 2, 1e-14);
    groups.columns.erase(groups.columns.begin() + 2);
    EXPECT_TRUE(contains(message_of<Error>([&] { io::write_yt_catalogue(folder / "i.0.h5", groups, {}); }),
                         "needs the column GroupPos"));
}

}  // namespace
}  // namespace aureole::test
