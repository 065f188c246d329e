#include "sim/run/diagnostics/expansion_health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/core/error.hpp"

namespace aureole::run {

double shell_power(const gravity::scf::Basis& basis, const std::vector<double>& orthonormal)
{
    AUREOLE_EXPECT(orthonormal.size() == basis.size(), "{} coefficients, expected {}", orthonormal.size(),
                   basis.size());
    double radial = 0, angular = 0, spherical = 0;
    for (int l = 0; l <= basis.l_max; ++l)
        for (int k = 0; k <= 2 * l; ++k)
            for (int n = 0; n <= basis.n_max; ++n) {
                const double a = orthonormal[basis.index(n, l * l + k)], power = a * a;
                if (l == 0) spherical += power;
                if (n == basis.n_max && n > 0) radial += power;
                if (l == basis.l_max && l > 0) angular += power;
            }
    return spherical > 0 ? std::max(radial, angular) / spherical : 0;
}

std::vector<ExpansionHealth> expansion_health(
    const std::vector<gravity::scf::ComponentCoefficients>& expansions, std::span<const Component> components,
    std::span<const ComponentOrbit> orbits)
{
    std::vector<ExpansionHealth> result;
    for (const auto& [component, basis, moment] : expansions) {
        ExpansionHealth health{component,
                               std::numeric_limits<double>::quiet_NaN(),
                               shell_power(basis, moment.values),
                               basis.scale_radius,
                               basis.n_max,
                               basis.l_max};
        for (std::size_t k = 0; k < orbits.size(); ++k) {
            if (components[k] != component) continue;
            const Vec3 d = orbits[k].centre - moment.centre;
            health.centre_offset = std::sqrt(dot(d, d));
            break;
        }
        result.push_back(health);
    }
    return result;
}

std::vector<std::string> ExpansionWarnings::of(const std::vector<ExpansionHealth>& expansions)
{
    std::vector<std::string> warnings;
    for (const ExpansionHealth& e : expansions) {
        if (e.centre_offset > largest_offset * e.scale_radius && told_offset_.insert(e.component).second)
            warnings.push_back(fmt::format(
                "the densest point of component {} is {:.3g} scale radii of its expansion away from the "
                "expansion's centre, more than {}: forces near the centre are wrong; give "
                "gravity.scf.recenter_every, a centre, or the component another solver",
                e.component, e.centre_offset / e.scale_radius, largest_offset));
        if (e.shell_power > largest_shell_power && told_power_.insert(e.component).second)
            warnings.push_back(fmt::format(
                "the highest functions of the expansion of component {} hold {:.3g} of the energy of l = 0, "
                "more than {}: n_max {} and l_max {} (or scale_radius) cut off what the component has",
                e.component, e.shell_power, largest_shell_power, e.n_max, e.l_max));
    }
    return warnings;
}

}  // namespace aureole::run
