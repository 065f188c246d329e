#include "sim/io/halos/catalogue_file.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <limits>

#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/sample_particles.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

Table two_groups()
{
    Table table{2, {}};
    table.columns.push_back({"GroupLen", "Members.", {}, 1, Integers{30, 20}});
    table.columns.push_back(
        {"GroupLenType", "Members.", {}, 6, Integers{0, 30, 0, 0, 0, 0, 0, 15, 0, 0, 5, 0}});
    table.columns.push_back({"GroupMass", "Mass.", {.mass = 1}, 1, Reals{3, 2}});
    table.columns.push_back({"GroupPos", "Position.", {.length = 1}, 3, Reals{1, 2, 3, 4, 5, 6}});
    table.columns.push_back({"GroupVel", "Velocity.", {.velocity = 1}, 3, Reals{7, 8, 9, 10, 11, 12}});
    table.columns.push_back(
        {"GroupEnergy", "Energy.", {.length = 0, .mass = 1, .velocity = 2}, 1, Reals{1, -1}});
    return table;
}

io::CatalogueContent content()
{
    io::CatalogueContent result;
    result.header.units = galactic_units;
    result.header.time = 2;
    result.header.box_size = 40;
    result.scales = {.length = 10, .mass = 100, .velocity = 3, .time = 1, .potential = 9};
    result.provenance = {{"finder", "friends of friends"}};
    return result;
}

TEST(CatalogueFile, ColumnsComeBackInTheFilesUnits)
{
    const TemporaryFolder folder;
    const auto name = folder / "fof_subhalo_tab_000.hdf5";
    io::write_catalogue(name, two_groups(), content());
    EXPECT_TRUE(io::is_catalogue(name));
    const io::CatalogueFile back = io::read_catalogue(name);
    EXPECT_EQ(back.groups.rows, 2u);
    EXPECT_EQ(back.header.time, 2);
    EXPECT_EQ(back.header.box_size, 40);
    EXPECT_EQ(back.header.units, galactic_units);
    const auto integers = [&](const char* column) {
        return std::get<Integers>(back.groups.find(column)->values);
    };
    const auto reals = [&](const char* column) { return std::get<Reals>(back.groups.find(column)->values); };
    EXPECT_EQ(integers("GroupLen"), (Integers{30, 20}));
    EXPECT_EQ(integers("GroupLenType"), std::get<Integers>(two_groups().columns[1].values));
    EXPECT_EQ(back.groups.find("GroupLenType")->width, 6u);
    EXPECT_EQ(reals("GroupMass"), (Reals{300, 200}));
    EXPECT_EQ(reals("GroupPos"), (Reals{10, 20, 30, 40, 50, 60}));
    EXPECT_EQ(reals("GroupVel"), (Reals{21, 24, 27, 30, 33, 36}));
    EXPECT_EQ(reals("GroupEnergy"), (Reals{900, -900}));
    EXPECT_EQ(integers("GroupFirstSub"), (Integers{0, 1}));
    EXPECT_EQ(integers("GroupNsubs"), (Integers{1, 1}));
    EXPECT_EQ(reals("GroupAscale"), (Reals{1, 1}));
}

TEST(CatalogueFile, VelocitiesArePeculiarWhateverThoseOfTheSnapshot)
{
    const TemporaryFolder folder;
    const auto name = folder / "fof_subhalo_tab_000.hdf5";
    io::CatalogueContent comoving = content();
    comoving.header.comoving = true;
    comoving.header.redshift = 1;
    comoving.header.omega0 = 0.3;
    comoving.header.velocity_a_exponent = 0.5;
    io::write_catalogue(name, two_groups(), comoving);
    EXPECT_EQ(io::read_catalogue(name).velocity_a_exponent, 0);
    const auto file = io::Hdf5File::open(name);
    EXPECT_EQ(file.number("/Group/GroupVel", "aexp-scale-exponent"), 0);
    EXPECT_EQ(file.number("/Subhalo/SubhaloVel", "a_scaling"), 0);
    EXPECT_EQ(file.number("/Group/GroupEnergy", "a_scaling"), 0);
    EXPECT_EQ(file.number("/Group/GroupPos", "a_scaling"), 1);
}

TEST(CatalogueFile, UnsignedNumbersOfOtherCodesKeepTheirBits)
{
    const TemporaryFolder folder;
    const auto name = folder / "fof_subhalo_tab_000.hdf5";
    io::write_catalogue(name, two_groups(), content());
    {
        const io::Hdf5Handle file(H5Fopen(name.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
        const hsize_t two = 2;
        const io::Hdf5Handle space(H5Screate_simple(1, &two, nullptr), H5Sclose);
        const io::Hdf5Handle set(H5Dcreate2(file.id(), "/Group/GroupID", H5T_NATIVE_UINT64, space.id(),
                                            H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                 H5Dclose);
        const std::array<std::uint64_t, 2> ids{std::uint64_t{1} << 63, ~std::uint64_t{0} - 4};
        ASSERT_GE(H5Dwrite(set.id(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, ids.data()), 0);
    }
    EXPECT_EQ(std::get<Integers>(io::read_catalogue(name).groups.find("GroupID")->values),
              (Integers{std::numeric_limits<std::int64_t>::min(), -5}));
}

TEST(CatalogueFile, EveryGroupIsItsOnlySubhalo)
{
    const TemporaryFolder folder;
    io::write_catalogue(folder / "c.hdf5", two_groups(), content());
    const auto file = io::Hdf5File::open(folder / "c.hdf5");
    EXPECT_EQ(file.members("/Subhalo"),
              (std::vector<std::string>{"SubhaloGroupNr", "SubhaloLen", "SubhaloLenType", "SubhaloMass",
                                        "SubhaloPos", "SubhaloRankInGr", "SubhaloVel"}));
    EXPECT_EQ(file.values<std::int64_t>("/Subhalo/SubhaloGroupNr"), (Integers{0, 1}));
    EXPECT_EQ(file.values<double>("/Subhalo/SubhaloMass"), (Reals{300, 200}));
    EXPECT_EQ(file.number("/Header", "Nsubhalos_Total"), 2);
    EXPECT_EQ(file.number("/Header", "Nids_Total"), 50);
    EXPECT_EQ(file.attribute_layout("/Header", "Ngroups_Total").bytes, 8u);
}

TEST(CatalogueFile, WithoutGroupsBothGroupsAreThereAndEmpty)
{
    const TemporaryFolder folder;
    Table none = two_groups();
    none.rows = 0;
    for (Column& column : none.columns) std::visit([](auto& values) { values.clear(); }, column.values);
    io::write_catalogue(folder / "c.hdf5", none, content());
    const auto file = io::Hdf5File::open(folder / "c.hdf5");
    EXPECT_TRUE(file.has_group("/Group"));
    EXPECT_TRUE(file.has_group("/Subhalo"));
    EXPECT_TRUE(file.members("/Group").empty());
    EXPECT_TRUE(file.members("/Subhalo").empty());
    EXPECT_EQ(file.number("/Header", "Ngroups_Total"), 0);
    EXPECT_EQ(file.number("/Header", "Nids_Total"), 0);
    EXPECT_EQ(io::read_catalogue(folder / "c.hdf5").groups.rows, 0u);
    EXPECT_TRUE(
        contains(message_of<IoError>([&] { io::read_gadget_hdf5(folder / "c.hdf5"); }), "a halo catalogue"));
}

TEST(CatalogueFile, ProvenanceIsKeptAndWrongSizesAreRefused)
{
    const TemporaryFolder folder;
    io::write_catalogue(folder / "c.hdf5", two_groups(), content());
    EXPECT_EQ(io::Hdf5File::open(folder / "c.hdf5").text("/Provenance", "finder"), "friends of friends");
    Table wrong = two_groups();
    wrong.columns.back().values = Reals{1};
    EXPECT_THROW(io::write_catalogue(folder / "d.hdf5", wrong, content()), Error);
    EXPECT_FALSE(std::filesystem::exists(folder / "d.hdf5"));
}

TEST(CatalogueFile, SnapshotsAndRaggedCataloguesAreRefused)
{
    const TemporaryFolder folder;
    io::SnapshotContent snapshot;
    io::write_snapshot(folder / "s_000.hdf5", sample_particles(3), snapshot);
    EXPECT_FALSE(io::is_catalogue(folder / "s_000.hdf5"));
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_catalogue(folder / "s_000.hdf5"); }),
                         "not a group catalogue"));
    {
        auto file = io::Hdf5File::create(folder / "ragged.hdf5");
        file.create_group("/Header");
        file.create_group("/Group");
        file.write_attribute("/Header", "Ngroups_ThisFile", std::int64_t{3});
        file.write_dataset<double>("/Group/GroupMass", Reals{1, 2});
    }
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_catalogue(folder / "ragged.hdf5"); }),
                         "/Group/GroupMass has 2 rows, expected 3"));
}

/// Two subhalos of group 0, none of group 1, one of group 2.
Table three_subhalos()
{
    Table table{3, {}};
    table.columns.push_back({"SubhaloGroupNr", "Row.", {}, 1, Integers{0, 0, 2}});
    table.columns.push_back({"SubhaloLen", "Members.", {}, 1, Integers{12, 5, 7}});
    table.columns.push_back({"SubhaloMass", "Mass.", {.mass = 1}, 1, Reals{4, 3, 2}});
    table.columns.push_back({"SubhaloPos", "Position.", {.length = 1}, 3, Reals(9, 1.5)});
    return table;
}

Table three_groups()
{
    Table table{3, {}};
    table.columns.push_back({"GroupLen", "Members.", {}, 1, Integers{30, 20, 10}});
    table.columns.push_back({"GroupMass", "Mass.", {.mass = 1}, 1, Reals{3, 2, 1}});
    return table;
}

TEST(CatalogueFile, ColumnsOfAKnownNameAndAnotherShapeAreRefused)
{
    const TemporaryFolder folder;
    const auto refusal = [&](Column column) {
        Table table{2, {std::move(column)}};
        io::write_catalogue(folder / "c.hdf5", table, content());
        return message_of<IoError>([&] { io::read_catalogue(folder / "c.hdf5"); });
    };
    EXPECT_TRUE(
        contains(refusal({"GroupPos", "Position.", {}, 1, Reals{1, 2}}),
                 "/Group/GroupPos holds real numbers in rows of 1, expected real numbers in rows of 3"));
    EXPECT_TRUE(
        contains(refusal({"GroupRadius", "Radius.", {}, 2, Reals{1, 2, 3, 4}}), "/Group/GroupRadius"));
    EXPECT_TRUE(contains(refusal({"GroupMass", "Mass.", {}, 1, Integers{3, 2}}),
                         "/Group/GroupMass holds integers in rows of 1, expected real numbers"));
}

TEST(CatalogueFile, SubhalosAreLinkedToTheirGroupsAndComeBack)
{
    const TemporaryFolder folder;
    io::write_catalogue(folder / "c.hdf5", three_groups(), three_subhalos(), content());
    const io::CatalogueFile back = io::read_catalogue(folder / "c.hdf5");
    const auto group = [&](const char* name) { return std::get<Integers>(back.groups.find(name)->values); };
    EXPECT_EQ(group("GroupFirstSub"), (Integers{0, -1, 2}));
    EXPECT_EQ(group("GroupNsubs"), (Integers{2, 0, 1}));
    EXPECT_EQ(back.subhalos.rows, 3u);
    EXPECT_EQ(std::get<Integers>(back.subhalos.find("SubhaloGroupNr")->values), (Integers{0, 0, 2}));
    EXPECT_EQ(std::get<Reals>(back.subhalos.find("SubhaloMass")->values), (Reals{400, 300, 200}));
    EXPECT_EQ(back.subhalos.find("SubhaloPos")->width, 3u);
    EXPECT_EQ(io::Hdf5File::open(folder / "c.hdf5").number("/Header", "Nsubhalos_Total"), 3);
}

TEST(CatalogueFile, GroupsWithoutSubhalosLeaveSubhaloEmpty)
{
    const TemporaryFolder folder;
    io::write_catalogue(folder / "c.hdf5", three_groups(), Table{}, content());
    const auto file = io::Hdf5File::open(folder / "c.hdf5");
    EXPECT_TRUE(file.members("/Subhalo").empty());
    EXPECT_EQ(file.number("/Header", "Nsubhalos_ThisFile"), 0);
    EXPECT_EQ(file.values<std::int64_t>("/Group/GroupFirstSub"), (Integers{-1, -1, -1}));
    EXPECT_EQ(file.values<std::int64_t>("/Group/GroupNsubs"), (Integers{0, 0, 0}));
}

TEST(CatalogueFile, SubhalosOfNoGroupOrOutOfOrderAreRefused)
{
    const TemporaryFolder folder;
    const auto complaint = [&](const Table& subhalos) {
        return message_of<Error>(
            [&] { io::write_catalogue(folder / "c.hdf5", three_groups(), subhalos, content()); });
    };
    Table wrong = three_subhalos();
    wrong.columns[0].values = Integers{0, 0, 3};
    EXPECT_TRUE(contains(complaint(wrong), "subhalo 2 lies in group 3, expected rising rows of 3 groups"));
    wrong.columns[0].values = Integers{0, 2, 1};
    EXPECT_TRUE(contains(complaint(wrong), "subhalo 2 lies in group 1"));
    wrong.columns[0].values = Integers{-1, 0, 1};
    EXPECT_TRUE(contains(complaint(wrong), "subhalo 0 lies in group -1"));
    wrong.columns.erase(wrong.columns.begin());
    EXPECT_TRUE(contains(complaint(wrong), "no SubhaloGroupNr"));
    EXPECT_FALSE(std::filesystem::exists(folder / "c.hdf5"));
}

TEST(CatalogueFile, ColumnsWithoutANumberStayAndSaySo)
{
    const TemporaryFolder folder;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Table groups = two_groups();
    groups.columns.push_back(
        {"Group_M_Crit200", "Mass; NaN where too wide.", {.mass = 1}, 1, Reals{nan, nan}});
    groups.columns.push_back({"Group_R_Crit200", "Radius.", {.length = 1}, 1, Reals{nan, 4}});
    io::write_catalogue(folder / "c.hdf5", groups, content());
    const auto file = io::Hdf5File::open(folder / "c.hdf5");
    EXPECT_TRUE(std::isnan(file.values<double>("/Group/Group_M_Crit200")[1]));
    EXPECT_EQ(file.text("/Group/Group_M_Crit200", "VarDescription"),
              "Mass; NaN where too wide. No row here has a number. U_M ");
    EXPECT_EQ(file.text("/Group/Group_R_Crit200", "VarDescription"), "Radius. U_L ");
    EXPECT_EQ(file.values<double>("/Group/Group_R_Crit200")[1], 40);
}

}  // namespace
}  // namespace aureole::test
