// The interface of a model of initial conditions, and the models by name.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ics/component.hpp"
#include "ics/make_initial_conditions.hpp"
#include "sim/core/numerics/kepler_orbit.hpp"
#include "sim/core/registry.hpp"
#include "sim/core/table.hpp"

namespace aureole::ics {

class Density;
class SphereModel;

/// The particles [first, first + n) of the result, which one component fills, and where its centre goes.
struct Slot {
    Index first, n;
    PhaseSpacePoint centre;
};

/// What came out of a component: a table by radius, in internal units, and sentences.
struct Report {
    Table table;
    std::vector<std::string> notes;
};

/// One kind of component. It keeps nothing: all that it needs stands in the component.
class ComponentModel {
public:
    virtual ~ComponentModel() = default;

    /// Throws ConfigError (see refuse() and its like in check_config.hpp) for values with which the model
    /// cannot be made. `where` names the component. The other functions are called for checked components
    /// only.
    virtual void check(const std::string& where, const Component& component) const = 0;

    virtual std::uint64_t particles(const Component& component) const { return component.particles; }

    /// The mass that the particles carry together.
    virtual double carried_mass(const Component& component) const = 0;

    /// Stores mass, position and velocity of the slot's particles, whose ids are set and whose types are 1.
    /// Random numbers must depend on config.seed and the id alone, so that threads do not matter.
    virtual void fill(const ParticlesView& particles, const Slot& slot, const Config& config,
                      std::size_t number) const = 0;

    /// Whether the particles keep their coordinates: nothing is shifted to the barycentre then.
    virtual bool stays_in_place(const Component&) const { return false; }

    virtual bool stands_alone() const { return false; }  ///< no other component beside it
    virtual bool reads_file() const { return false; }    ///< needs the key `file`
    virtual bool has_profile() const { return true; }  ///< drawn from a density: particles, mass, ... matter
    virtual const SphereModel* sphere() const { return nullptr; }  ///< spheres: itself

    /// Which of the keys of a density do, by their paths in component_settings().
    virtual bool takes_profile_key(const std::string&) const { return has_profile(); }

    /// Whether spheres and disks about the same centre feel it, and it them.
    virtual bool joins_total_potential() const { return sphere() != nullptr; }

    /// Of what joins: whether its field is that of its mean over spheres. What is not has a DiskConfig.
    virtual bool is_round() const { return sphere() != nullptr; }

    /// The mean of its density over spheres about its centre, and radii for the table of its mass, when it
    /// joins and is no sphere; those have SphereModel::density().
    virtual std::unique_ptr<Density> monopole(const Component&) const;
    virtual std::vector<double> monopole_radii(const Component&) const { return {}; }

    /// For the user, of a checked config; may take seconds.
    virtual Report report(const Config&, std::size_t) const { return {}; }

    /// Both; a model for which either takes long makes what they share once.
    virtual Report fill_and_report(const ParticlesView& particles, const Slot& slot, const Config& config,
                                   std::size_t number) const
    {
        fill(particles, slot, config, number);
        return report(config, number);
    }
};

/// Paths of the settings begin below `initial_conditions.`
using ModelPlugin = Plugin<std::function<std::unique_ptr<ComponentModel>()>, Component>;

/// All models, the built-in ones first. docs/extending.md says how to add one.
Registry<ModelPlugin>& models();

/// Throws ConfigError for an unknown one, with the known ones.
std::unique_ptr<ComponentModel> make_model(const Component& component);

/// Settings of a model's own struct T, kept in Component::own; paths as `NAME.key`.
template <class T>
std::vector<Setting<Component>> model_settings(const std::string& name,
                                               const std::vector<Setting<T>>& settings)
{
    std::vector<Setting<Component>> result;
    append_settings(
        result, name + ".", settings,
        [](auto& component) -> auto& { return component.own.template get<T>(); });
    return result;
}

/// What a user may set of any component, below `initial_conditions.`, and what the models registered.
std::vector<Setting<Component>> component_settings();

/// What a user may set of the orbit, below `initial_conditions.orbit.`
std::vector<Setting<Orbit>> orbit_settings();

/// Whether the setting of that path says something about a component of its model.
bool has_setting(const Component& component, const std::string& path);

// The models that come with Aureole, with the file that makes each.

std::unique_ptr<ComponentModel> make_plummer_model();         // closed_spheres.cpp
std::unique_ptr<ComponentModel> make_hernquist_model();       // closed_spheres.cpp
std::unique_ptr<ComponentModel> make_uniform_sphere_model();  // closed_spheres.cpp
std::unique_ptr<ComponentModel> make_nfw_model();             // nfw_and_table.cpp
std::unique_ptr<ComponentModel> make_table_model();           // nfw_and_table.cpp
std::unique_ptr<ComponentModel> make_disk_model();            // disk/disk_model.cpp
std::unique_ptr<ComponentModel> make_black_hole_model();      // black_hole.cpp
std::unique_ptr<ComponentModel> make_two_body_model();        // kepler.cpp
std::unique_ptr<ComponentModel> make_lattice_model();         // displaced_lattice.cpp
std::unique_ptr<ComponentModel> make_cosmological_model();    // cosmological.cpp
std::unique_ptr<ComponentModel> make_file_model();            // file_model.cpp

std::vector<Setting<Component>> nfw_settings();           // nfw_and_table.cpp
std::vector<Setting<Component>> disk_settings();          // disk/disk_model.cpp
std::vector<Setting<Component>> black_hole_settings();    // black_hole.cpp
std::vector<Setting<Component>> two_body_settings();      // kepler.cpp
std::vector<Setting<Component>> lattice_settings();       // displaced_lattice.cpp
std::vector<Setting<Component>> cosmological_settings();  // cosmological.cpp
std::vector<Setting<Component>> file_settings();          // file_model.cpp

// From the elements and orbits of a configuration to states on a conic: kepler.cpp.

/// Position and velocity of the second body relative to the first; of elements that check_config() accepts.
PhaseSpacePoint relative_motion(const KeplerElements& elements);

/// Of an orbit that check_config() accepts, inbound at its separation; `total_mass` of both components.
PhaseSpacePoint relative_motion(const Orbit& orbit, double total_mass);

/// e = 1 + 2 q E / M when the energy is given.
double eccentricity_of(const Orbit& orbit, double total_mass);

}  // namespace aureole::ics
