// What the ranks of a run take, and which of them has the least left.
#include "sim/run/ranks/rank_memory.hpp"

#include <gtest/gtest.h>

#include "sim/core/memory/ledger.hpp"
#include "tests/support/ranks/thread_ranks.hpp"

namespace aureole::test::rank_memory_test {
namespace {

using run::RankMemory;

constexpr std::uint64_t MB = 1'000'000;

RankMemory on_cpu(const std::string& host, std::uint64_t left, bool is_own = false)
{
    return {host, "", "", {left, is_own}, {}};
}

RankMemory on_gpu(const std::string& host, const std::string& gpu, const std::string& id, std::uint64_t left)
{
    return {host, gpu, id, {1000 * MB, false}, {left, false}};
}

TEST(RankMemoryLines, TellOfRanksThatShareAHost)
{
    const std::vector<RankMemory> ranks{on_cpu("a", 900 * MB), on_cpu("a", 899 * MB), on_cpu("a", 899 * MB),
                                        on_cpu("b", 300 * MB)};
    const std::vector<std::string> roomy{
        "rank 0        a: cpu 200.0 MB", "ranks 1-2     a: cpu 100.0 MB each",
        "rank 3        b: cpu 100.0 MB", "tightest      rank 1, a: 400.0 MB for 3 ranks, 899.0 MB available"};
    EXPECT_EQ(run::rank_memory_lines(ranks, {200 * MB, 0}, {100 * MB, 0}), roomy);
    EXPECT_EQ(run::rank_memory_lines(ranks, {50 * MB, 0}, {301 * MB, 0}).back(),
              "tightest      rank 3, b: 301.0 MB, 300.0 MB available: too little");
}

TEST(RankMemoryLines, NameTheRankOfWhichALimitIsTheLeast)
{
    const std::vector<RankMemory> ranks{on_cpu("a", 900 * MB), on_cpu("a", 900 * MB),
                                        on_cpu("a", 120 * MB, true)};
    EXPECT_EQ(run::rank_memory_lines(ranks, {200 * MB, 0}, {100 * MB, 0}).back(),
              "tightest      rank 2, a: 100.0 MB, 120.0 MB available");
}

TEST(RankMemoryLines, TellOfGpusAndOfThoseThatRanksShare)
{
    // a rank may see one GPU alone, and number it 0
    const std::vector<RankMemory> ranks{on_gpu("a", "cuda:0", "A", 80 * MB),
                                        on_gpu("a", "cuda:0", "B", 80 * MB),
                                        on_gpu("a", "cuda:0", "B", 79 * MB)};
    const std::vector<std::string> lines{
        "rank 0        a: cuda:0 70.0 MB, cpu 100.0 MB", "ranks 1-2     a: cuda:0 40.0 MB, cpu 10.0 MB each",
        "tightest      rank 2, cuda:0 of a: 80.0 MB for 2 ranks, 79.0 MB available: too little"};
    EXPECT_EQ(run::rank_memory_lines(ranks, {100 * MB, 70 * MB}, {10 * MB, 40 * MB}), lines);
}

TEST(RankMemory, OfEveryRankIsKnownToAll)
{
    on_thread_ranks([](comm::Communicator& ranks) {
        const std::vector<RankMemory> all = run::memory_of_ranks(ranks, {Exec{}, "cpu (1 thread)"});
        ASSERT_EQ(all.size(), static_cast<std::size_t>(ranks.size()));
        for (const RankMemory& one : all) {
            EXPECT_EQ(one.host, "here");
            EXPECT_EQ(one.gpu, "");
            EXPECT_GT(one.cpu.bytes, MB);
            EXPECT_EQ(one.cuda.bytes, 0u);
        }
    });
}

}  // namespace
}  // namespace aureole::test::rank_memory_test
