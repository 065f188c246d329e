#include "tests/support/rank_checks.hpp"

namespace aureole::test {
namespace {

TEST(OneProcess, DoesAllOperations)
{
    const auto one = comm::one_process();
    EXPECT_EQ(one->rank(), 0);
    EXPECT_EQ(one->size(), 1);
    one->checks_calls(true);
    check_reductions(*one);
    check_gathers(*one, 100000);
    check_exchange(*one, 1000);
    check_agreement(*one);
    EXPECT_NE(one->trace().find("barrier"), std::string::npos);
}

TEST(OneProcess, IsWhatRunsWithoutALauncher)
{
    EXPECT_EQ(comm::launched_processes(), 1);
    EXPECT_EQ(comm::open_ranks()->size(), 1);
}

TEST(OneProcess, RefusesSizesThatDoNotFit)
{
    const auto one = comm::one_process();
    Bytes all(3);
    EXPECT_THROW(one->all_gather(Bytes(2), all), ArgumentError);
    EXPECT_THROW(one->all_to_all_v({Bytes(1), Bytes(1)}), ArgumentError);
}

}  // namespace
}  // namespace aureole::test
