#include "sim/core/units.hpp"

#include <cmath>
#include <initializer_list>

namespace aureole {

double UnitSystem::gravitational_constant() const
{
    return gravitational_constant_cgs * mass_g / (length_cm * velocity_cm_per_s * velocity_cm_per_s);
}

bool UnitSystem::usable() const
{
    for (const double unit : {length_cm, mass_g, velocity_cm_per_s, time_s(), gravitational_constant()})
        if (!(unit > 0 && std::isfinite(unit))) return false;
    return true;
}

UnitScales scales_from_internal(const UnitSystem& internal, const UnitSystem& target)
{
    UnitScales scales;
    scales.length = internal.length_cm / target.length_cm;
    scales.mass = internal.mass_g / target.mass_g;
    scales.potential = target.gravitational_constant() * scales.mass / scales.length;
    scales.velocity = std::sqrt(scales.potential);
    scales.time = scales.length / scales.velocity;
    return scales;
}

}  // namespace aureole
