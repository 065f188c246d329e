// One domain on each rank, in memory of its device, has the labels of one rank; ranks are threads here.
#include "halo/ranks/device_search.hpp"

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/point_sets.hpp"
#include "tests/support/ranks/fof_on_ranks.hpp"
#include "tests/support/ranks/thread_ranks.hpp"

namespace aureole::test {
namespace {

using halo::Border;
using halo::FofConfig;

void expect_on_ranks(const Particles& particles, const FofConfig& config)
{
    on_thread_ranks([&](comm::Communicator& ranks) {
        const auto moves = comm::host_moves(ranks);
        expect_labels_of_one_rank(ranks, *moves, particles, config);
    });
}

TEST(DeviceSearch, HasTheLabelsOfOneRank)
{
    for (const double side : {0.0, 1.0})
        expect_on_ranks(particles_at(clustered_points(3000, 3)), linking_config(0.014, side));
    Points chain;
    for (int i = 0; i < 1500; ++i) chain.push_back({0.001 * i, 0.0005 * i, -0.0002 * i});
    expect_on_ranks(particles_at(chain), linking_config(0.00115, 0));
}

TEST(DeviceSearch, CountsFriendsAndLetsTypesJoinAcrossRanks)
{
    const Particles particles = moving_particles(1500, 11);
    for (const Border border : {Border::excluded, Border::nearest}) {
        FofConfig config = linking_config(0.03, 1);
        config.linking_types = 0x03;
        config.border = border;
        expect_on_ranks(particles, config);
        config.min_friends = 5;
        expect_on_ranks(particles, config);
        config.linking_velocity = 0.05;
        expect_on_ranks(particles, config);
    }
}

TEST(DeviceSearch, BearsHeapsAndRanksWithoutParticles)
{
    for (const std::size_t n : {0u, 1u, 2u, 5u})
        expect_on_ranks(particles_at(uniform_points(n, 2)), linking_config(0.3, 1));
    Points heap(600, {0.3, 0.3, 0.3});
    for (std::size_t i = 0; i < 200; ++i) heap[i] = {0.001 * static_cast<double>(i), 0.5, 0.5};
    expect_on_ranks(particles_at(heap), linking_config(0.01, 1));
}

TEST(DeviceSearch, TellsAllRanksWhatOneOfThemSees)
{
    Particles particles = particles_at(uniform_points(400, 2));
    particles.position.y.host()[321] = std::numeric_limits<double>::infinity();
    on_thread_ranks([&](comm::Communicator& ranks) {
        const auto moves = comm::host_moves(ranks);
        const Share share = share_of(particles, Spread::runs, static_cast<std::size_t>(ranks.rank()),
                                     static_cast<std::size_t>(ranks.size()));
        halo::DeviceSearch search(ranks, *moves);
        const auto find = [&](const FofConfig& config) { search.find({}, share.particles.view(), config); };
        EXPECT_TRUE(contains(message_of<Error>([&] { find(linking_config(0.1, 1)); }), "321"));
        FofConfig tree = linking_config(0.1, 1);
        tree.method = halo::Method::spanning_tree;
        EXPECT_THROW(find(tree), ArgumentError);
    });
}

}  // namespace
}  // namespace aureole::test
