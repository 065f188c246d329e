// Octrees as `aureole density --octree` writes them, from a file made by hand; and files of planes.
#include "sim/io/fields/octree_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sim/core/error.hpp"
#include "sim/io/fields/grid_file.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

/// A root with eight children of 2^3 cells; a cell's number is 1000 node + 100 i + 10 j + k.
void write_octree(const std::filesystem::path& path, std::uint64_t levels_written = 9)
{
    io::Hdf5File file = io::Hdf5File::create(path);
    file.write_attribute("/", "PatchCells", std::int64_t{2});
    file.create_group("/Nodes");
    std::vector<double> low{0, 0, 0}, size{2}, cells, velocity;
    std::vector<std::uint32_t> level{0};
    std::vector<std::int64_t> child{1};
    for (int octant = 0; octant < 8; ++octant) {
        low.insert(low.end(), {double(octant >> 2 & 1), double(octant >> 1 & 1), double(octant & 1)});
        size.push_back(1);
        level.push_back(1);
        child.push_back(-1);
    }
    level.resize(levels_written, 1);
    for (int node = 0; node < 9; ++node)
        for (int k = 0; k < 2; ++k)
            for (int j = 0; j < 2; ++j)
                for (int i = 0; i < 2; ++i) {
                    cells.push_back(1000 * node + 100 * i + 10 * j + k);
                    velocity.insert(velocity.end(), {3.0 * i, 4.0 * i, double(k)});
                }
    file.create_dataset("/Nodes/Low", io::NumberType::f64, 9, 3).write_rows(0, std::span<const double>(low));
    file.write_dataset("/Nodes/Size", std::span<const double>(size));
    file.write_dataset("/Nodes/Level", std::span<const std::uint32_t>(level));
    file.write_dataset("/Nodes/FirstChild", std::span<const std::int64_t>(child));
    const std::array<std::uint64_t, 5> extent{9, 2, 2, 2, 3};
    file.create_array("/Density", io::NumberType::f64, std::span(extent).first(4))
        .write_rows(0, std::span<const double>(cells));
    file.create_array("/Velocity", io::NumberType::f64, extent)
        .write_rows(0, std::span<const double>(velocity));
    file.close();
}

TEST(OctreeInput, NodesAndFieldsComeBackWithZRunningFastest)
{
    const TemporaryFolder folder;
    write_octree(folder / "o.hdf5");
    const io::Hdf5File file = io::Hdf5File::open(folder / "o.hdf5");
    ASSERT_TRUE(io::holds_octree(file));
    const io::StoredOctree octree = io::stored_octree(file);
    EXPECT_EQ(octree.cells, 2u);
    EXPECT_EQ(octree.n_nodes(), 9u);
    EXPECT_EQ(octree.low[5], (std::array<double, 3>{1, 0, 0}));
    EXPECT_EQ(octree.first_child[0], 1);
    EXPECT_EQ(octree.fields, (std::vector<std::string>{"Density", "Velocity"}));
    const std::vector<double> density = io::read_octree_field(file, octree, "Density");
    const std::vector<double> speed = io::read_octree_field(file, octree, "Velocity");
    const std::vector<double> vy = io::read_octree_field(file, octree, "Velocity", 1);
    ASSERT_EQ(density.size(), 72u);
    for (std::size_t c = 0; c < 72; ++c) {
        const std::size_t node = c / 8, i = c / 4 % 2, j = c / 2 % 2, k = c % 2;
        EXPECT_EQ(density[c], 1000 * node + 100 * i + 10 * j + k);
        EXPECT_EQ(vy[c], 4.0 * i);
        EXPECT_DOUBLE_EQ(speed[c], std::sqrt(25.0 * i + double(k)));
    }
}

TEST(OctreeInput, DatasetsThatDoNotFitAreRefused)
{
    const TemporaryFolder folder;
    write_octree(folder / "o.hdf5", 7);
    EXPECT_TRUE(
        contains(message_of<IoError>([&] { io::stored_octree(io::Hdf5File::open(folder / "o.hdf5")); }),
                 "/Nodes/Level has 7 numbers, expected 9"));
    write_octree(folder / "o.hdf5");
    const io::Hdf5File file = io::Hdf5File::open(folder / "o.hdf5");
    io::StoredOctree octree = io::stored_octree(file);
    octree.cells = 3;
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_octree_field(file, octree, "Density"); }),
                         "has the shape 9 x 2 x 2 x 2, expected 9 x 3 x 3 x 3"));
}

TEST(OctreeInput, FilesWithoutNodesAreRefusedBeforeRoomIsMadeForOne)
{
    const TemporaryFolder folder;
    io::Hdf5File file = io::Hdf5File::create(folder / "o.hdf5");
    file.write_attribute("/", "PatchCells", std::int64_t{4096});
    file.create_group("/Nodes");
    file.create_dataset("/Nodes/Low", io::NumberType::f64, 0, 3);
    for (const char* name : {"/Nodes/Size", "/Nodes/Level", "/Nodes/FirstChild"})
        file.create_dataset(name, io::NumberType::i64, 0);
    file.create_array("/Density", io::NumberType::f64, std::array<std::uint64_t, 4>{0, 4096, 4096, 4096});
    file.close();
    EXPECT_TRUE(contains(message_of<IoError>([&] {
                             const io::Hdf5File in = io::Hdf5File::open(folder / "o.hdf5");
                             io::read_octree_field(in, io::stored_octree(in), "Density");
                         }),
                         "o.hdf5: /Nodes/Size holds no node"));
}

TEST(PlaneFile, HoldsRowsFromTheTop)
{
    const TemporaryFolder folder;
    const std::vector<double> values{1, 2.5, -3, 1e-300, 0, 6};
    io::write_plane(folder / "a.csv", values, 3, {});
    std::stringstream text;
    text << std::ifstream(folder / "a.csv").rdbuf();
    EXPECT_EQ(text.str(), "1,2.5,-3\n1e-300,0,6\n");
    io::write_plane(folder / "a.hdf5", values, 2, {{"Unit", std::string("kpc")}});
    const io::Hdf5File file = io::Hdf5File::open(folder / "a.hdf5");
    EXPECT_EQ(file.dataset("/Image").rows(), 3u);
    EXPECT_EQ(file.values<double>("/Image"), values);
    EXPECT_EQ(file.text("/", "Unit"), "kpc");
    EXPECT_THROW(io::write_plane(folder / "absent/a.csv", values, 3, {}), IoError);
    const std::string twice = message_of<IoError>([&] {
        io::write_plane(folder / "b.hdf5", values, 2, {{"Unit", 1.0}, {"Unit", 2.0}});
    });
    EXPECT_TRUE(contains(twice, "b.hdf5: attribute Unit")) << "and not b.hdf5.partial";
}

}  // namespace
}  // namespace aureole::test
