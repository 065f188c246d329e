// What a catalogue takes on the CPU beside particles and groups, as the ledger of buffers counts it.
#include <gtest/gtest.h>

#include "halo/fof/friends_of_friends.hpp"
#include "sim/analysis/halo_catalogue.hpp"
#include "sim/core/memory/ledger.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test {
namespace {

TEST(CatalogueMemory, OnACpuIsThatOfOnePartAtATimeAndListsAreKept)
{
    constexpr std::size_t n = 100000;
    constexpr double fixed = 1.2e6;  // histograms of sorts, which do not grow with the particles
    Particles host = particles_at(clustered_points(n, 3));
    for (Index i = 0; i < n; ++i) {
        host.mass.host()[i] = 1.0 / n;
        host.velocity.x.host()[i] = 0.1 * host.position.y.host()[i];
    }
    halo::FofConfig fof;
    fof.linking_length = 0.2 / std::cbrt(double{n});
    fof.box = {1};
    const halo::Groups groups = halo::FriendsOfFriends().find({}, host.view(), fof);
    run::HaloContext context;
    context.box = fof.box;
    context.gravitational_constant = 7;
    context.densities = halo::reference_densities(1);
    const run::HaloInput input{{}, host.view(), halo::view_of(groups)};
    const std::size_t before = memory::held_bytes(Backend::cpu);
    memory::reset_peak(Backend::cpu);
    run::CatalogueMaker maker;
    const run::HaloCatalogue found = maker.make(input, {}, context, {.order = true});
    EXPECT_GT(found.table.rows, 100u);
    EXPECT_EQ(found.order.size(), n);
    EXPECT_EQ(found.sorted.size(), 0u);
    const auto bytes_a_particle = [&](std::size_t bytes) {
        return (static_cast<double>(bytes - before) - fixed) / n;
    };
    EXPECT_LE(bytes_a_particle(memory::peak_bytes(Backend::cpu)), 44.0);
    EXPECT_LE(memory::held_bytes(Backend::cpu) - before, 5 * n);
}

}  // namespace
}  // namespace aureole::test
