// Forces by several ranks against those of one process: threads stand for the ranks.
#include "tests/support/ranks/ranked_solver_checks.hpp"
#include "tests/support/ranks/thread_ranks.hpp"

namespace aureole::test::ranked_solver_test {
namespace {

TEST(RankedSolver, HasTheBitsOfOneRankInOpenSpace)
{
    on_thread_ranks([](comm::Communicator& ranks) {
        RankedSolverChecks{ranks}.has_the_bits_of_one_rank_in_open_space();
    });
}
TEST(RankedSolver, HasTheBitsOfOneRankInABox)
{
    on_thread_ranks(
        [](comm::Communicator& ranks) { RankedSolverChecks{ranks}.has_the_bits_of_one_rank_in_a_box(); });
}
TEST(RankedSolver, TakesListsOfParticles)
{
    on_thread_ranks([](comm::Communicator& ranks) { RankedSolverChecks{ranks}.takes_lists_of_particles(); });
}
TEST(RankedSolver, EvaluatesSeveralTimesAfterOnePreparation)
{
    on_thread_ranks([](comm::Communicator& ranks) {
        RankedSolverChecks{ranks}.evaluates_several_times_after_one_preparation();
    });
}
TEST(RankedSolver, LeavesAbsentArraysAbsent)
{
    on_thread_ranks(
        [](comm::Communicator& ranks) { RankedSolverChecks{ranks}.leaves_absent_arrays_absent(); });
}
TEST(RankedSolver, SeesAnotherParticleSetWhereRank0Does)
{
    on_thread_ranks([](comm::Communicator& ranks) {
        RankedSolverChecks{ranks}.sees_another_particle_set_where_rank_0_does();
    });
}
TEST(RankedSolver, ContinuesFromAKeptState)
{
    on_thread_ranks(
        [](comm::Communicator& ranks) { RankedSolverChecks{ranks}.continues_from_a_kept_state(); });
}
TEST(RankedSolver, ThrowsTheErrorOfAnyRankOnRank0AndGoesOn)
{
    on_thread_ranks([](comm::Communicator& ranks) {
        RankedSolverChecks{ranks}.throws_the_error_of_any_rank_on_rank_0_and_goes_on();
    });
}
TEST(RankedSolver, RefusesSolversThatCannotShareAndGpus)
{
    on_thread_ranks([](comm::Communicator& ranks) {
        RankedSolverChecks{ranks}.refuses_solvers_that_cannot_share_and_gpus();
    });
}

}  // namespace
}  // namespace aureole::test::ranked_solver_test
