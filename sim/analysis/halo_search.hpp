// From the halo settings of a user to the question that is put to the finder.
#pragma once

#include "halo/fof/friends_of_friends.hpp"
#include "sim/config/config.hpp"

namespace aureole::run {

/// Settings of a search, lengths in the particles' unit, and how the linking length came about, for the log.
struct HaloSearch {
    halo::FofConfig fof;  ///< linking length 0: nobody links, memberships are given
    std::string origin;
};

/// The mask of linking types: all when none is named.
std::uint8_t linking_types(const HalosConfig& halos);

/// The question to the finder, but for its linking length.
halo::FofConfig finder_settings(const HalosConfig& halos, const Box& box);

/// Settles the linking length: absolute, from a boundary density, or b times the mean separation (given, or
/// side / N^(1/3) of the linking particles in a periodic box). Throws ConfigError when b has nothing to
/// multiply, and for settings that contradict each other.
HaloSearch plan_halo_search(const HalosConfig& halos, std::size_t n_linking, const Box& box);

/// What a user wants told of a find: the number of groups, and why there are none or that one is too large.
std::string find_summary(const halo::Groups& groups, const HaloSearch& search,
                         const std::string& length_unit);

}  // namespace aureole::run
