// Position, velocity, bound mass and shape of a component: the rows of orbit.csv and shapes.csv.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "sim/core/particles_view.hpp"
#include "sim/core/progress.hpp"
#include "sim/run/diagnostics/component_shape.hpp"

namespace aureole::run {

struct ComponentOrbit {
    Vec3 centre;    ///< of the shrinking sphere
    Vec3 velocity;  ///< mean of the particles in the last sphere
    double bound_mass = 0;
    std::vector<double> lagrangian_radii;  ///< 10, 50, 90 % of the component's mass, about its centre
    ComponentShape shape;                  ///< inside the second of them
};

/// The ranges of equal component numbers, which are in host memory and contiguous in a run.
std::vector<IndexRange> component_ranges(std::span<const Component> component);

inline constexpr std::array orbit_fractions{0.10, 0.50, 0.90};
inline constexpr std::size_t half_mass_fraction = 1;  ///< which of them is the half-mass radius

/// Centre by shrinking_sphere(). Bound: v^2 / 2 + phi < 0 relative to that centre, phi from the component
/// alone (`own_potential`, in host memory, indexed as the particles are). `progress` is that of the spheres.
ComponentOrbit measure_orbit(const ConstParticlesView& host, IndexRange range, const double* own_potential,
                             const Progress& progress = {});

}  // namespace aureole::run
