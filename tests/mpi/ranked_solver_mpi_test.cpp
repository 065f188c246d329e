// Forces by ranks of MPI against those of one process.
#include "tests/mpi/ranks.hpp"
#include "tests/support/ranks/ranked_solver_checks.hpp"

namespace aureole::test::ranked_solver_mpi_test {
namespace {

TEST(RankedSolver, HasTheBitsOfOneRankInOpenSpace)
{
    RankedSolverChecks{ranks()}.has_the_bits_of_one_rank_in_open_space();
}
TEST(RankedSolver, HasTheBitsOfOneRankInABox)
{
    RankedSolverChecks{ranks()}.has_the_bits_of_one_rank_in_a_box();
}
TEST(RankedSolver, TakesListsOfParticles) { RankedSolverChecks{ranks()}.takes_lists_of_particles(); }
TEST(RankedSolver, EvaluatesSeveralTimesAfterOnePreparation)
{
    RankedSolverChecks{ranks()}.evaluates_several_times_after_one_preparation();
}
TEST(RankedSolver, LeavesAbsentArraysAbsent) { RankedSolverChecks{ranks()}.leaves_absent_arrays_absent(); }
TEST(RankedSolver, SeesAnotherParticleSetWhereRank0Does)
{
    RankedSolverChecks{ranks()}.sees_another_particle_set_where_rank_0_does();
}
TEST(RankedSolver, ContinuesFromAKeptState) { RankedSolverChecks{ranks()}.continues_from_a_kept_state(); }
TEST(RankedSolver, ThrowsTheErrorOfAnyRankOnRank0AndGoesOn)
{
    RankedSolverChecks{ranks()}.throws_the_error_of_any_rank_on_rank_0_and_goes_on();
}
TEST(RankedSolver, RefusesSolversThatCannotShareAndGpus)
{
    RankedSolverChecks{ranks()}.refuses_solvers_that_cannot_share_and_gpus();
}

}  // namespace
}  // namespace aureole::test::ranked_solver_mpi_test
