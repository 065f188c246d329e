// The file of fields on a grid, read back.
#include "sim/io/grid_file.hpp"

#include <gtest/gtest.h>

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
    EXPECT_EQ(file.integers("/VTKHDF", "WholeExtent"), (std::vector<std::int64_t>{0, 2, 0, 3, 0, 4}));
    EXPECT_EQ(file.numbers("/VTKHDF", "Origin"), (std::vector<double>{0, -1, 2}));
    EXPECT_EQ(file.numbers("/VTKHDF", "Spacing"), (std::vector<double>{2, 1, 0.5}));
    EXPECT_TRUE(file.has_dataset("/VTKHDF/CellData/Velocity"));
    EXPECT_EQ(file.values<double>("/Pairs"), content.tables[0].values);
    EXPECT_EQ(file.dataset("/Pairs").width(), 2u);
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
