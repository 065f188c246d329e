// From the elements and orbits of a configuration to states on a conic.
#pragma once

#include "ics/component.hpp"
#include "sim/core/kepler_orbit.hpp"

namespace aureole::ics {

/// Position and velocity of the second body relative to the first; of elements that check_config() accepts.
PhaseSpacePoint relative_motion(const KeplerElements& elements);

/// Of an orbit that check_config() accepts, inbound at its separation; `total_mass` of both components.
PhaseSpacePoint relative_motion(const Orbit& orbit, double total_mass);

/// e = 1 + 2 q E / M when the energy is given.
double eccentricity_of(const Orbit& orbit, double total_mass);

}  // namespace aureole::ics
