// What a spherical model is to the maker of initial conditions.
#pragma once

#include <memory>

#include "ics/component.hpp"
#include "sim/core/phase_space_point.hpp"
#include "sim/core/random.hpp"

namespace aureole::ics {

/// Where a model's mass is.
class MassModel {
public:
    virtual ~MassModel() = default;

    /// M(<r) of the untruncated model; of nfw and table with the tail.
    virtual double enclosed_mass(double radius) const = 0;

    /// The inverse of enclosed_mass(), for 0 < mass < total mass.
    virtual double radius_enclosing(double mass) const = 0;
};

/// And how it moves.
class Sphere : public MassModel {
public:
    /// A velocity from the distribution function at `position`, which is not the origin.
    virtual Vec3 equilibrium_velocity(Vec3 position, Random& random) const = 0;
};

/// truncation_radius with its default of 100 scale radii; the radius itself for the uniform sphere; infinity
/// for nfw and table, which end by themselves.
double outer_radius(const Component& component);

/// A particle of the sphere, drawn from the streams of its id; at most outer_radius() from the centre.
PhaseSpacePoint sample(const Sphere& sphere, const Component& component, std::uint64_t seed,
                       std::uint64_t id);

}  // namespace aureole::ics
