#include "halo/overdensity/overdensity_threshold.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include "cosmology/background.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double top_hat = 18 * pi * pi;  ///< of a collapsed sphere where Omega_m = 1

/// Bryan & Norman (1998) eq. 6, in units of the critical density.
double virial_overdensity(double omega_m, bool with_lambda)
{
    const double x = omega_m - 1;
    return with_lambda ? top_hat + 82 * x - 39 * x * x : top_hat + 60 * x - 32 * x * x;
}

std::string column_of(const std::string& name)
{
    if (name == "200c") return "Crit200";
    if (name == "500c") return "Crit500";
    if (name == "200m") return "Mean200";
    if (name == "vir") return "TopHat200";
    return name;
}

}  // namespace

ReferenceDensities reference_densities(const Cosmology& c, double gravitational_constant)
{
    AUREOLE_EXPECT(c.omega_m > 0 && c.hubble > 0 && c.scale_factor > 0 && gravitational_constant > 0,
                   "a cosmology with Omega_m {}, H {}, scale factor {} and G {}, expected all above 0",
                   c.omega_m, c.hubble, c.scale_factor, gravitational_constant);
    const cosmology::Background universe({.omega_m = c.omega_m, .omega_de = c.omega_lambda});
    const double a = c.scale_factor, matter = c.omega_m / (a * a * a);
    const double expansion = universe.expansion_squared(a);
    AUREOLE_EXPECT(expansion > 0, "H^2 is {} H0^2 at the scale factor {}, expected above 0", expansion, a);
    const double today = cosmology::critical_density(c.hubble, gravitational_constant);
    const double units = c.comoving ? a * a * a : 1.0;
    const double critical = today * expansion * units;
    return {critical, today * matter * units,
            critical * virial_overdensity(matter / expansion, c.omega_lambda != 0)};
}

ReferenceDensities reference_densities(double density)
{
    AUREOLE_EXPECT(density > 0 && std::isfinite(density), "the reference density is {}, expected above 0",
                   density);
    return {density, density, top_hat * density};
}

ReferenceDensities unknown_reference_densities()
{
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, nan};
}

DensityThreshold density_threshold(const std::string& name, const ReferenceDensities& reference)
{
    if (name == "vir") return {name, reference.virial, column_of(name)};
    double factor = 0;
    const char* const end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data(), end, factor);
    const bool kind = rest + 1 == end && (*rest == 'c' || *rest == 'm');
    if (error != std::errc{} || !kind || !(factor > 0) || !std::isfinite(factor))
        throw ConfigError(fmt::format(
            "overdensity \"{}\": expected a positive number followed by c (of the critical density) or m (of "
            "the mean density), as in 200c or 200m, or vir",
            name));
    return {name, factor * (*rest == 'c' ? reference.critical : reference.mean), column_of(name)};
}

std::vector<DensityThreshold> usual_thresholds(const ReferenceDensities& reference)
{
    std::vector<DensityThreshold> result;
    for (const char* name : {"200c", "500c", "200m", "vir"})
        result.push_back(density_threshold(name, reference));
    return result;
}

}  // namespace aureole::halo
