// Spheres adapted to flat disks. Their distribution functions know the mean of a disk over spheres; in the
// field of the flat disk they settle to another shape (McMillan & Dehnen 2007). Who makes initial conditions
// may let them settle beforehand: what moves there stands here, how it moves is the caller's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ics/disk/disk_profile.hpp"
#include "ics/disk/disk_tilt.hpp"
#include "ics/model.hpp"

namespace aureole::ics {

/// The spheres about one centre, and what stays as it is while they settle.
struct AdaptationTask {
    struct Sphere {
        std::size_t component;
        Slot slot;  ///< its particles; the centre of all
    };
    struct Point {
        double mass, softening;  ///< Plummer's
    };
    std::vector<Sphere> spheres;
    std::vector<DiskProfile> disks;
    std::vector<Point> points;
    DiskTilt tilt;          ///< of the disks
    double scale_length;    ///< of the heaviest disk
    double period;          ///< of a circular orbit at 2.2 of these
    double growth_periods;  ///< while the disks become flat; half as many follow
};

// An Adapter (make_initial_conditions.hpp) moves the particles of a task, whose masses are set, and says one
// sentence for each sphere. It must depend on nothing but them, so that initial conditions stay equal bit for
// bit.

/// Of a checked config, whose components fill `slots`: one task for each centre where a disk asks for it.
/// Throws ConfigError where there is no sphere, and for spheres that are in no equilibrium with the disk.
std::vector<AdaptationTask> adaptation_tasks(const Config& config, const std::vector<Slot>& slots);

}  // namespace aureole::ics
