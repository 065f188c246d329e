// Densities over ranks of MPI against those of one process.
#include "tests/mpi/ranks.hpp"
#include "tests/support/ranks/densities_over_parts.hpp"

namespace aureole::test::density_mpi_test {
namespace {

using namespace density;

constexpr Fields everything{.velocity = true, .dispersion = true, .streams = true};

TEST(DensitiesOverRanks, HaveTheBitsOfOneRankOnRanksOfMpi)
{
    const Particles particles = scattered_sheet(12, 2);
    const auto moves = comm::host_moves(ranks());
    OneRankGrid grid(
        particles,
        {.method = Method::tetrahedra, .grid = sheet_grid(15), .fields = everything, .lattice = {}});
    OneRankGrid clouds(
        particles, {.method = Method::cloud_in_cell, .grid = sheet_grid(15), .fields = {}, .lattice = {}});
    for (const Split split : {Split::space, Split::lattice, Split::automatic})
        grid.expect_of_parts(ranks(), *moves, 1, static_cast<int>(split), split);
    grid.expect_of_parts(ranks(), *moves, 2, 2, Split::space);
    clouds.expect_of_parts(ranks(), *moves, 1, 0, Split::automatic);
    OneRankOctree(particles, sheet_octree(4, 500, 2, everything)).expect_of_parts(ranks(), 1, 2);
}

}  // namespace
}  // namespace aureole::test::density_mpi_test
