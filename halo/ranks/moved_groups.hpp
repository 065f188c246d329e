// Groups whose members are spread over parts, brought whole to the parts that describe them.
#pragma once

#include <span>
#include <vector>

#include "halo/groups.hpp"
#include "halo/ranks/find_over_parts.hpp"
#include "halo/ranks/group_shares.hpp"
#include "sim/core/particles.hpp"

namespace aureole::halo {

/// Whole groups on the part that describes them.
struct MovedGroups {
    Particles particles;                ///< group after group, the members of each by rising serial
    std::vector<std::uint64_t> serial;  ///< of each particle
    Groups groups;                      ///< rows as in the batch
};

/// The members of all groups, where the particles are. What it is made from has to stay there.
class GroupMoves {
public:
    /// `held` and `label`, as find_over_parts() gives it, are of the parts that are held here; the particles
    /// have masses and velocities, and ids are their serials where they are absent. Collective. Throws Error
    /// on all ranks where arrays are missing or there are not as many labels as particles. Takes 4 bytes for
    /// each member, and 8 for each group and part.
    GroupMoves(comm::Parts& parts, std::span<const PartParticles> held,
               std::span<const std::vector<std::int32_t>> label, std::size_t n_groups);

    /// The batch of this number of each part that is held here; nothing where it has none. Collective: 73
    /// bytes travel for each member.
    std::vector<MovedGroups> batch(const GroupShares& shares, std::size_t number);

private:
    void pack_members(std::size_t k, std::size_t part, const GroupBatch& batch, comm::Parts::Box& box) const;
    std::uint64_t serial_of(std::size_t k, std::size_t part, Index i) const
    {
        return held_[k].serial ? held_[k].serial[i] : begin_[part] + i;
    }

    comm::Parts& parts_;
    std::span<const PartParticles> held_;
    std::vector<std::uint64_t> begin_;  ///< serial of the first particle of each part that has no serials
    std::vector<Members> members_;      ///< of each part that is held here, of all groups
};

}  // namespace aureole::halo
