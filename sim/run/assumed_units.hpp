// The units of a file that neither names them nor has a mean density that tells them.
#pragma once

#include "sim/config/quantity.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::run {

/// The virial ratio 2 T / |W| of the particles with G = 1, with W = -0.4 M^2 / r_h of a sphere in equilibrium
/// (Spitzer 1969) and the half-number radius about the mean position: 1 in equilibrium, and right to a factor
/// of some ten for what is bound. Nothing for particles at rest or without mass or extent.
std::optional<double> virial_ratio_estimate(const io::Snapshot& file);

/// Whether a tipsy file looks like a comoving box: positions fill [-1/2, 1/2]^3, the time is a scale factor.
bool looks_like_tipsy_box(const io::Snapshot& file);

/// G = 1 for text tables and tipsy, else kpc, 1e10 Msun and km/s, with a note. Throws ConfigError that says
/// what would settle it for a tipsy file that looks like a comoving box (units and cosmology are in a .param
/// file), and for an isolated file of another format whose particles are in equilibrium with G = 1 and not in
/// those units.
RunUnits assumed_units(const io::Snapshot& file, std::vector<std::string>& notes);

}  // namespace aureole::run
