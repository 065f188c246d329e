// The tests of ranks, started by mpirun. Every rank runs all of them; only rank 0 prints what passes, and a
// failure on any rank is one on all. usage: mpirun -n P mpi_ranks [--gtest_filter=...]
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/mpi/ranks.hpp"

namespace aureole::test {
namespace {

comm::Communicator* all = nullptr;

/// Names the rank of a failure, and ends each test with an agreement of failures.
class RankListener : public testing::EmptyTestEventListener {
    void OnTestPartResult(const testing::TestPartResult& result) override
    {
        if (result.failed())
            std::fprintf(stderr, "rank %d: %s:%d: %s\n", all->rank(),
                         result.file_name() ? result.file_name() : "?", result.line_number(),
                         result.message());
    }
    void OnTestEnd(const testing::TestInfo& info) override
    {
        if (info.result()->Skipped()) return;
        std::vector<std::uint64_t> failed{info.result()->Failed()};
        all->checks_calls(false);
        all->all_reduce(failed, comm::Reduction::max);
        failures += static_cast<int>(failed[0]);
        if (all->rank() == 0) std::printf("%s %s\n", failed[0] ? "FAILED" : "ok    ", info.name());
    }

public:
    int failures = 0;
};

}  // namespace

comm::Communicator& ranks() { return *all; }

}  // namespace aureole::test

int main(int argc, char** argv)
{
    testing::InitGoogleTest(&argc, argv);
    const auto communicator = aureole::comm::open_mpi();
    aureole::test::all = communicator.get();
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    auto* const listener = new aureole::test::RankListener;
    listeners.Append(listener);
    if (RUN_ALL_TESTS() != 0 && listener->failures == 0)
        communicator->abort("a test failed outside of the agreement");
    if (communicator->rank() == 0)
        std::printf("%d ranks by %s: %d failures\n", communicator->size(),
                    communicator->description().c_str(), listener->failures);
    return listener->failures != 0;
}
