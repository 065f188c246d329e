// What a solver contributes to the conserved energy of a run.
#pragma once

#include <string>

namespace aureole::gravity {

/// What the conserved energy needs beyond sum m (v^2 / 2 + phi / 2), as of the last evaluation with
/// potentials.
struct EnergyTerms {
    double fixed_field = 0;  ///< what sum m phi / 2 lacks: half of frozen fields, sum m Phi of external ones
    double recentring_jumps = 0;  ///< sum so far of what recentrings of expansions changed
    std::string not_conserved;    ///< why no energy is conserved; empty when one is
};

}  // namespace aureole::gravity
