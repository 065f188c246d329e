// The files of a run's initial conditions, read by all of its ranks.
#include "sim/run/ranks/shared_reading.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "gravity/ranks/task.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"
#include "tests/support/sample_particles.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test::shared_reading {
namespace {

/// One rank that notes the stall limit of each operation, and the longest message before it was changed.
class NotingRank final : public comm::Communicator {
public:
    NotingRank() : Communicator(0, 1) {}

    std::vector<double> limits;
    std::vector<std::byte> task;

    [[noreturn]] void abort(const std::string& message) override { throw Error(message); }
    std::string description() const override { return "notes"; }
    std::string host() const override { return "here"; }
    int rank_on_host() const override { return 0; }

private:
    void note() { limits.push_back(stall_limit()); }
    void do_barrier() override { note(); }
    void do_broadcast(std::span<std::byte> bytes, int, Patience) override
    {
        note();
        const bool is_before = stall_limit() == comm::default_stall_limit;
        if (is_before && bytes.size() > task.size()) task.assign(bytes.begin(), bytes.end());
    }
    void do_reduce(void*, std::size_t, bool, comm::Reduction) override { note(); }
    void do_gather(std::span<const std::byte> mine, std::byte* all) override
    {
        note();
        std::ranges::copy(mine, all);
    }
    void do_exchange(const std::vector<std::vector<std::byte>>& out,
                     std::vector<std::vector<std::byte>>& in) override
    {
        note();
        in = out;
    }
};

TEST(SharedReading, IsDoneWithTheStallLimitOfTheRun)
{
    unsetenv("AUREOLE_STALL_LIMIT");
    const TemporaryFolder folder;
    io::write_snapshot(folder / "s.hdf5", sample_particles(20), galactic_content());
    constexpr double limit = 77;
    NotingRank first;
    EXPECT_EQ(run::read_by_ranks(first, folder / "s.hdf5", limit).particles.size(), 20u);
    // what to read is told with the limit of before
    EXPECT_EQ(first.limits.front(), comm::default_stall_limit);
    EXPECT_EQ(first.limits.back(), limit);
    EXPECT_GT(std::ranges::count(first.limits, limit), 2);
    EXPECT_TRUE(std::ranges::is_sorted(first.limits, std::ranges::greater{}));

    // another rank, which hears of it by the task
    NotingRank other;
    const auto bytes = std::span<const std::byte>(first.task).subspan(sizeof(gravity::ranks::Header));
    ASSERT_TRUE(run::is_reading(bytes));
    run::serve_reading(other, bytes);
    EXPECT_GT(other.limits.size(), 2u);
    EXPECT_EQ(std::ranges::count(other.limits, limit), std::ssize(other.limits));
}

}  // namespace
}  // namespace aureole::test::shared_reading
