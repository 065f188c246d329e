// From a component to its sphere, alone or among others at the same centre.
#pragma once

#include <memory>
#include <vector>

#include "ics/make_initial_conditions.hpp"
#include "ics/sphere.hpp"

namespace aureole::ics {

/// Where the mass of a sphere is; nullptr for what is no sphere.
std::unique_ptr<MassModel> make_mass_model(const Component& component);

/// The spheres, other than `component` itself, that have its centre: equal position and velocity, neither of
/// them placed by the orbit.
std::vector<std::size_t> companions(const Config& config, std::size_t component);

/// potential with its default.
Potential potential_of(const Component& component);

/// The sphere of a component, whose values must be such as check_config() accepts; nullptr for
/// what is no sphere. Throws ConfigError when it has no distribution function.
std::unique_ptr<Sphere> make_sphere(const Config& config, std::size_t component);

/// The same for a component on its own.
std::unique_ptr<Sphere> make_sphere(const Component& component);

}  // namespace aureole::ics
