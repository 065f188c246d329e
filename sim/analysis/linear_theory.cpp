#include "sim/analysis/linear_theory.hpp"

#include <algorithm>

namespace aureole::run {

LinearTheory::LinearTheory(const CosmologyConfig& config, double last)
    : today_(config.linear_spectrum()),
      growth_(cosmology::Background(config.parameters()), std::max(1.0, last)),
      omega_m_(config.omega_m.value())
{
}

std::optional<LinearTheory> LinearTheory::of(const CosmologyConfig& config, double last)
{
    if (!config.given() || !config.names_spectrum()) return {};
    return LinearTheory(config, last);
}

double LinearTheory::power(double k, double a) const
{
    const double growth = growth_.at(a).d;
    return growth * growth * today_(k);
}

cosmology::MassFunction LinearTheory::mass_function(double a) const
{
    return {today_, omega_m_, growth_.at(a).d, 1 / a - 1};
}

HubbleScales hubble_scales(const UnitSystem& units, double h)
{
    constexpr double mpc_cm = 1e3 * kpc_cm;
    return {units.length_cm / mpc_cm * h, units.mass_g / solar_mass_g * h};
}

}  // namespace aureole::run
