#include "sim/io/halos/labels_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using Ids = std::vector<std::uint64_t>;
using Rows = std::vector<std::int64_t>;

TEST(Memberships, LabelsAreMatchedByIdInAnyOrder)
{
    const TemporaryFolder folder;
    io::write_labels(folder / "l.hdf5", Ids{9, 3, 5000000000, 4}, std::vector<std::int32_t>{1, -1, 0, 7}, {});
    EXPECT_EQ(io::read_memberships(folder / "l.hdf5", Ids{5000000000, 4, 9}), (Rows{0, 7, 1}))
        << "labels of other particles do not matter";
    EXPECT_EQ(io::read_memberships(folder / "l.hdf5", Ids{}), Rows{});
}

TEST(Memberships, IdsTakeAll64BitsAndMayCarryASign)
{
    const TemporaryFolder folder;
    const Ids ids{~std::uint64_t{0}, std::uint64_t{1} << 63, 5, (std::uint64_t{1} << 63) + 1};
    io::write_labels(folder / "l.hdf5", ids, std::vector<std::int32_t>{3, 2, 1, 0}, {});
    EXPECT_EQ(io::read_memberships(folder / "l.hdf5", ids), (Rows{3, 2, 1, 0}));
    EXPECT_FALSE(io::Hdf5File::open(folder / "l.hdf5").dataset("/ParticleIDs").layout().has_sign)
        << "as in snapshots: NumPy compares int64 with uint64 as doubles";
    {
        auto file = io::Hdf5File::create(folder / "u.hdf5");
        file.write_dataset<std::uint64_t>("/ParticleIDs", ids);
        file.write_dataset<std::uint64_t>("/GroupIDs", Ids{3, 2, 1, 0});
    }
    EXPECT_EQ(io::read_memberships(folder / "u.hdf5", ids), (Rows{3, 2, 1, 0}));
    {
        auto file = io::Hdf5File::create(folder / "s.hdf5");
        file.write_dataset<std::int64_t>("/ParticleIDs", std::vector<std::int64_t>{-1, 7});
        file.write_dataset<std::int64_t>("/GroupIDs", std::vector<std::int64_t>{4, 5});
    }
    EXPECT_EQ(io::read_memberships(folder / "s.hdf5", Ids{7, ~std::uint64_t{0}}), (Rows{5, 4}));
    {
        auto file = io::Hdf5File::create(folder / "n.hdf5");
        file.write_dataset<std::int32_t>("/ParticleIDs", std::vector<std::int32_t>{-1, 7});
        file.write_dataset<std::int32_t>("/GroupIDs", std::vector<std::int32_t>{-1, 5});
    }
    EXPECT_EQ(io::read_memberships(folder / "n.hdf5", Ids{7, 4294967295}), (Rows{5, -1}));
}

TEST(Memberships, OtherFilesAreGrpArrays)
{
    const TemporaryFolder folder;
    std::ofstream(folder / "a.grp") << "2\n1\n0\n";
    EXPECT_EQ(io::read_memberships(folder / "a.grp", Ids{7, 8}), (Rows{0, -1}));
}

TEST(Memberships, IdsThatMissOrRepeatAreNamed)
{
    const TemporaryFolder folder;
    io::write_labels(folder / "l.hdf5", Ids{1, 2}, std::vector<std::int32_t>{0, 0}, {});
    io::write_labels(folder / "twice.hdf5", Ids{1, 1}, std::vector<std::int32_t>{0, 0}, {});
    const auto complaint = [&](const char* file, const Ids& ids) {
        return message_of<IoError>([&] { io::read_memberships(folder / file, ids); });
    };
    EXPECT_TRUE(contains(complaint("l.hdf5", {2, 3}), "holds no label of particle id 3"));
    EXPECT_TRUE(contains(complaint("l.hdf5", {2, 2}), "the snapshot holds id 2 twice"));
    EXPECT_TRUE(contains(complaint("twice.hdf5", {1}), "twice.hdf5: holds id 1 twice"));
    auto other = io::Hdf5File::create(folder / "other.hdf5");
    other.create_group("/Header");
    other.close();
    EXPECT_TRUE(contains(complaint("other.hdf5", {1}), "holds no labels"));
}

}  // namespace
}  // namespace aureole::test
