// What of a directory belongs to runs.
#include "sim/run/control/run_directory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>

#include "sim/core/error.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

namespace fs = std::filesystem;

void touch(const fs::path& file) { std::ofstream(file) << "x"; }

TEST(RunDirectory, AnOverwrittenRunLeavesNothingNotEvenWhatItWasWritingWhenItWasKilled)
{
    const TemporaryFolder folder;
    for (const char* name :
         {"snapshot_003.hdf5", "snapshot_004.hdf5.partial", "energy.csv", "checkpoint_previous.bin.partial"})
        touch(folder / name);
    for (const char* name : {"precious.txt", "thesis.partial", "snapshot_x.hdf5.partial"})
        touch(folder / name);
    run::clear_outputs(folder.path());
    std::vector<std::string> left;
    for (const auto& entry : fs::directory_iterator(folder.path())) left.push_back(entry.path().filename());
    std::ranges::sort(left);
    EXPECT_EQ(left, (std::vector<std::string>{"precious.txt", "snapshot_x.hdf5.partial", "thesis.partial"}));
}

TEST(RunDirectory, FilesOfEverySnapshotFormatAreCleared)
{
    const TemporaryFolder folder;
    for (const char* name : {"extra_00000012.tipsy", "extra_00000012.tipsy.iord", "extra_00000012.param",
                             "snapshot_1000.param", "coefficients_0.hdf5", "failed_00000007.hdf5",
                             "halos_000.0.h5", "fof_subhalo_tab_012.hdf5.partial", "projection_001.png"})
        touch(folder / name);
    for (const char* name : {"snapshot_12.hdf5", "extra_12.hdf5", "failed_00000007.tipsy", "gas.param"})
        touch(folder / name);
    run::clear_outputs(folder.path());
    std::vector<std::string> left;
    for (const auto& entry : fs::directory_iterator(folder.path())) left.push_back(entry.path().filename());
    std::ranges::sort(left);
    EXPECT_EQ(left, (std::vector<std::string>{"extra_12.hdf5", "failed_00000007.tipsy", "gas.param",
                                              "snapshot_12.hdf5"}));
}

class OneTextFile final : public io::SingleFileWriter {
public:
    void write(const fs::path& file, ConstParticlesView, const io::SnapshotContent&) const override
    {
        touch(file);
    }
    std::vector<std::string> losses(ConstParticlesView, const io::SnapshotContent&) const override
    {
        return {};
    }
};

TEST(RunDirectory, FilesOfAFormatThatIsRegisteredLaterAreOutputsToo)
{
    EXPECT_FALSE(run::is_output_of_a_run("snapshot_007.mine"));
    const ScopedPlugin<io::SnapshotFormat> mine(
        io::snapshot_formats(),
        {"mine", {"a text file", {".mine"}, [] { return std::make_unique<OneTextFile>(); }}});
    EXPECT_TRUE(run::is_output_of_a_run("snapshot_007.mine"));
    EXPECT_FALSE(run::is_output_of_a_run("snapshot_007.mine.hdf5"));
}

TEST(RunDirectory, ThatIsGoneIsNamedByAnErrorOfItsOwn)
{
    const TemporaryFolder folder;
    const fs::path gone = folder / "gone";
    for (const auto& use : {std::function([&] { run::clear_outputs(gone); }),
                            std::function([&] { run::remove_outputs_from(gone, 3); }),
                            std::function([&] { run::sync_outputs(gone, 3, 4); })})
        EXPECT_TRUE(contains(message_of<IoError>(use), "gone: cannot be read: No such file or directory"));
}

}  // namespace
}  // namespace aureole::test
