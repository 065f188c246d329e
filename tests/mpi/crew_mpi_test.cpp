// Forces by ranks of MPI against those of one process.
#include "tests/mpi/ranks.hpp"
#include "tests/support/crew_checks.hpp"

namespace aureole::test {
namespace {

TEST(Crew, HasTheBitsOfOneRankInOpenSpace) { CrewChecks{ranks()}.has_the_bits_of_one_rank_in_open_space(); }
TEST(Crew, HasTheBitsOfOneRankInABox) { CrewChecks{ranks()}.has_the_bits_of_one_rank_in_a_box(); }
TEST(Crew, TakesListsOfParticles) { CrewChecks{ranks()}.takes_lists_of_particles(); }
TEST(Crew, EvaluatesSeveralTimesAfterOnePreparation)
{
    CrewChecks{ranks()}.evaluates_several_times_after_one_preparation();
}
TEST(Crew, LeavesAbsentArraysAbsent) { CrewChecks{ranks()}.leaves_absent_arrays_absent(); }
TEST(Crew, SeesAnotherParticleSetWhereRank0Does)
{
    CrewChecks{ranks()}.sees_another_particle_set_where_rank_0_does();
}
TEST(Crew, ContinuesFromAKeptState) { CrewChecks{ranks()}.continues_from_a_kept_state(); }
TEST(Crew, ThrowsTheErrorOfAnyRankOnRank0AndGoesOn)
{
    CrewChecks{ranks()}.throws_the_error_of_any_rank_on_rank_0_and_goes_on();
}
TEST(Crew, RefusesSolversThatCannotShareAndGpus)
{
    CrewChecks{ranks()}.refuses_solvers_that_cannot_share_and_gpus();
}

}  // namespace
}  // namespace aureole::test
