// What another thread does to have the kernels of a search loaded, on each backend.
#include "sim/analysis/kernel_loading.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

class KernelLoadingOnEachBackend : public OnEachBackend {};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(KernelLoadingOnEachBackend);

const std::vector<std::int64_t>& numbers_of_members(const Table& table)
{
    for (const Column& column : table.columns)
        if (column.name == "GroupLen") return std::get<std::vector<std::int64_t>>(column.values);
    throw Error("no column GroupLen");
}

TEST_P(KernelLoadingOnEachBackend, TheSampleHasGroupsOfAllSizesThatKernelsDifferFor)
{
    const run::HaloCatalogue found = run::catalogue_of_sample(exec(), {}, true, true);
    const std::vector<std::int64_t>& n_members = numbers_of_members(found.table);
    const auto between = [&](std::int64_t least, std::int64_t most) {
        return std::ranges::count_if(n_members, [&](std::int64_t n) { return n >= least && n <= most; });
    };
    EXPECT_EQ(between(1 << 16, 1 << 18), 1) << "spheres for which several blocks work";
    EXPECT_EQ(between(4096, (1 << 16) - 1), 6) << "potentials by the tree";
    EXPECT_GE(between(1000, 4095), 8) << "potentials by pairs, in several pieces";
    EXPECT_GE(between(20, 999), 300) << "short lists";
}

TEST_P(KernelLoadingOnEachBackend, TheSampleSuitsSettingsThatDoNotSuitIt)
{
    run::HalosConfig halos;
    halos.absolute_linking_length = 1e6;
    halos.linking_velocity = 1e-9;
    halos.min_members = 1000000;
    halos.types = {4};
    const run::HaloCatalogue found = run::catalogue_of_sample(exec(), halos, false, true);
    EXPECT_GE(found.table.rows, 100u);
    EXPECT_LE(found.table.rows, 1000u);
}

TEST_P(KernelLoadingOnEachBackend, LabelsAloneHaveNoTable)
{
    EXPECT_EQ(run::catalogue_of_sample(exec(), {}, true, false).table.rows, 0u);
}

TEST_P(KernelLoadingOnEachBackend, ItStopsWhenAsked)
{
    for (const int calls : {0, 3}) {
        int n = 0;
        const Progress progress{{}, [&] { return n++ == calls; }};
        EXPECT_THROW(run::catalogue_of_sample(exec(), {}, true, true, progress), Stopped);
        EXPECT_EQ(n, calls + 1);
    }
}

TEST_P(KernelLoadingOnEachBackend, ItHoldsNoMemoryAtItsEndAndNoneOnACpu)
{
    const Backend where = exec().backend;
    const std::size_t before = memory::held_bytes(where);
    memory::reset_peak(where);
    run::KernelLoading loading(exec(), {}, true);
    loading.finish(false);
    EXPECT_EQ(memory::held_bytes(where), before);
    if (where == Backend::cpu)
        EXPECT_EQ(memory::peak_bytes(where), before);
    else
        EXPECT_GT(memory::peak_bytes(where), before);
    loading.finish(false);  // a second time changes nothing
}

TEST(KernelLoading, FilesOfOneSnapshotTakeTheirTimeTogether)
{
    const TemporaryFolder folder;
    const auto write = [&](const std::string& name, std::size_t n) {
        std::ofstream(folder.path() / name) << std::string(n, 'x');
    };
    const auto long_enough = [&](const std::string& name, std::uintmax_t least) {
        return run::takes_long_to_read(folder.path() / name, least);
    };
    for (const auto& [first, second, base] :
         {std::array{"a.0", "a.1", "a"}, std::array{"b.0.hdf5", "b.1.hdf5", "b"},
          std::array{"c_010.0.h5", "c_010.1.h5", "c_010"}, std::array{"d.0.hdf5", "d.1.hdf5", "d.hdf5"}}) {
        write(first, 60);
        write(second, 40);
        for (const char* name : {first, second, base}) {
            EXPECT_TRUE(long_enough(name, 100)) << name;
            EXPECT_FALSE(long_enough(name, 101)) << name;
        }
    }
    write("alone.hdf5", 70);
    EXPECT_TRUE(long_enough("alone.hdf5", 70));
    EXPECT_FALSE(long_enough("alone.hdf5", 71));
    EXPECT_FALSE(long_enough("none", 1));
}

/// What a search of samples has met. One of open space, or of both, lasts until it is stopped: ten seconds at
/// most, so that a test fails where nothing stops it.
class LongSearch {
public:
    enum class Lasting { open_space, both };
    explicit LongSearch(Lasting lasting) : lasting_(lasting) {}

    run::KernelLoading::Search search()
    {
        return [this](bool periodic, const Progress& progress) {
            ++n_begun;
            if (periodic && lasting_ == Lasting::open_space) return;
            for (int k = 0; k < 10000; ++k) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                if (progress.stop()) {
                    stopped = true;
                    progress.at(0, "what is stopped");
                }
            }
        };
    }

    std::atomic<int> n_begun{0};
    std::atomic<bool> stopped{false};

private:
    Lasting lasting_;
};

void wait_for(const std::atomic<int>& number, int value)
{
    while (number < value) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(KernelLoading, ItsEndStopsTheSearchThatIsUnderWay)
{
    LongSearch long_one(LongSearch::Lasting::both);
    {
        run::KernelLoading loading(long_one.search());
        wait_for(long_one.n_begun, 1);
    }
    EXPECT_TRUE(long_one.stopped);
    EXPECT_EQ(long_one.n_begun, 1) << "no other search begins after that";
}

TEST(KernelLoading, APeriodicBoxDoesNotWaitForWhatOpenSpaceNeeds)
{
    LongSearch long_one(LongSearch::Lasting::open_space);
    run::KernelLoading loading(long_one.search());
    wait_for(long_one.n_begun, 2);
    loading.finish(true);
    EXPECT_TRUE(long_one.stopped);
}

TEST(KernelLoading, OpenSpaceWaitsForBothSearches)
{
    std::atomic<int> n_done{0};
    run::KernelLoading loading([&](bool, const Progress& progress) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        progress.at(0, "what may be stopped");
        ++n_done;
    });
    loading.finish(false);
    EXPECT_EQ(n_done, 2);
}

TEST(KernelLoading, ErrorsAreDropped)
{
    int n = 0;
    run::KernelLoading loading([&](bool, const Progress&) {
        ++n;
        throw Error("a search that fails");
    });
    EXPECT_NO_THROW(loading.finish(false));
    EXPECT_EQ(n, 1);
    run::HalosConfig halos;
    halos.method = "no such method";
    EXPECT_THROW(run::catalogue_of_sample({}, halos, true, true), Error);
}

}  // namespace
}  // namespace aureole::test
