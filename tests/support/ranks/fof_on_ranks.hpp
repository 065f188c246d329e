// Groups by DeviceSearch, a part of space for each rank, against those of one rank.
#pragma once

#include "halo/ranks/device_search.hpp"
#include "tests/support/ranks/fof_over_parts.hpp"

namespace aureole::test {

/// Collective. The particles come from each rank's share, from memory of `where` or from the host.
inline void expect_labels_of_one_rank(comm::Communicator& ranks, comm::DeviceMoves& moves,
                                      const Particles& particles, halo::FofConfig config,
                                      bool from_host = false)
{
    config.core_flags = true;
    const halo::Groups expected =
        by_first_particle(particles, halo::FriendsOfFriends().find({}, particles.view(), config));
    const Exec exec{moves.where()};
    for (const Spread spread : {Spread::first, Spread::runs}) {
        SCOPED_TRACE(testing::Message() << ranks.size() << " ranks, spread " << static_cast<int>(spread));
        const Share share = share_of(particles, spread, static_cast<std::size_t>(ranks.rank()),
                                     static_cast<std::size_t>(ranks.size()));
        const Particles there = share.particles.copy_to(from_host ? Backend::cpu : moves.where());
        halo::DeviceSearch search(ranks, moves);
        const halo::Groups found = halo::groups_on_host(exec, search.find(exec, there.view(), config));
        EXPECT_EQ(found.n_members, expected.n_members);
        ASSERT_EQ(found.label.size(), share.particle.size());
        std::size_t wrong = 0, wrong_core = 0;
        for (std::size_t i = 0; i < found.label.size(); ++i) {
            wrong += found.label[i] != expected.label[share.particle[i]];
            wrong_core += found.core[i] != expected.core[share.particle[i]];
        }
        EXPECT_EQ(wrong, 0u);
        EXPECT_EQ(wrong_core, 0u);
    }
}

}  // namespace aureole::test
