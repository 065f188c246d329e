// Friends-of-friends of particles that are spread over parts and ranks, with the labels of one rank.
#pragma once

#include <span>
#include <vector>

#include "halo/fof/friends_of_friends.hpp"
#include "sim/comm/parts.hpp"

namespace aureole::halo {

/// The particles of one part, in host memory.
struct PartParticles {
    ConstParticlesView particles;
    /// Per particle its number among the particles of all parts; null: they are numbered from part to part.
    const std::uint64_t* serial = nullptr;
};

/// Groups of the particles of all parts.
struct PartGroups {
    /// Of each part that is held here, per particle in its order: row of its group from 0, -1 for none.
    std::vector<std::vector<std::int32_t>> label;
    /// The same where the settings ask for core flags: 1 for particles that link, else 0.
    std::vector<std::vector<std::uint8_t>> core;
    std::vector<std::uint64_t> n_members;  ///< per group, of all parts; the same everywhere
};

/// The groups that one rank finds, bit for bit, for any number of parts and any distribution of particles,
/// empty parts included: `held` are those of the parts that are held here. Groups of equal size and smallest
/// id, which ids that repeat allow, go by their smallest serial. Collective; works on the CPU. Space is cut
/// into domains of about equal numbers of particles along a Hilbert curve, which travel there with ghosts of
/// one linking length; friends are linked in each domain, and pairs of sets join the domains.
///
/// Memory for each rank: 61 bytes a particle of its own while they leave; about 100 bytes a particle and
/// ghost of its domain, and FriendsOfFriends' own; 24 bytes for each group of all ranks, and 16 for each pair
/// of sets that share a ghost. All particles at one point are in one domain.
///
/// Throws on every rank: ArgumentError for settings that FriendsOfFriends does not take, for the spanning
/// tree and for velocities in dispersions of groups, which work on one rank alone; Error for a position, or a
/// velocity in phase space, that is not finite, naming the particle by its serial; Error naming the rank for
/// what only one of them can know.
PartGroups find_over_parts(comm::Parts& parts, std::span<const PartParticles> held, const FofConfig& config);

/// Throws ArgumentError for settings that find_over_parts() does not take.
void expect_possible_over_parts(const FofConfig& config);

}  // namespace aureole::halo
