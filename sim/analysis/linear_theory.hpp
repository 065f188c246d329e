// What linear theory expects of a universe at any epoch, to stand beside what a run has: its spectrum, and
// mass functions from it.
#pragma once

#include <optional>

#include "cosmology/growth.hpp"
#include "cosmology/mass_function.hpp"
#include "sim/config/config.hpp"

namespace aureole::run {

class LinearTheory {
public:
    /// Nothing where `config` names no spectrum. Reads its table. Throws ConfigError naming a key that is
    /// missing, and where the universe cannot grow to the scale factor `last`.
    static std::optional<LinearTheory> of(const CosmologyConfig& config, double last);

    /// D^2(a) P(k), D(1) = 1, in (Mpc/h)^3; k in h/Mpc. `a` up to max(1, last).
    double power(double k, double a) const;

    cosmology::MassFunction mass_function(double a) const;

private:
    LinearTheory(const CosmologyConfig& config, double last);

    cosmology::LinearSpectrum today_;
    cosmology::Growth growth_;
    double omega_m_;
};

/// Factors to Mpc/h and Msun/h from numbers in `units`, which are without h.
struct HubbleScales {
    double length = 1, mass = 1;
};
HubbleScales hubble_scales(const UnitSystem& units, double h);

}  // namespace aureole::run
