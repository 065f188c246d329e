// Position, velocity and bound mass of a component: the rows of orbit.csv.
#pragma once

#include <functional>
#include <vector>

#include "sim/core/particles.hpp"

namespace aureole::run {

struct ComponentOrbit {
    Component component = 0;
    Vec3 centre;    ///< of the shrinking sphere
    Vec3 velocity;  ///< mean of the particles in the last sphere
    double bound_mass = 0;
    std::vector<double> lagrangian_radii;  ///< 10, 50, 90 % of the component's mass, about its centre
};

/// The ranges of equal component numbers, which are contiguous in a run.
std::vector<IndexRange> component_ranges(const Particles& host);

/// Centre by shrinking_sphere(). Bound: v^2 / 2 + phi < 0 relative to that centre, phi from the component
/// alone (`own_potential`, one value per particle of the range).
ComponentOrbit measure_orbit(const Particles& host, IndexRange range,
                             const std::vector<double>& own_potential);

}  // namespace aureole::run
