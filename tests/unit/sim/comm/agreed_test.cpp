// Faults of one rank: those that all agree on pass, others end the job.
#include "sim/comm/agreed.hpp"

#include <gtest/gtest.h>

#include "sim/comm/parts.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/ranks/lonely_rank.hpp"

namespace aureole::test::agreed_test {
namespace {

template <class Work>
std::string end_by(comm::Communicator& ranks, Work work)
{
    try {
        comm::ending_together(ranks, work, "memory is exhausted here");
    } catch (const EndOfJob& end) {
        return end.message;
    }
    return "no end";
}

TEST(EndingTogether, PassesOnWhatAllRanksKnowOf)
{
    LonelyRank ranks;
    EXPECT_EQ(comm::ending_together(
                  ranks, [] { return 7; }, ""),
              7);
    const auto agreed = [&] { comm::agreed(ranks, [] { throw ConfigError("key: found 3"); }); };
    EXPECT_THROW(end_by(ranks, agreed), ConfigError);
    EXPECT_THROW(end_by(ranks, [&] { comm::agreed(ranks, [] { throw std::bad_alloc(); }); }), std::bad_alloc);
    comm::Parts parts(ranks, 1);
    EXPECT_EQ(message_of<Error>([&] {
                  end_by(ranks, [&] { parts.agreed_phase([](int, int) { throw IoError("a file"); }); });
              }),
              "rank 1 of 2: a file");
    const auto check = [&] { parts.common_check([] { throw ArgumentError("known to all"); }); };
    EXPECT_THROW(end_by(ranks, check), ArgumentError);
}

TEST(EndingTogether, EndsTheJobForWhatOneRankAloneSees)
{
    LonelyRank ranks;
    EXPECT_EQ(end_by(ranks, [] { throw MemoryError("10 MB needed"); }), "10 MB needed");
    EXPECT_EQ(end_by(ranks, [] { throw std::bad_alloc(); }), "memory is exhausted here");
    EXPECT_THROW(ranks.agree("an earlier fault"), Error);
    EXPECT_EQ(end_by(ranks, [] { throw Error("a later one"); }), "a later one");
    const auto one = comm::one_process();
    EXPECT_THROW(end_by(*one, [] { throw MemoryError("10 MB needed"); }), MemoryError);
}

TEST(EndingTogether, EndsTheJobInAnOperationThatLacksMemory)
{
    LonelyRank ranks;
    const std::vector<std::vector<std::byte>> out(2);
    EXPECT_EQ(ranks.all_to_all_v(out).size(), 2u);
    ranks.at_exchange = [] { throw std::bad_alloc(); };
    EXPECT_EQ(end_by(ranks, [&] { ranks.all_to_all_v(out); }),
              "there is no memory for what other ranks send (all_to_all_v)");
}

}  // namespace
}  // namespace aureole::test::agreed_test
