#include "halo/halo_parameters.hpp"

#include <cmath>

namespace aureole::halo {
namespace {

/// Mass of an NFW profile inside x = r / r_s, in units of 4 pi rho_s r_s^3.
double nfw_mass(double x) { return std::log1p(x) - x / (1 + x); }

double length_of(Vec3 v) { return std::sqrt(dot(v, v)); }

}  // namespace

double concentration_of_velocities(double velocity_ratio)
{
    constexpr double most = 1e4;
    const double peak = nfw_mass(nfw_peak) / nfw_peak;
    const double wanted = velocity_ratio * velocity_ratio;  // = peak c / f(c), which rises from 1 at nfw_peak
    const auto ratio = [&](double c) { return peak * c / nfw_mass(c); };
    if (!(wanted >= 1)) return unknown;
    if (wanted >= ratio(most)) return most;
    double low = nfw_peak, high = most;
    for (int step = 0; step < 60; ++step) {
        const double middle = std::sqrt(low * high);
        (ratio(middle) < wanted ? low : high) = middle;
    }
    return std::sqrt(low * high);
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
    return length_of(halo.angular_momentum) * std::sqrt(energy / halo.mass) /
           (gravitational_constant * halo.mass);
}

double bullock_spin(const HaloProperties& halo, const OverdensitySphere& sphere,
                    double gravitational_constant)
{
    if (!(sphere.radius > 0) || !(sphere.mass > 0)) return unknown;
    return length_of(halo.angular_momentum) /
           std::sqrt(2 * gravitational_constant * sphere.mass * sphere.radius);
}

OverdensitySphere sphere_or_members(const OverdensitySphere& sphere, const HaloProperties& halo)
{
    return sphere.mass > 0 ? sphere : OverdensitySphere{halo.mass, halo.extent};
}

}  // namespace aureole::halo
