// How near two extended bodies come that an orbit places as points: they overlap before, and attract each
// other less.
#pragma once

#include <optional>
#include <string>

#include "ics/make_initial_conditions.hpp"

namespace aureole::ics {

/// The closest approach of the two bodies of config.orbit as rigid bodies, each of its mass inside each
/// radius (disks by their means over spheres), that begin as the orbit says: the energy of both is the
/// integral of the density of one times the potential of the other. To 1e-3. Nothing without an orbit, and
/// where a body has parts whose mass is not known beforehand, as files. Of a config that check_config()
/// accepts.
std::optional<double> rigid_pericentre(const Config& config);

/// `config` with the orbit of points on which the bodies begin: where orbit.pericentre_of is spheres,
/// orbit.pericentre becomes the one with which rigid_pericentre() is the one asked for, to 1e-3, with the
/// same eccentricity or energy; else `config` as it is. Throws ConfigError where the masses of the bodies are
/// not known beforehand, and where no such orbit reaches orbit.separation.
Config with_orbit_of_points(const Config& config);

/// One sentence with it, and with the orbit.pericentre by which it would be the one that was asked for, where
/// orbit.eccentricity is at least 1; "" where there is no rigid_pericentre(). Of a config after
/// with_orbit_of_points(), where orbit.pericentre_of is spheres.
std::string pericentre_note(const Config& config);

}  // namespace aureole::ics
