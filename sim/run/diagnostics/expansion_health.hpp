// How well the expansions of a run fit their components: columns of energy.csv of the solver by component,
// and warnings.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "gravity/scf/coefficients.hpp"
#include "sim/run/diagnostics/orbit.hpp"

namespace aureole::run {

struct ExpansionHealth {
    int component = 0;
    double centre_offset = 0;  ///< distance from the densest point of its particles to the expansion's centre
    double shell_power = 0;    ///< see shell_power()
    double scale_radius = 0;
    int n_max = 0, l_max = 0;
};

/// The energy in the highest functions, those of n = n_max or those of l = l_max, whichever hold more, over
/// that of all of l = 0: what was cut off is likely to be as large. Orders of 0 are not looked at. 0 without
/// coefficients.
double shell_power(const gravity::scf::Basis& basis, const std::vector<double>& orthonormal);

/// Of each expansion; `orbits` are those of the ranges of `components`. An offset is NaN where an expansion
/// has no particles.
std::vector<ExpansionHealth> expansion_health(
    const std::vector<gravity::scf::ComponentCoefficients>& expansions, std::span<const Component> components,
    std::span<const ComponentOrbit> orbits);

/// Says once of each component when its centre is more than `largest_offset` scale radii away, and when its
/// highest functions hold more than `largest_shell_power`.
class ExpansionWarnings {
public:
    static constexpr double largest_offset = 0.2, largest_shell_power = 0.05;

    std::vector<std::string> of(const std::vector<ExpansionHealth>& expansions);

private:
    std::set<int> told_offset_, told_power_;
};

}  // namespace aureole::run
