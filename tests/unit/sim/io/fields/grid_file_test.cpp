// The file of fields on a grid, read back.
#include "sim/io/fields/grid_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

io::GridContent content_of()
{
    io::GridContent content;
    content.cells = {2, 3, 4};
    content.low = {0, -1, 2};
    content.high = {4, 2, 4};
    content.fields = {
        {"Density", io::GridField::Kind::number, [](std::uint64_t c, double* to) { *to = 0.5 * c; }},
        {"Velocity", io::GridField::Kind::vector,
         [](std::uint64_t c, double* to) {
             for (int k = 0; k < 3; ++k) to[k] = 10.0 * c + k;
         }},
        {"NumberOfStreams", io::GridField::Kind::count,
         [](std::uint64_t c, double* to) { *to = static_cast<double>(c + 4000000000u); }}};
    content.settings = {{"Method", std::string("elements")}};
    return content;
}

TEST(GridFile, HoldsItsGeometryAndProvenance)
{
    const TemporaryFolder folder;
    io::write_grid(folder / "a.hdf5", content_of());
    EXPECT_FALSE(std::filesystem::exists(folder / "a.hdf5.partial"));
    const io::Hdf5File file = io::Hdf5File::open(folder / "a.hdf5");
    EXPECT_EQ(file.integers("/", "Cells"), (std::vector<std::int64_t>{2, 3, 4}));
    EXPECT_EQ(file.numbers("/", "RegionLow"), (std::vector<double>{0, -1, 2}));
    EXPECT_EQ(file.numbers("/", "CellSize"), (std::vector<double>{2, 1, 0.5}));
    EXPECT_EQ(file.text("/", "Method"), "elements");
    EXPECT_TRUE(file.has_dataset("/Density"));
    // three dimensions and more are for arrays of other readers: ours are tables
    EXPECT_TRUE(contains(message_of<IoError>([&] { file.dataset("/Velocity"); }), "has 4 dimensions"));
}

TEST(GridFile, HoldsAnImageForVtkAndTables)
{
    const TemporaryFolder folder;
    io::GridContent content = content_of();
    content.tables = {{"Pairs", 2, {1, 0.5, 3, 0.25}}};
    io::write_grid(folder / "a.hdf5", content);
    const io::Hdf5File file = io::Hdf5File::open(folder / "a.hdf5");
    EXPECT_EQ(file.text("/VTKHDF", "Type"), "ImageData");
    EXPECT_EQ(file.integers("/VTKHDF", "Version"), (std::vector<std::int64_t>{1, 0}));
    EXPECT_EQ(file.integers("/VTKHDF", "WholeExtent"), (std::vector<std::int64_t>{0, 1, 0, 2, 0, 3}));
    EXPECT_EQ(file.numbers("/VTKHDF", "Origin"), (std::vector<double>{1, -0.5, 2.25}));
    EXPECT_EQ(file.numbers("/VTKHDF", "Spacing"), (std::vector<double>{2, 1, 0.5}));
    EXPECT_TRUE(file.has_dataset("/VTKHDF/PointData/Velocity"));
    EXPECT_EQ(file.values<double>("/Pairs"), content.tables[0].values);
    EXPECT_EQ(file.dataset("/Pairs").width(), 2u);
}

TEST(GridFile, GivesBackNumbersComponentsAndLengths)
{
    const TemporaryFolder folder;
    io::write_grid(folder / "a.hdf5", content_of());
    const io::Hdf5File file = io::Hdf5File::open(folder / "a.hdf5");
    const io::GridLayout layout = io::grid_layout(file);
    EXPECT_EQ(layout.cells, (std::array<std::uint64_t, 3>{2, 3, 4}));
    EXPECT_EQ(layout.high, (std::array<double, 3>{4, 2, 4}));
    EXPECT_EQ(layout.fields, (std::vector<std::string>{"Density", "NumberOfStreams", "Velocity"}));
    const std::vector<double> density = io::read_grid_field(file, layout, "Density");
    const std::vector<double> vz = io::read_grid_field(file, layout, "Velocity", 2);
    const std::vector<double> speed = io::read_grid_field(file, layout, "Velocity");
    const std::vector<double> streams = io::read_grid_field(file, layout, "NumberOfStreams");
    ASSERT_EQ(density.size(), 24u);
    ASSERT_EQ(vz.size(), 24u);
    for (std::size_t c = 0; c < 24; ++c) {
        const double v = 10.0 * c;
        EXPECT_EQ(density[c], 0.5 * c);
        EXPECT_EQ(vz[c], v + 2);
        EXPECT_DOUBLE_EQ(speed[c], std::sqrt(v * v + (v + 1) * (v + 1) + (v + 2) * (v + 2)));
        EXPECT_EQ(streams[c], c + 4e9);
    }
}

TEST(GridFile, WhatIsNoGridIsRefusedByName)
{
    const TemporaryFolder folder;
    io::write_grid(folder / "a.hdf5", content_of());
    const io::Hdf5File file = io::Hdf5File::open(folder / "a.hdf5");
    io::GridLayout layout = io::grid_layout(file);
    EXPECT_TRUE(
        contains(message_of<IoError>([&] { io::read_grid_field(file, layout, "Density", 0); }), "no vector"));
    EXPECT_TRUE(
        contains(message_of<IoError>([&] { io::read_grid_field(file, layout, "Absent"); }), "/Absent"));
    layout.cells[1] = 4;
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_grid_field(file, layout, "Velocity"); }),
                         "has the shape 2 x 3 x 4, expected 2 x 4 x 4"));
    io::Hdf5File::create(folder / "b.hdf5").close();
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::grid_layout(io::Hdf5File::open(folder / "b.hdf5")); }),
                         "has no attribute Cells, expected a file of `aureole density`"));
    io::GridContent content = content_of();
    content.low[1] = 3;
    io::write_grid(folder / "c.hdf5", content);
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::grid_layout(io::Hdf5File::open(folder / "c.hdf5")); }),
                         "RegionLow [0, 3, 2] and RegionHigh [4, 2, 4] are no grid"));
}

TEST(GridFile, LeavesNothingBehindWhenAFieldFails)
{
    const TemporaryFolder folder;
    io::GridContent content = content_of();
    content.fields[1].fill = [](std::uint64_t, double*) { throw Error("no"); };
    EXPECT_THROW(io::write_grid(folder / "a.hdf5", content), Error);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    EXPECT_THROW(io::write_grid(folder / "absent/a.hdf5", content_of()), IoError);
}

}  // namespace
}  // namespace aureole::test
