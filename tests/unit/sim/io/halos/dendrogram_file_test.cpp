#include "sim/io/halos/dendrogram_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using io::DendrogramContent;

DendrogramContent three_leaves()
{
    return {{7, std::uint64_t{1} << 60, 9},
            {{0, 2, 2.25, 2, {7, 9}}, {1, 3, 5.0, 3, {9, std::uint64_t{1} << 60}}},
            {{"Finder", std::string("spanning_tree")}, {"BoxSize", 8.0}, {"NumLeaves", std::int64_t{3}}}};
}

TEST(DendrogramFile, ComesBackAsItWasWritten)
{
    const TemporaryFolder folder;
    const auto file = folder / "dendrogram.hdf5";
    const DendrogramContent written = three_leaves();
    io::write_dendrogram(file, written);
    const DendrogramContent read = io::read_dendrogram(file);
    EXPECT_EQ(read.leaf_ids, written.leaf_ids);
    EXPECT_EQ(read.merges, written.merges);
    EXPECT_FALSE(std::filesystem::exists(file.string() + ".partial"));
}

TEST(DendrogramFile, HoldsALinkageMatrixAndItsSettings)
{
    const TemporaryFolder folder;
    const auto file = folder / "dendrogram.hdf5";
    io::write_dendrogram(file, three_leaves());
    const io::Hdf5File in = io::Hdf5File::open(file);
    EXPECT_EQ(in.values<double>("/Linkage"), (std::vector<double>{0, 2, 1.5, 2, 1, 3, std::sqrt(5.0), 3}));
    EXPECT_EQ(in.dataset("/Linkage").width(), 4u);
    EXPECT_EQ(in.text("/", "Finder"), "spanning_tree");
    EXPECT_EQ(in.number("/", "BoxSize"), 8);
}

TEST(DendrogramFile, NoneAndOneLeafAreValid)
{
    const TemporaryFolder folder;
    for (const std::vector<std::uint64_t>& ids : {std::vector<std::uint64_t>{}, {5}}) {
        io::write_dendrogram(folder / "small.hdf5", {ids, {}, {}});
        const DendrogramContent read = io::read_dendrogram(folder / "small.hdf5");
        EXPECT_EQ(read.leaf_ids, ids);
        EXPECT_TRUE(read.merges.empty());
    }
}

TEST(DendrogramFile, NumbersThatDoNotAgreeAreRefused)
{
    const TemporaryFolder folder;
    DendrogramContent content = three_leaves();
    content.leaf_ids.pop_back();
    EXPECT_TRUE(contains(message_of<Error>([&] { io::write_dendrogram(folder / "bad.hdf5", content); }),
                         "2 leaves with 2 merges"));
    EXPECT_FALSE(std::filesystem::exists(folder / "bad.hdf5"));

    const auto file = folder / "short.hdf5";
    io::Hdf5File out = io::Hdf5File::create(file);
    const std::vector<std::uint64_t> ids{1, 2, 3};
    out.write_dataset<std::uint64_t>("/ParticleIDs", ids);
    for (const char* name : {"/Nodes", "/EdgeIDs"})
        out.create_dataset(name, io::NumberType::u64, 1, 2)
            .write_rows<std::uint64_t>(0, std::vector<std::uint64_t>{0, 1});
    for (const char* name : {"/Sizes", "/SquaredLengths"})
        out.write_dataset<std::uint64_t>(name, std::vector<std::uint64_t>{2});
    out.close();
    EXPECT_TRUE(contains(message_of<IoError>([&] { io::read_dendrogram(file); }),
                         "/Nodes: 1 x 2 numbers, expected 2 x 2"));
}

}  // namespace
}  // namespace aureole::test
