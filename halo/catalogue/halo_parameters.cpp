#include "halo/catalogue/halo_parameters.hpp"

#include <algorithm>
#include <cmath>

namespace aureole::halo {
namespace {

/// Mass of an NFW profile inside x = r / r_s, in units of 4 pi rho_s r_s^3.
double nfw_mass(double x) { return std::log1p(x) - x / (1 + x); }

}  // namespace

double concentration_of_velocities(double velocity_ratio)
{
    constexpr double most = 1e4;
    const double peak = nfw_mass(nfw_peak) / nfw_peak;
    const double wanted = velocity_ratio * velocity_ratio;  // = peak c / f(c), which rises from 1 at nfw_peak
    if (!(wanted >= 1)) return unknown;
    if (wanted >= peak * most / nfw_mass(most)) return most;
    // Newton's method in log c: the difference of logarithms is convex there, so steps from above stay above
    double c = most;
    for (int step = 0; step < 100; ++step) {
        const double mass = nfw_mass(c), inverse = 1 / (1 + c);
        const double slope = 1 - c * c * inverse * inverse / mass;
        const double change = std::log(peak * c / (mass * wanted)) / slope;
        if (!(change > 0)) break;
        c = std::max(nfw_peak, c * std::exp(-change));
        if (change < 1e-15) break;
    }
    return c;
}

double concentration_of_velocities(const HaloProperties& halo, const OverdensitySphere& sphere,
                                   double gravitational_constant)
{
    if (!(sphere.radius > 0) || !(halo.max_velocity > 0)) return unknown;
    return concentration_of_velocities(halo.max_velocity /
                                       std::sqrt(gravitational_constant * sphere.mass / sphere.radius));
}

double concentration_of_radii(const HaloProperties& halo, const OverdensitySphere& sphere)
{
    if (!(sphere.radius > 0) || !(halo.max_velocity_radius > 0)) return unknown;
    return nfw_peak * sphere.radius / halo.max_velocity_radius;
}

double peebles_spin(const HaloProperties& halo, double gravitational_constant)
{
    const double energy = std::abs(halo.kinetic_energy + halo.potential_energy);
    return length(halo.angular_momentum) * std::sqrt(energy / halo.mass) /
           (gravitational_constant * halo.mass);
}

double bullock_spin(const HaloProperties& halo, const OverdensitySphere& sphere,
                    double gravitational_constant)
{
    if (!(sphere.radius > 0) || !(sphere.mass > 0)) return unknown;
    return length(halo.angular_momentum) /
           std::sqrt(2 * gravitational_constant * sphere.mass * sphere.radius);
}

OverdensitySphere sphere_or_members(const OverdensitySphere& sphere, const HaloProperties& halo)
{
    return sphere.mass > 0 ? sphere : OverdensitySphere{halo.mass, halo.extent};
}

}  // namespace aureole::halo
