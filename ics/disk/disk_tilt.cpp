#include "ics/disk/disk_tilt.hpp"

#include <cmath>

#include "ics/component.hpp"

namespace aureole::ics {
namespace {

/// The angle in degrees, -180 to 180, of a direction in the plane, by bisection: equal bits on every machine.
double degrees_of(double cosine, double sine)
{
    const double size = std::sqrt(cosine * cosine + sine * sine);
    if (size == 0) return 0;
    double least = 0, most = 180;  // the cosine falls
    for (int k = 0; k < 60; ++k) {
        const double middle = (least + most) / 2;
        const portable::SinCos at = sin_cos_of_degrees(middle);
        // sin(angle - middle), exact also where the cosine is flat
        (std::abs(sine) * at.cos - cosine * at.sin > 0 ? least : most) = middle;
    }
    return sine < 0 ? -least : least;
}

/// From -180 to 180.
double within_a_turn(double degrees)
{
    constexpr double turn = 360;
    return degrees - turn * std::round(degrees / turn);
}

}  // namespace

DiskTilt on_orbit(const DiskTilt& tilt, const Orbit& orbit, bool second)
{
    const double w = tilt.argument_of_pericentre + (second ? 180 : 0);
    if (orbit.inclination == 0)  // turned about z alone
        return {tilt.inclination, within_a_turn(w - orbit.ascending_node - orbit.argument_of_pericentre)};

    // the spin in the orbit's axes, turned with the orbit: Rz(node) Rx(inclination) Rz(argument)
    const portable::SinCos i = sin_cos_of_degrees(tilt.inclination),
                           node = sin_cos_of_degrees(orbit.ascending_node);
    const portable::SinCos from_pericentre = sin_cos_of_degrees(w - orbit.argument_of_pericentre);
    const portable::SinCos steep = sin_cos_of_degrees(orbit.inclination);
    const double x = i.sin * from_pericentre.sin, y = i.sin * from_pericentre.cos;
    const double y_turned = steep.cos * y - steep.sin * i.cos, z = steep.sin * y + steep.cos * i.cos;
    const Vec3 spin{node.cos * x - node.sin * y_turned, node.sin * x + node.cos * y_turned, z};
    return {degrees_of(spin.z, std::sqrt(spin.x * spin.x + spin.y * spin.y)), degrees_of(spin.y, spin.x)};
}

}  // namespace aureole::ics
