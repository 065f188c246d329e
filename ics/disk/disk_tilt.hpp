// How a disk lies. The settings below `initial_conditions.disk.` beside those of its equilibrium.
#pragma once

#include "sim/core/numerics/kepler_orbit.hpp"

namespace aureole::ics {

/// How an orbit in the plane z = 0 with its pericentre at +x is seen from the disk (Toomre & Toomre 1972),
/// degrees: 0 direct, 180 retrograde; the pericentre from the node on the disk. The spin is along (sin i sin
/// w, sin i cos w, cos i).
struct DiskTilt {
    double inclination = 0, argument_of_pericentre = 0;

    bool operator==(const DiskTilt&) const = default;
};

struct Orbit;

/// The same disk about the axes of the configuration, when `tilt` tells how its galaxy's orbit is seen from
/// it. The second body of an orbit sees the first, whose pericentre lies on the other side.
DiskTilt on_orbit(const DiskTilt& tilt, const Orbit& orbit, bool second);

/// From the disk's own axes, its spin along z, to those of the configuration: Rz(-w) Rx(-i).
class Turn {
public:
    explicit Turn(const DiskTilt& tilt)
        : i_(sin_cos_of_degrees(tilt.inclination)), w_(sin_cos_of_degrees(tilt.argument_of_pericentre))
    {
    }
    Vec3 operator()(Vec3 v) const
    {
        const double y = i_.cos * v.y + i_.sin * v.z, z = i_.cos * v.z - i_.sin * v.y;
        return {w_.cos * v.x + w_.sin * y, w_.cos * y - w_.sin * v.x, z};
    }

private:
    portable::SinCos i_, w_;
};

}  // namespace aureole::ics
