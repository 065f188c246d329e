#include "sim/core/units.hpp"

#include <cmath>

namespace aureole {

double UnitSystem::gravitational_constant() const
{
    return gravitational_constant_cgs * mass_g / (length_cm * velocity_cm_per_s * velocity_cm_per_s);
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
