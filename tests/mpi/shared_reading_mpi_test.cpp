// The files of a run's initial conditions, read by all of its ranks.
#include "sim/run/ranks/shared_reading.hpp"

#include <gtest/gtest.h>

#include "gravity/ranks/ranked_solver.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"
#include "tests/mpi/ranks.hpp"
#include "tests/mpi/shared_folder.hpp"
#include "tests/support/sample_particles.hpp"

namespace aureole::test::shared_reading {
namespace {

TEST(SharedReading, IsDoneWithTheStallLimitOfTheRun)
{
    const SharedFolder folder;
    folder.fill([](const std::filesystem::path& path) {
        io::write_snapshot(path / "s.hdf5", sample_particles(20), galactic_content());
    });
    constexpr double limit = 77;
    ASSERT_NE(ranks().stall_limit(), limit);
    if (ranks().rank() == 0) {
        EXPECT_EQ(run::read_by_ranks(ranks(), folder / "s.hdf5", limit).particles.size(), 20u);
        gravity::end_forces(ranks());
    } else {
        const auto moves = comm::host_moves(ranks());
        gravity::serve_forces(ranks(), *moves, {},
                              [](gravity::Solver*, double, std::span<const std::byte> task) {
                                  ASSERT_TRUE(run::is_reading(task));
                                  run::serve_reading(ranks(), task);
                              });
    }
    EXPECT_EQ(ranks().stall_limit(), limit);
    ranks().set_stall_limit(comm::default_stall_limit);
}

}  // namespace
}  // namespace aureole::test::shared_reading
