// Forces by several ranks against those of one process: threads stand for the ranks.
#include "tests/support/crew_checks.hpp"
#include "tests/support/thread_ranks.hpp"

namespace aureole::test::crew_test {
namespace {

TEST(Crew, HasTheBitsOfOneRankInOpenSpace)
{
    on_thread_ranks(
        [](comm::Communicator& ranks) { CrewChecks{ranks}.has_the_bits_of_one_rank_in_open_space(); });
}
TEST(Crew, HasTheBitsOfOneRankInABox)
{
    on_thread_ranks([](comm::Communicator& ranks) { CrewChecks{ranks}.has_the_bits_of_one_rank_in_a_box(); });
}
TEST(Crew, TakesListsOfParticles)
{
    on_thread_ranks([](comm::Communicator& ranks) { CrewChecks{ranks}.takes_lists_of_particles(); });
}
TEST(Crew, EvaluatesSeveralTimesAfterOnePreparation)
{
    on_thread_ranks(
        [](comm::Communicator& ranks) { CrewChecks{ranks}.evaluates_several_times_after_one_preparation(); });
}
TEST(Crew, LeavesAbsentArraysAbsent)
{
    on_thread_ranks([](comm::Communicator& ranks) { CrewChecks{ranks}.leaves_absent_arrays_absent(); });
}
TEST(Crew, SeesAnotherParticleSetWhereRank0Does)
{
    on_thread_ranks(
        [](comm::Communicator& ranks) { CrewChecks{ranks}.sees_another_particle_set_where_rank_0_does(); });
}
TEST(Crew, ContinuesFromAKeptState)
{
    on_thread_ranks([](comm::Communicator& ranks) { CrewChecks{ranks}.continues_from_a_kept_state(); });
}
TEST(Crew, ThrowsTheErrorOfAnyRankOnRank0AndGoesOn)
{
    on_thread_ranks([](comm::Communicator& ranks) {
        CrewChecks{ranks}.throws_the_error_of_any_rank_on_rank_0_and_goes_on();
    });
}
TEST(Crew, RefusesSolversThatCannotShareAndGpus)
{
    on_thread_ranks(
        [](comm::Communicator& ranks) { CrewChecks{ranks}.refuses_solvers_that_cannot_share_and_gpus(); });
}

}  // namespace
}  // namespace aureole::test::crew_test
