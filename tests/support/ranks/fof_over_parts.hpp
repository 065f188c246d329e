// Groups over parts against those of one rank, by the ranks of any communicator together.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "halo/ranks/find_over_parts.hpp"
#include "sim/core/particles.hpp"

namespace aureole::test {

/// Pairs of friends are groups, in a periodic box where `side` is above 0.
inline halo::FofConfig linking_config(double linking_length, double side)
{
    halo::FofConfig config;
    config.linking_length = linking_length;
    config.min_members = 2;
    config.box.side = side;
    return config;
}

/// Which part a particle comes from.
enum class Spread {
    first,     ///< all from part 0
    runs,      ///< equal runs, numbered from part to part
    scattered  ///< here and there, with serial numbers
};

struct Share {
    std::vector<Index> particle;
    Particles particles;
    std::vector<std::uint64_t> serial;
};

inline Share share_of(const Particles& all, Spread spread, std::size_t part, std::size_t n_parts)
{
    Share share;
    const std::size_t n = all.size();
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t owner = spread == Spread::first  ? 0
                                  : spread == Spread::runs ? i * n_parts / n
                                                           : i * 2654435761u / 64 % n_parts;
        if (owner == part) share.particle.push_back(static_cast<Index>(i));
    }
    if (spread == Spread::scattered) std::ranges::reverse(share.particle);
    share.particles = all.gathered(share.particle);
    share.serial.assign(share.particle.begin(), share.particle.end());
    return share;
}

/// Rows as repeated ids leave them open: groups of one size and smallest id by their first particle.
inline halo::Groups by_first_particle(const Particles& particles, halo::Groups groups)
{
    struct Order {
        Index minus_n;
        std::uint64_t id;
        std::size_t first, row;
    };
    std::vector<Order> order;
    for (std::size_t g = 0; g < groups.size(); ++g)
        order.push_back({0u - groups.n_members[g], ~std::uint64_t{0}, ~std::size_t{0}, g});
    for (std::size_t i = 0; i < groups.label.size(); ++i) {
        if (groups.label[i] < 0) continue;
        Order& one = order[static_cast<std::size_t>(groups.label[i])];
        one.id = std::min(one.id, particles.id.host()[i]);
        one.first = std::min(one.first, i);
    }
    std::ranges::sort(order, [](const Order& a, const Order& b) {
        return std::tie(a.minus_n, a.id, a.first) < std::tie(b.minus_n, b.id, b.first);
    });
    std::vector<std::int32_t> row(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) row[order[k].row] = static_cast<std::int32_t>(k);
    for (std::int32_t& label : groups.label)
        if (label >= 0) label = row[static_cast<std::size_t>(label)];
    return groups;
}

/// One rank's groups, which those of any number of parts are compared with.
class OneRank {
public:
    OneRank(const Particles& particles, halo::FofConfig config) : particles_(particles), config_(config)
    {
        config_.core_flags = true;
        groups_ = by_first_particle(particles, halo::FriendsOfFriends().find({}, particles.view(), config_));
    }

    const halo::Groups& groups() const { return groups_; }

    void expect_of_parts(comm::Communicator& ranks, int per_rank, Spread spread) const
    {
        SCOPED_TRACE(testing::Message()
                     << ranks.size() * per_rank << " parts, spread " << static_cast<int>(spread));
        comm::Parts parts(ranks, per_rank);
        std::vector<Share> shares;
        for (int k = 0; k < per_rank; ++k)
            shares.push_back(share_of(particles_, spread, static_cast<std::size_t>(parts.first() + k),
                                      static_cast<std::size_t>(parts.size())));
        std::vector<halo::PartParticles> held;
        for (const Share& share : shares)
            held.push_back(
                {share.particles.view(), spread == Spread::scattered ? share.serial.data() : nullptr});
        const halo::PartGroups found = halo::find_over_parts(parts, held, config_);
        EXPECT_TRUE(std::ranges::equal(found.n_members, groups_.n_members));
        for (std::size_t k = 0; k < shares.size(); ++k) {
            ASSERT_EQ(found.label[k].size(), shares[k].particle.size());
            ASSERT_EQ(found.core[k].size(), shares[k].particle.size());
            std::size_t wrong = 0, wrong_core = 0;
            for (std::size_t i = 0; i < found.label[k].size(); ++i) {
                wrong += found.label[k][i] != groups_.label[shares[k].particle[i]];
                wrong_core += found.core[k][i] != groups_.core[shares[k].particle[i]];
            }
            EXPECT_EQ(wrong, 0u) << "labels of part " << parts.first() + static_cast<int>(k);
            EXPECT_EQ(wrong_core, 0u);
        }
    }

    /// In one process.
    void expect_of_any_number_of_parts(std::initializer_list<int> numbers = {1, 2, 3, 8, 64}) const
    {
        const auto one = comm::one_process();
        for (const int V : numbers) expect_of_parts(*one, V, static_cast<Spread>(V % 3));
    }

private:
    const Particles& particles_;
    halo::FofConfig config_;
    halo::Groups groups_;
};

}  // namespace aureole::test
