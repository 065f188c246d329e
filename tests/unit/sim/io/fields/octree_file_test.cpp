// Octree files: the layout that is promised, nodes in any order; VTK's names for the same numbers.
#include "sim/io/fields/octree_file.hpp"

#include <gtest/gtest.h>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using namespace io;

/// A root of 2^3 cells from 1 to 5 along x, and its children.
OctreeLayout nine_nodes()
{
    OctreeLayout layout{.cells = 2,
                        .low = {1, 0, -2},
                        .size = 4,
                        .level = {0},
                        .place = {{0, 0, 0}},
                        .first_child = {1},
                        .parent = {-1}};
    for (std::uint32_t child = 0; child < 8; ++child) {
        layout.level.push_back(1);
        layout.place.push_back({child >> 2, child >> 1 & 1, child & 1});
        layout.first_child.push_back(-1);
        layout.parent.push_back(0);
    }
    return layout;
}

TEST(OctreeFile, HoldsNodesAndTheirPlaces)
{
    const TemporaryFolder folder;
    OctreeFile(folder / "a.hdf5", nine_nodes(), {{"Density"}}).commit({{"TotalMass", 2.5}});
    const Hdf5File file = Hdf5File::open(folder / "a.hdf5");
    const auto low = file.values<double>("/Nodes/Low");
    EXPECT_EQ(file.dataset("/Nodes/Low").width(), 3u);
    EXPECT_EQ(std::vector<double>(low.begin() + 3 * 5, low.begin() + 3 * 6), (std::vector<double>{3, 0, -2}));
    EXPECT_EQ(file.values<double>("/Nodes/Size"), (std::vector<double>{4, 2, 2, 2, 2, 2, 2, 2, 2}));
    EXPECT_EQ(file.values<std::uint32_t>("/Nodes/Level"), nine_nodes().level);
    EXPECT_EQ(file.values<std::int64_t>("/Nodes/FirstChild"), nine_nodes().first_child);
    EXPECT_EQ(file.values<std::int64_t>("/Nodes/Parent"), nine_nodes().parent);
    EXPECT_EQ(file.number("/", "TotalMass"), 2.5);
    EXPECT_EQ(file.number("/", "PatchCells"), 2);
    EXPECT_EQ(file.number("/", "Levels"), 2);
    EXPECT_EQ(file.numbers("/", "RegionLow"), (std::vector<double>{1, 0, -2}));
}

TEST(OctreeFile, IsAnAdaptiveMeshOfVtkWithoutASecondCopy)
{
    const TemporaryFolder folder;
    {
        OctreeFile file(folder / "a.hdf5", nine_nodes(), {{"Density"}, {"Velocity", 3, true}});
        for (std::uint64_t k = 0; k < 9; ++k) {
            const std::uint64_t node = 8 - k;  // any order
            std::vector<double> density, velocity;
            for (int cell = 0; cell < 8; ++cell) {
                density.push_back(100.0 * node + cell);
                for (int c = 0; c < 3; ++c) velocity.push_back(100.0 * node + cell + 0.25 * c);
            }
            file.write(0, node, density);
            file.write(1, node, velocity);
        }
        file.commit({});
    }
    EXPECT_LT(std::filesystem::file_size(folder / "a.hdf5"), 40000u);
    const Hdf5File file = Hdf5File::open(folder / "a.hdf5");
    EXPECT_EQ(file.text("/VTKHDF", "Type"), "OverlappingAMR");
    EXPECT_EQ(file.numbers("/VTKHDF", "Origin"), (std::vector<double>{1, 0, -2}));
    EXPECT_EQ(file.numbers("/VTKHDF/Level1", "Spacing"), (std::vector<double>{1, 1, 1}));
    const auto boxes = file.values<std::int32_t>("/VTKHDF/Level1/AMRBox");
    EXPECT_EQ(std::vector<std::int32_t>(boxes.begin() + 6 * 4, boxes.begin() + 6 * 5),
              (std::vector<std::int32_t>{2, 3, 0, 1, 0, 1}));
    const Hdf5Dataset density = file.dataset("/VTKHDF/Level1/CellData/Density");
    ASSERT_EQ(density.rows(), 64u);
    std::vector<double> node(8);
    density.read_rows<double>(8 * 4, node);  // of node 5, x fastest
    EXPECT_EQ(node, (std::vector<double>{500, 504, 502, 506, 501, 505, 503, 507}));
    const Hdf5Dataset velocity = file.dataset("/VTKHDF/Level0/CellData/Velocity");
    ASSERT_EQ(velocity.width(), 3u);
    std::vector<double> cell(3);
    velocity.read_rows<double>(1, cell);
    EXPECT_EQ(cell, (std::vector<double>{4, 4.25, 4.5}));
}

TEST(OctreeFile, WrongShapesAreRefusedAndNothingIsLeft)
{
    const TemporaryFolder folder;
    {
        OctreeFile file(folder / "a.hdf5", nine_nodes(), {{"Density"}});
        const std::vector<double> seven(7), eight(8);
        EXPECT_TRUE(
            contains(message_of<Error>([&] { file.write(0, 0, seven); }), "a.hdf5: 7 numbers for field 0"));
        EXPECT_TRUE(contains(message_of<Error>([&] { file.write(0, 9, eight); }), "node 9"));
        OctreeLayout mixed = nine_nodes();
        mixed.level[2] = 0;
        EXPECT_TRUE(contains(message_of<Error>([&] { OctreeFile(folder / "b.hdf5", mixed, {}); }),
                             "not breadth first"));
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace aureole::test
