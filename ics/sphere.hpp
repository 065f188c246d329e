// Spherical models.
#pragma once

#include <memory>
#include <vector>

#include "ics/density.hpp"
#include "ics/make_initial_conditions.hpp"
#include "ics/model.hpp"
#include "sim/core/numerics/kepler_orbit.hpp"
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

/// The model of a spherical component. What it needs to know is a density: masses and velocities follow by
/// inversion. It may have formulas for them instead.
class SphereModel : public ComponentModel {
public:
    /// For inversions; nullptr when only closed_form() has velocities.
    virtual std::unique_ptr<Density> density(const Component& component) const = 0;

    /// Masses and velocities in its own field by formulas; nullptr when there are none.
    virtual std::unique_ptr<Sphere> closed_form(const Component&) const { return nullptr; }

    /// Whether the density ends in a smooth tail, so that the sphere needs no edge.
    virtual bool has_tail() const { return false; }

    /// No particle lies beyond it.
    virtual double outer_radius(const Component& component) const;

    void check(const std::string& where, const Component& component) const final;
    double carried_mass(const Component& component) const final;
    void fill(const ParticlesView& particles, const Slot& slot, const Config& config,
              std::size_t number) const final;
    const SphereModel* sphere() const final { return this; }

private:
    /// What this model refuses beyond what no sphere takes.
    virtual void check_shape(const std::string&, const Component&) const {}
};

/// SphereModel::outer_radius() of a component that is a sphere.
double outer_radius(const Component& component);

/// A particle of the sphere, drawn from the streams of its id; at most `outer`, the outer_radius() of the
/// component, from the centre.
PhaseSpacePoint sample(const Sphere& sphere, const Component& component, double outer, std::uint64_t seed,
                       std::uint64_t id);

/// The same for one particle: looks the model up at each call.
inline PhaseSpacePoint sample(const Sphere& sphere, const Component& component, std::uint64_t seed,
                              std::uint64_t id)
{
    return sample(sphere, component, outer_radius(component), seed, id);
}

class Density;

class MassTable final : public MassModel {
public:
    /// Radii as from radial_grid(); nothing lies beyond the last.
    MassTable(const Density& density, std::vector<double> radii);

    double enclosed_mass(double radius) const override;
    double radius_enclosing(double mass) const override;

private:
    double mass_in_cell(std::size_t k, double radius) const;

    std::vector<double> radius_, mass_, growth_;  ///< r, M(<r), dM/dr
};

/// Where the mass of a sphere is; nullptr for what is no sphere.
std::unique_ptr<MassModel> make_mass_model(const Component& component);

/// The spheres and disks, other than `component` itself, that have its centre: equal position and velocity,
/// and both of them of the same body on the orbit, or neither of any.
std::vector<std::size_t> companions(const Config& config, std::size_t component);

/// potential with its default.
Potential potential_of(const Component& component);

/// The sphere of a component, whose values must be such as check_config() accepts; nullptr for
/// what is no sphere. Throws ConfigError when it has no distribution function.
std::unique_ptr<Sphere> make_sphere(const Config& config, std::size_t component);

/// The same for a component on its own.
std::unique_ptr<Sphere> make_sphere(const Component& component);

}  // namespace aureole::ics
