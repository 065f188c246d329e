// Halos that contract as the mass of disks and bulges gathers in them, so slowly that r M(<r) of each shell
// is kept: Blumenthal et al. (1986), and with radii averaged over orbits Gnedin et al. (2004).
#pragma once

#include <optional>

#include "ics/make_initial_conditions.hpp"

namespace aureole::ics {

enum class Contraction {
    none,
    blumenthal,  ///< r_i M_i(r_i) = r_f [M_others(r_f) + M_halo(r_i)]
    gnedin       ///< masses at r_v 0.85 (r / r_v)^0.8 instead of r
};

/// The settings `contraction` and `contraction_radius`, in Component::own.
struct ContractionConfig {
    Contraction contraction = Contraction::none;
    std::optional<double> radius{};  ///< r_v of gnedin; default truncation_radius
};

/// Throws ConfigError for a sphere that cannot be contracted as it asks.
void check_contraction(const std::string& where, const Component& component);

/// The same with every sphere that contracts replaced by a table of its contracted density. Before, the mass
/// of all others about its centre was distributed as its own. Its mass stays; so do all other settings.
/// Throws ConfigError where nothing else shares its centre.
Config contracted(const Config& config);

}  // namespace aureole::ics
