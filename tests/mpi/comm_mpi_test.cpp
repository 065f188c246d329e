#include "sim/comm/parts.hpp"
#include "tests/mpi/ranks.hpp"
#include "tests/support/ranks/rank_checks.hpp"

namespace aureole::test::comm_mpi_test {
namespace {

TEST(Ranks, DoAllOperations)
{
    for (const bool checks : {true, false}) {
        ranks().checks_calls(checks);
        check_reductions(ranks());
        check_gathers(ranks(), 1 << 20);
        check_exchange(ranks(), 0);
        check_exchange(ranks(), 1);
        check_exchange(ranks(), 10000);
        check_agreement(ranks());
    }
}

TEST(Ranks, OfOneHostAreNumbered)
{
    EXPECT_EQ(ranks().rank_on_host(), ranks().rank());
    EXPECT_FALSE(ranks().host().empty());
    EXPECT_TRUE(ranks().description().starts_with("mpi ("));
}

TEST(Ranks, NameCallsThatDoNotMatch)
{
    if (ranks().size() == 1) return;
    ranks().checks_calls(true);
    std::string message;
    try {
        std::vector<std::uint64_t> values(3);
        if (ranks().rank() == 1)
            ranks().barrier();
        else
            ranks().all_reduce(values, comm::Reduction::sum);
    } catch (const Error& error) {
        message = error.what();
    }
    EXPECT_NE(message.find("rank 0 calls all_reduce sum of 24 bytes"), std::string::npos) << message;
    EXPECT_NE(message.find("rank 1 calls barrier"), std::string::npos) << message;
    EXPECT_NE(message.find("comm_mpi_test.cpp"), std::string::npos) << message;
}

TEST(Ranks, HoldSeveralPartsEach)
{
    for (const int per_rank : {1, 3, 16}) {
        comm::Parts parts(ranks(), per_rank);
        comm::Parts::Boxes out = parts.boxes();
        parts.phase([&](int part, int k) {
            for (int to = 0; to < parts.size(); ++to)
                out[static_cast<std::size_t>(k)][static_cast<std::size_t>(to)] =
                    marked(part, to, static_cast<std::size_t>(part + to));
        });
        const comm::Parts::Boxes in = parts.exchange(out);
        parts.phase([&](int part, int k) {
            for (int from = 0; from < parts.size(); ++from)
                EXPECT_TRUE(in[static_cast<std::size_t>(k)][static_cast<std::size_t>(from)] ==
                            marked(from, part, static_cast<std::size_t>(part + from)));
        });
        std::vector<std::vector<std::uint64_t>> ones(static_cast<std::size_t>(per_rank), {1});
        EXPECT_EQ(parts.all_reduce(ones, comm::Reduction::sum)[0], static_cast<unsigned>(parts.size()));
    }
}

}  // namespace
}  // namespace aureole::test::comm_mpi_test
