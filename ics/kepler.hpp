// The two-body problem: states on a conic from its elements (Murray & Dermott 1999, ch. 2).
#pragma once

#include "ics/component.hpp"
#include "ics/phase_space_point.hpp"

namespace aureole::ics {

/// A place on a conic section around a focus: where, how shaped, how turned.
struct Conic {
    double total_mass;
    double pericentre;
    double eccentricity;
    double cos_true_anomaly, sin_true_anomaly;
    double inclination, ascending_node, argument_of_pericentre;  ///< degrees
};

/// E of E - e sin E = M, 0 <= e < 1, to rounding; E and M in radians, |M| <= pi.
double eccentric_anomaly(double mean_anomaly, double eccentricity);

/// Position and velocity of the second body relative to the first.
PhaseSpacePoint relative_motion(const Conic& conic);

/// The same, of an orbit given by elements that check_config() accepts.
PhaseSpacePoint relative_motion(const KeplerElements& elements);

/// Of an orbit that check_config() accepts, inbound at its separation; `total_mass` of both components.
PhaseSpacePoint relative_motion(const Orbit& orbit, double total_mass);

/// e = 1 + 2 q E / M when the energy is given.
double eccentricity_of(const Orbit& orbit, double total_mass);

}  // namespace aureole::ics
