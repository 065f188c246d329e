// From the halo settings of a user to the settings of the finder.
#pragma once

#include "halo/finder.hpp"
#include "sim/config/config.hpp"

namespace aureole::run {

/// The settings of a search, with lengths in the unit of the particles, and the origin of the linking length,
/// for the log.
struct HaloSearch {
    halo::FofConfig fof;  ///< linking length 0: no particles are linked, memberships are given
    std::string origin;
    std::string method = "fastest";  ///< one of halo::finders()
    PluginConfigs finders{};         ///< what each finder registered

    std::unique_ptr<halo::Finder> make_finder() const { return halo::make_finder(method, fof, finders); }
};

/// The mask of the particle types that link; all types when none is configured.
std::uint8_t linking_types(const HalosConfig& halos);

/// The settings of the finder, except for its linking length.
halo::FofConfig finder_settings(const HalosConfig& halos, const Box& box);

/// Settles the linking length: absolute, from a boundary density, or b times the mean separation (given, or
/// side / N^(1/3) of the linking particles in a periodic box). Throws ConfigError when b has nothing to
/// multiply, and for settings that contradict each other.
HaloSearch plan_halo_search(const HalosConfig& halos, std::size_t n_linking, const Box& box);

/// One line about the result of a search: the number of groups, and a hint where there are none or where one
/// holds more than half of all particles. `n_members` are those of every group, the largest first.
std::string find_summary(std::size_t n_particles, const std::vector<Index>& n_members,
                         const HaloSearch& search, const std::string& length_unit);

}  // namespace aureole::run
