// Friends-of-friends over ranks of MPI against those of one process.
#include "sim/core/device.hpp"
#include "tests/mpi/ranks.hpp"
#include "tests/support/point_sets.hpp"
#include "tests/support/ranks/fof_on_ranks.hpp"
#include "tests/support/ranks/fof_over_parts.hpp"

namespace aureole::test::fof_mpi_test {
namespace {

halo::FofConfig config_of(double linking_length, double side)
{
    halo::FofConfig config;
    config.linking_length = linking_length;
    config.min_members = 2;
    config.box.side = side;
    return config;
}

TEST(FofOverRanks, HasTheLabelsOfOneRankOnRanksOfMpi)
{
    const Particles particles = particles_at(clustered_points(20000, 3));
    for (const double side : {0.0, 1.0}) {
        const OneRank one(particles, config_of(0.008, side));
        for (const Spread spread : {Spread::first, Spread::runs, Spread::scattered})
            one.expect_of_parts(ranks(), 1, spread);
        one.expect_of_parts(ranks(), 3, Spread::scattered);
    }
}

TEST(FofOverRanks, CountsFriendsAndLetsTypesJoinOnRanksOfMpi)
{
    Particles particles = particles_at(clustered_points(5000, 4));
    for (Index i = 0; i < particles.size(); ++i) particles.type.host()[i] = static_cast<ParticleType>(i % 3);
    halo::FofConfig config = config_of(0.03, 1);
    config.min_friends = 4;
    config.border = halo::Border::nearest;
    config.linking_types = 1 << 0 | 1 << 1;
    OneRank(particles, config).expect_of_parts(ranks(), 1, Spread::runs);
}

TEST(FofOverRanks, BearsMoreRanksThanParticlesOnRanksOfMpi)
{
    for (const std::size_t n : {0u, 1u, 2u}) {
        const Particles few = particles_at(uniform_points(n, 2));
        OneRank(few, config_of(0.4, 1)).expect_of_parts(ranks(), 1, Spread::first);
    }
}

/// Between the GPUs of the ranks by each transport that there is, else in host memory.
template <class Use>
void on_devices(Use use)
{
    if (device::count() == 0) return use(*comm::host_moves(ranks()));
    device::select(ranks().rank_on_host() % device::count());
    for (const comm::Transport transport : {comm::Transport::automatic, comm::Transport::staged}) {
        std::string reason;
        use(*comm::open_device_moves(ranks(), transport, reason));
    }
}

TEST(FofOnDevices, HasTheLabelsOfOneRankOnRanksOfMpi)
{
    Particles particles = particles_at(clustered_points(20000, 3));
    on_devices([&](comm::DeviceMoves& moves) {
        for (const double side : {0.0, 1.0})
            for (const bool from_host : {false, true})
                expect_labels_of_one_rank(ranks(), moves, particles, config_of(0.008, side), from_host);
        halo::FofConfig config = config_of(0.03, 1);
        config.min_friends = 4;
        config.border = halo::Border::nearest;
        expect_labels_of_one_rank(ranks(), moves, particles, config);
        for (const std::size_t n : {0u, 1u, 2u})
            expect_labels_of_one_rank(ranks(), moves, particles_at(uniform_points(n, 2)), config_of(0.4, 1));
    });
}

}  // namespace
}  // namespace aureole::test::fof_mpi_test
