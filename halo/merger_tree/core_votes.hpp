// The votes of cores: where a halo goes, and where it comes from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halo/groups.hpp"

namespace aureole::halo {

/// What a core says of the halos of another catalogue. The member of rank r, from 0, has 1 / (1 + sqrt(r))
/// votes (GADGET-4: Springel et al. 2021, MNRAS 506, 2871, section 7.4), in units of 2^-32: sums of integers
/// do not depend on order.
struct Votes {
    std::int32_t winner = -1;   ///< the halo with most votes, of equal ones the first; -1 without votes
    std::uint64_t most = 0;     ///< its votes
    std::uint64_t members = 0;  ///< of the core that it holds
};

std::uint64_t votes_of_rank(std::size_t rank);

/// The votes of every core; `owner` per entry of cores.particle: its halo in the other catalogue, -1 for
/// none.
std::vector<Votes> votes_of_cores(const Members& cores, std::span<const std::int32_t> owner);

/// The votes of one core for one halo.
std::uint64_t votes_for(const Members& cores, std::span<const std::int32_t> owner, std::size_t core,
                        std::int32_t halo);

}  // namespace aureole::halo
