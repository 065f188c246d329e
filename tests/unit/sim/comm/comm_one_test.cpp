#include <cstdlib>

#include "tests/support/ranks/rank_checks.hpp"

namespace aureole::test::comm_one_test {
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

TEST(OneProcess, WaitsForOthersAsLongAsTheEnvironmentOrTheSettingSays)
{
    const char* const outside = std::getenv("AUREOLE_STALL_LIMIT");
    const std::string kept = outside ? outside : "";
    ::unsetenv("AUREOLE_STALL_LIMIT");
    const auto one = comm::one_process();
    EXPECT_EQ(one->stall_limit(), comm::default_stall_limit);
    one->set_stall_limit(7.5);
    EXPECT_EQ(one->stall_limit(), 7.5);
    for (const char* text : {"3", "-1", "soon"}) {
        ::setenv("AUREOLE_STALL_LIMIT", text, 1);
        const auto other = comm::one_process();
        const bool says = std::string(text) == "3";
        EXPECT_EQ(other->stall_limit(), says ? 3 : comm::default_stall_limit) << text;
        other->set_stall_limit(7.5);
        EXPECT_EQ(other->stall_limit(), says ? 3 : 7.5) << text;
    }
    ::unsetenv("AUREOLE_STALL_LIMIT");
    if (outside) ::setenv("AUREOLE_STALL_LIMIT", kept.c_str(), 1);
}

TEST(OneProcess, RefusesSizesThatDoNotFit)
{
    const auto one = comm::one_process();
    Bytes all(3);
    EXPECT_THROW(one->all_gather(Bytes(2), all), ArgumentError);
    EXPECT_THROW(one->all_to_all_v({Bytes(1), Bytes(1)}), ArgumentError);
}

}  // namespace
}  // namespace aureole::test::comm_one_test
