// Tasks that a GPU and CPU threads share: each is done once, and the sums of both are the whole.
#include "density/deposit/shared_work.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "density/sheet/sheet_volume.hpp"
#include "sim/core/error.hpp"
#include "tests/unit/density/sheets.hpp"

namespace aureole::test::shared_work_test {
namespace {

TEST(SharedTasks, AreTakenFromBothEndsOnceEach)
{
    SharedTasks tasks(1000);
    const TaskRange first = tasks.reserve();
    EXPECT_EQ(first.begin, 0u);
    EXPECT_EQ(first.end, 250u);
    tasks.restrict_to(100);  // the others go back
    EXPECT_EQ(tasks.take(), 999u);
    const TaskRange second = tasks.reserve();
    EXPECT_EQ(second.begin, 100u);
    EXPECT_EQ(second.size(), 899u / 4);
    EXPECT_EQ(tasks.take(), 998u);
    EXPECT_DOUBLE_EQ(tasks.fraction_taken(), (second.end + 2) / 1000.0);
    std::size_t taken = second.end + 2;
    while (tasks.take()) ++taken;
    EXPECT_EQ(taken, 1000u);
    EXPECT_EQ(tasks.reserve().size(), 0u);
}

TEST(SharedTasks, TheLastFewAreTheDevicesAtOnce)
{
    SharedTasks tasks(65);
    EXPECT_EQ(tasks.reserve().size(), 64u);
    EXPECT_EQ(tasks.reserve().size(), 1u);
    EXPECT_FALSE(tasks.take());
    EXPECT_DOUBLE_EQ(SharedTasks(0).fraction_taken(), 1);
}

TEST(SharedTasks, ItemsAreHandedOutOnceAndWaitedFor)
{
    SharedTasks tasks(10);
    EXPECT_TRUE(tasks.prepared());
    tasks.open(6);
    const TaskRange first = tasks.begin_items(), second = tasks.begin_items();
    EXPECT_EQ(first.size() + second.size(), 6u);
    EXPECT_EQ(second.begin, first.end);
    EXPECT_EQ(tasks.begin_items().size(), 0u);
    tasks.end_items(second);
    EXPECT_FALSE(tasks.prepared());
    tasks.end_items(first);
    EXPECT_TRUE(tasks.prepared());
}

TEST(SharedTasks, NothingIsHandedOutOnceTheyAreClosed)
{
    SharedTasks tasks(500);
    tasks.open(5);
    tasks.close();
    EXPECT_TRUE(tasks.closed());
    EXPECT_EQ(tasks.reserve().size(), 0u);
    EXPECT_EQ(tasks.begin_items().size(), 0u);
    EXPECT_FALSE(tasks.take());
}

/// In place of a device: deposits on the host when a chunk is submitted.
class HostFeeder final : public ChunkFeeder {
public:
    HostFeeder(const ConstParticlesView& particles, const Lattice& lattice, const TetrahedronWork& work)
        : particles_(particles), lattice_(lattice), work_(work)
    {
    }

    void wait() override { std::this_thread::yield(); }
    std::size_t fill(TaskRange range) override
    {
        first_ = range.begin;
        count_ = std::min<std::size_t>(range.size(), 70);
        gathered_ = 0;
        return first_ + count_;
    }
    std::size_t n_blocks() const override { return count_; }
    void gather(std::size_t block) override
    {
        if (block == fails_at) throw Error("no more");
        const bool feeds = omp_get_thread_num() == 0;  // the others are slower, and waited for
        std::this_thread::sleep_for(std::chrono::microseconds(feeds ? 500 : 5000));
        ++gathered_;
    }
    void submit() override
    {
        EXPECT_EQ(gathered_, count_) << "all blocks are prepared";
        const auto tasks = work_.tasks.subspan(first_, count_);
        deposit_tasks_cpu({particles_, lattice_},
                          {.patches = work_.patches, .tasks = tasks, .moments = work_.moments});
        done_ += count_;
    }

    std::size_t done() const { return done_; }
    std::size_t fails_at = ~std::size_t{0};

private:
    ConstParticlesView particles_;
    const Lattice& lattice_;
    const TetrahedronWork& work_;
    std::size_t first_ = 0, count_ = 0, done_ = 0;
    std::atomic<std::size_t> gathered_ = 0;
};

class SharedWork : public testing::TestWithParam<bool> {
protected:
    static constexpr std::int64_t cells = 16;
    Particles host = sheet(40, crossed, [](Vec3 q) { return 0.01 * swirl(q); });
    Grid grid = whole_box(cells);
    Lattice lattice = make_lattice(host.view(), grid.box);
    std::vector<TetrahedronTask> tasks = [this] {
        std::vector<TetrahedronTask> all(LatticeBlocks{lattice.side}.count());
        for (Index block = 0; block < all.size(); ++block) all[block] = {0, block};
        return all;
    }();
    std::size_t n_sums = cells * cells * cells * (GetParam() ? 5 : 1);
    std::vector<FixedSum> at_home = std::vector<FixedSum>(n_sums), away = at_home;
    std::vector<Index> streams_at_home = std::vector<Index>(cells * cells * cells),
                       streams_away = streams_at_home;
    Patch here{{grid, at_home.data()}, streams_at_home.data()},
        there{{grid, away.data()}, streams_away.data()};

    TetrahedronWork work()
    {
        return {.patches = {&there, 1}, .tasks = tasks, .moments = GetParam(), .host_patches = {&here, 1}};
    }
};

TEST_P(SharedWork, SumsOfBothAreThoseOfOne)
{
    std::vector<FixedSum> expected(n_sums);
    std::vector<Index> streams(streams_away.size());
    const Patch alone{{grid, expected.data()}, streams.data()};
    const ParticlesView view = host.view();
    deposit_tasks_cpu({view, lattice}, {.patches = {&alone, 1}, .tasks = tasks, .moments = GetParam()});

    TetrahedronWork shared = work();
    double last = 0;
    shared.progress.report = [&](double fraction, std::string_view) {
        EXPECT_GT(fraction, last);
        last = fraction;
    };
    HostFeeder feeder(view, lattice, shared);
    const double volume = share_tasks(feeder, {view, lattice}, shared).value();
    EXPECT_LE(feeder.done(), tasks.size());  // how many depends on the moment
    for (std::size_t i = 0; i < n_sums; ++i) {
        add(at_home[i], away[i]);
        ASSERT_EQ(at_home[i].low, expected[i].low) << i;
        ASSERT_EQ(at_home[i].high, expected[i].high) << i;
    }
    for (std::size_t i = 0; i < streams.size(); ++i)
        ASSERT_EQ(streams_at_home[i] + streams_away[i], streams[i]) << i;
    EXPECT_GE(volume, 0);
    EXPECT_LT(volume, 1);
}

TEST_P(SharedWork, WithoutThreadsTheDeviceDoesAll)
{
    const ParticlesView view = host.view();
    TetrahedronWork shared = work();
    HostFeeder feeder(view, lattice, shared);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const double volume = share_tasks(feeder, {view, lattice}, shared).value();
    omp_set_num_threads(threads);
    EXPECT_EQ(feeder.done(), tasks.size());
    EXPECT_EQ(volume, 0);
    EXPECT_TRUE(std::ranges::all_of(at_home, [](const FixedSum& sum) { return sum.whole() == 0; }));
}

TEST_P(SharedWork, TheVolumeIsThatOfTheTasksOfThreads)
{
    const ParticlesView view = host.view();
    TetrahedronWork shared = work();
    HostFeeder feeder(view, lattice, shared);
    const double volume = share_tasks(feeder, {view, lattice}, shared).value();
    // the device took tasks from the front, block by block
    VolumeSum expected;
    std::vector<Vec3> position(corners_per_block);
    const CellCoordinates in_cells(grid);
    for (Index block = static_cast<Index>(feeder.done()); block < tasks.size(); ++block) {
        const BlockExtent extent = LatticeBlocks{lattice.side}.extent(block);
        gather_corners(lattice.view(), extent, view.position, position.data());
        for_each_tetrahedron(position.data(), extent, in_cells, [&](const Tetrahedron& t) {
            expected.add(t.signed_volume() / (1.0 * cells * cells * cells));
        });
    }
    EXPECT_NEAR(volume, expected.value(), 1e-14);
}

TEST_P(SharedWork, AFailureEndsItForAll)
{
    const ParticlesView view = host.view();
    TetrahedronWork shared = work();
    HostFeeder feeder(view, lattice, shared);
    feeder.fails_at = 5;
    EXPECT_THROW(share_tasks(feeder, {view, lattice}, shared), Error);
    EXPECT_EQ(feeder.done(), 0u);
}

TEST_P(SharedWork, AStopEndsItForAll)
{
    TetrahedronWork shared = work();
    int reports = 0;
    shared.progress.stop = [&] { return ++reports == 1; };
    HostFeeder feeder(host.view(), lattice, shared);
    EXPECT_THROW(share_tasks(feeder, {host.view(), lattice}, shared), Stopped);
    EXPECT_EQ(reports, 1);
}

INSTANTIATE_TEST_SUITE_P(Of, SharedWork, testing::Bool(),
                         [](const auto& info) { return info.param ? "velocities" : "mass"; });

}  // namespace
}  // namespace aureole::test::shared_work_test
