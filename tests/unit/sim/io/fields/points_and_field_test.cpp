#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "sim/core/error.hpp"
#include "sim/io/fields/point_table.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

TEST(PointsFile, TextAndHdf5)
{
    const TemporaryFolder folder;
    std::ofstream(folder / "p.txt") << "# x y z\n1 2 3\n\n-4e-1, +5, 6 # here\n";
    {
        auto file = io::Hdf5File::create(folder / "p.hdf5");
        file.create_dataset("/Coordinates", io::NumberType::f64, 2, 3)
            .write_rows<double>(0, std::vector<double>{1, 2, 3, -0.4, 5, 6});
        file.close();
    }
    for (const char* name : {"p.txt", "p.hdf5"}) {
        const std::vector<Vec3> points = io::read_points(folder / name);
        ASSERT_EQ(points.size(), 2u);
        EXPECT_EQ(points[0].z, 3);
        EXPECT_EQ(points[1].x, -0.4);
        EXPECT_EQ(points[1].y, 5);
    }
}

TEST(PointsFile, ColumnsByNameAndParticlesOfASnapshot)
{
    const TemporaryFolder folder;
    std::ofstream(folder / "t.csv") << "id,z,x,density,y\n7,3,1,nan,2\n8,6,-0.4,0,5\n";
    Particles particles(Backend::cpu, 2);
    particles.view().position.store(0, {1, 2, 3});
    particles.view().position.store(1, {-0.4, 5, 6});
    particles.view().mass[0] = particles.view().mass[1] = 1;
    particles.view().id[1] = 1;
    particles.view().type[0] = particles.view().type[1] = 1;
    io::SnapshotContent content;
    content.header.units = UnitSystem{};
    io::write_snapshot(folder / "s.hdf5", particles, content);
    for (const char* name : {"t.csv", "s.hdf5"}) {
        const std::vector<Vec3> points = io::read_points(folder / name);
        ASSERT_EQ(points.size(), 2u);
        EXPECT_EQ(points[0].z, 3);
        EXPECT_EQ(points[1].x, -0.4);
        EXPECT_EQ(points[1].y, 5);
    }
    std::ofstream(folder / "t.csv", std::ios::app) << "9,1,1\n";
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_points(folder / "t.csv"); }),
                         "line 4: found '9,1,1', expected 5 columns"));
}

TEST(PointsFile, WhatIsNoPointIsNamed)
{
    const TemporaryFolder folder;
    const auto refusal = [&](const char* text) {
        std::ofstream(folder / "p.txt") << text;
        return message_of<IoError>([&] { io::read_points(folder / "p.txt"); });
    };
    EXPECT_TRUE(
        contains(refusal("1 2 3\n1 2\n"), "p.txt, line 2: found '1 2', expected three finite numbers"));
    EXPECT_TRUE(contains(refusal("1 2 3 4\n"), "line 1"));
    EXPECT_TRUE(contains(refusal("1 nan 3\n"), "line 1"));
    EXPECT_TRUE(contains(refusal("# nothing\n"), "holds no point"));
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_points(folder / "gone"); }),
                         "gone: cannot be read (No such file"));
    auto file = io::Hdf5File::create(folder / "p.hdf5");
    file.write_dataset<double>("/Coordinates", std::vector<double>{1, 2, 3});
    file.close();
    EXPECT_TRUE(
        contains(message_of<IoError>([&] { io::read_points(folder / "p.hdf5"); }), "expected [N, 3]"));
}

const std::vector<io::FieldValue> values{{{1, 2, 3}, 4, 5, {6, 7, 8}},
                                         {{0, 0, 0}, std::numeric_limits<double>::infinity(), -1, {}},
                                         {{0.1, 0, 0}, 2, -3, {9, 10, 11}}};

TEST(FieldFile, Hdf5InBlocks)
{
    const TemporaryFolder folder;
    io::FieldWriter out(folder / "f.hdf5", 3, {{"G", 2.0}});
    out.write(std::span(values).first(2));
    EXPECT_FALSE(std::filesystem::exists(folder / "f.hdf5"));
    EXPECT_THROW(out.commit(), Error);
    out.write(std::span(values).last(1));
    out.commit();
    const auto file = io::Hdf5File::open(folder / "f.hdf5");
    EXPECT_EQ(file.values<double>("/Coordinates"), (std::vector<double>{1, 2, 3, 0, 0, 0, 0.1, 0, 0}));
    EXPECT_EQ(file.values<double>("/Density")[1], std::numeric_limits<double>::infinity());
    EXPECT_EQ(file.values<double>("/Potential"), (std::vector<double>{5, -1, -3}));
    EXPECT_EQ(file.values<double>("/Accelerations"), (std::vector<double>{6, 7, 8, 0, 0, 0, 9, 10, 11}));
    EXPECT_EQ(file.dataset("/Accelerations").width(), 3u);
    EXPECT_EQ(file.number("/", "G"), 2);
}

TEST(PointTable, CountsAndFurtherDatasets)
{
    const TemporaryFolder folder;
    const std::vector<io::PointColumn> columns{{"/N", {"n"}, true}, {"/V", {"a", "b"}}};
    io::PointTableWriter out(folder / "t.hdf5", 2, columns, {});
    out.write(std::vector<double>{3, 0.5, 1, 4, 2, 2.5});
    EXPECT_THROW(out.write(std::vector<double>{1, 2}), Error);
    out.add<double>("/More", std::vector<double>{1, 2, 3, 4}, 2);
    out.commit();
    const auto file = io::Hdf5File::open(folder / "t.hdf5");
    EXPECT_EQ(file.values<std::uint32_t>("/N"), (std::vector<std::uint32_t>{3, 4}));
    EXPECT_EQ(file.dataset("/N").layout().bytes, 4u);
    EXPECT_EQ(file.values<double>("/V"), (std::vector<double>{0.5, 1, 2, 2.5}));
    EXPECT_EQ(file.dataset("/More").rows(), 2u);
    io::PointTableWriter table(folder / "t.csv", 0, columns, {});
    EXPECT_THROW(table.add<double>("/More", std::vector<double>{1}), Error);
}

TEST(PointTable, WhatCannotBeWrittenIsSaidBeforeNumbersAreComputedForIt)
{
    const TemporaryFolder folder;
    for (const char* name : {"t.csv", "t.hdf5"}) {
        std::filesystem::create_directories(folder / (std::string(name) + ".partial/in_the_way"));
        const std::string message = message_of<IoError>([&] {
            io::PointTableWriter(folder / name, 1, {{"/N", {"n"}, true}}, {});
        });
        EXPECT_TRUE(
            contains(message, std::string(name) + ".partial is in the way and cannot be removed: a folder"))
            << message;
    }
}

TEST(FieldFile, Csv)
{
    const TemporaryFolder folder;
    io::FieldWriter out(folder / "f.csv", 3, {{"G", 2.0}});
    out.write(values);
    out.commit();
    std::ostringstream text;
    text << std::ifstream(folder / "f.csv").rdbuf();
    EXPECT_EQ(
        text.str(),
        "x,y,z,density,potential,ax,ay,az\n1,2,3,4,5,6,7,8\n0,0,0,inf,-1,0,0,0\n0.1,0,0,2,-3,9,10,11\n");
}

}  // namespace
}  // namespace aureole::test
