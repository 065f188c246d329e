// A Gaussian field of an expanding universe as initial conditions: its settings, and what it needs to know.
#pragma once

#include <string>

#include "cosmology/background.hpp"
#include "cosmology/linear_spectrum.hpp"

namespace aureole::ics {

/// The universe of a run, at its start. Lengths, masses and times are internal but for side_mpc_h.
struct Universe {
    cosmology::Parameters parameters;
    cosmology::LinearSpectrum spectrum;  ///< of today, in h/Mpc and (Mpc/h)^3
    double scale_factor = 0;
    double hubble_rate = 0;  ///< H0
    double side = 0, side_mpc_h = 0;
};

enum class Load { grid, bcc };
enum class Phases { own, ngenic };
enum class GrowthRule { exact, einstein_de_sitter };

/// The settings below `initial_conditions.field.`
struct CosmologicalField {
    int grid = 32;
    Load load = Load::grid;
    int order = 2;
    Phases phases = Phases::own;
    bool fixed = false, paired = false;
    GrowthRule growth = GrowthRule::exact;
};

/// Throws ConfigError unless the spectrum is known for all waves of a grid of that many sites a side.
void expect_covered(const Universe& universe, int grid);

}  // namespace aureole::ics
