// Every key of the configuration, once. To add one, add its row.
#include "sim/config/config_table.hpp"

#include "gravity/solver_registry.hpp"
#include "integrators/make_integrator.hpp"
#include "sim/config/config_rows.hpp"

namespace aureole::run {
namespace {

using namespace rows;

template <class Owner>
void add_orientation(std::vector<Key<Owner>>& keys, const std::string& prefix, auto inclination, auto node,
                     auto argument)
{
    keys.push_back(
        row<Owner>(prefix + "inclination", number, inclination, "tilt of the orbit's plane, degrees"));
    keys.push_back(row<Owner>(prefix + "ascending_node", number, node, "longitude of the node, degrees"));
    keys.push_back(row<Owner>(prefix + "argument_of_pericentre", number, argument, "from the node, degrees"));
}

void add_perturber(std::vector<Key<Config>>& keys)
{
    using C = Config;
    using gravity::PerturberFrame;
    const std::string prefix = "gravity.external.perturber.";
    const std::vector<Key<C>> rows{
        row<C>(prefix + "mass", mass, AUREOLE_FIELD(gravity.perturber.mass),
               "of a body that pulls the particles from a Kepler ellipse; none without it", not_negative()),
        row<C>(prefix + "galaxy_mass", mass, AUREOLE_FIELD(gravity.perturber.galaxy_mass),
               "of the orbit's other body; the total mass of the particles", positive()),
        row<C>(prefix + "semi_major_axis", length, AUREOLE_FIELD(gravity.perturber.semi_major_axis),
               "of the orbit of perturber and galaxy as points", positive()),
        row<C>(prefix + "eccentricity", number, AUREOLE_FIELD(gravity.perturber.eccentricity),
               "of the orbit; 0",
               Rule<double>{[](double e) { return e >= 0 && e < 1; },
                            "a number from 0 to below 1: the perturber moves on an ellipse"}),
        row<C>(prefix + "mean_anomaly", number, AUREOLE_FIELD(gravity.perturber.mean_anomaly),
               "at time 0, degrees; 180, at apocentre"),
        row<C>(prefix + "softening", length, AUREOLE_FIELD(gravity.perturber.softening),
               "Plummer length of its pull on the particles; gravity.softening", not_negative()),
        choice_key<C>(prefix + "frame",
                      "of the coordinates; galaxy (default): moving with the galaxy, barycentric: inertial",
                      AUREOLE_FIELD(gravity.perturber.frame),
                      std::vector<Choice<PerturberFrame>>{{"galaxy", PerturberFrame::galaxy},
                                                          {"barycentric", PerturberFrame::barycentric}}),
    };
    keys.insert(keys.end(), rows.begin(), rows.end());
    add_orientation(keys, prefix, AUREOLE_FIELD(gravity.perturber.inclination),
                    AUREOLE_FIELD(gravity.perturber.ascending_node),
                    AUREOLE_FIELD(gravity.perturber.argument_of_pericentre));
}

/// Keys of what the plug-ins of one kind registered, below `prefix` and the name of each.
template <class Entry, class Access>
void add_plugins(std::vector<Key<Config>>& keys, const std::string& prefix, const Registry<Entry>& registry,
                 Access access)
{
    for (const Entry& plugin : registry.entries())
        append_settings(keys, prefix + plugin.name + ".", plugin.settings, access);
}

/// "what is chosen: direct (sum over all pairs), tree (...)"
template <class Entry>
std::string with_list(std::string meaning, const Registry<Entry>& registry)
{
    const char* separator = ": ";
    for (const Entry& plugin : registry.entries()) {
        meaning += fmt::format("{}{} ({})", separator, plugin.name, plugin.documentation);
        separator = ", ";
    }
    return meaning;
}

std::vector<Key<Config>> make_config_keys()
{
    using C = Config;
    std::vector<Key<C>> keys{
        row<C>("seed", number, AUREOLE_FIELD(seed),
               "of the random numbers: initial conditions, and the sample of `forces --compare`"),
        choice_key<C>("precision",
                      "mixed: pairs in float, sums and state in double; double: everything in double",
                      AUREOLE_FIELD(precision),
                      std::vector<Choice<gravity::Precision>>{{"mixed", gravity::Precision::mixed},
                                                              {"double", gravity::Precision::double_precision}}),
        plugin_choice<C>("gravity.solver", AUREOLE_FIELD(gravity.solver), gravity::solvers(),
                         with_list("how forces are computed", gravity::solvers())),
        row<C>("gravity.softening", length, AUREOLE_FIELD(gravity.softening),
               "softening length eps (Plummer-equivalent) of every type not named below", not_negative()),
        choice_key<C>(
            "gravity.softening_kernel",
            "plummer: 1/sqrt(r^2 + eps^2); spline: GADGET's cubic spline, Newtonian beyond 2.8 eps",
            AUREOLE_FIELD(gravity.softening_kernel),
            std::vector<Choice<gravity::SofteningKernel>>{{"plummer", gravity::SofteningKernel::plummer},
                                                          {"spline", gravity::SofteningKernel::spline}}),
    };
    for (std::size_t t = 0; t < n_particle_types; ++t)
        keys.push_back(row<C>(
            fmt::format("gravity.softening_by_type.{}", t),
            length, [t](auto& owner) -> auto& { return owner.gravity.softening_by_type[t]; },
            fmt::format("softening length of particles of type {}; a pair uses the larger of its two", t),
            not_negative()));
    add_perturber(keys);
    add_plugins(keys, "gravity.", gravity::solvers(), AUREOLE_FIELD(gravity.solvers));
    keys.push_back(plugin_choice<C>("integrator.method", AUREOLE_FIELD(integrator.method),
                                    integrators::integrators(),
                                    with_list("how a step is made", integrators::integrators())));
    add_plugins(keys, "integrator.", integrators::integrators(), AUREOLE_FIELD(integrator.methods));
    const std::vector<Key<C>> more{
        row<C>("integrator.timestep", time, AUREOLE_FIELD(integrator.timestep), "fixed step", positive()),
        row<C>(
            "integrator.adaptive.eta", number, AUREOLE_FIELD(integrator.eta),
            "instead of timestep: one global step eta sqrt(softening / |a|); solver scf takes the smallest "
            "scale radius for the softening",
            positive()),
        row<C>("integrator.adaptive.maximum_timestep", time, AUREOLE_FIELD(integrator.maximum_timestep),
               "longest adaptive step", positive()),
        row<C>("run.end_time", time, AUREOLE_FIELD(end_time), "the run ends here; needed by `run`",
               not_negative()),
        row<C>("run.checks.energy_error", number, AUREOLE_FIELD(checks.energy_error),
               "largest |relative_error| of energy.csv, looked at with each of its rows; 0: any",
               not_negative()),
        choice_key<C>(
            "run.checks.on_failure",
            "of a larger energy error, and of particles out of range (numbers above 1e100, positions "
            "above 2^52 softening lengths); what is not finite stops the run in any case",
            AUREOLE_FIELD(checks.on_failure),
            std::vector<Choice<OnFailure>>{{"stop", OnFailure::stop}, {"warn", OnFailure::warn}}),
        row<C>("output.directory", number, AUREOLE_FIELD(output.directory),
               "relative to the configuration file"),
        choice_key<C>("output.format", "of snapshots; hdf5+tipsy writes a tipsy file beside each",
                      AUREOLE_FIELD(output.format), names({"hdf5", "hdf5+tipsy"})),
        choice_key<C>("output.compression",
                      "of HDF5 snapshots; gzip: a third smaller, written at some ten MB/s",
                      AUREOLE_FIELD(output.compression), names({"none", "gzip"})),
        row<C>("output.snapshots.every", time, AUREOLE_FIELD(output.snapshots_every),
               "interval; 0: first and last state only", not_negative()),
        row<C>("output.halos.every", time, AUREOLE_FIELD(output.halos_every), "interval; 0: never",
               not_negative()),
        row<C>("output.halos.yt", number, AUREOLE_FIELD(output.yt_catalogues),
               "a catalogue that yt.load opens, halos_NNN.0.h5, beside each"),
        row<C>("output.halos.csv", number, AUREOLE_FIELD(output.halo_tables),
               "a table of the groups, halos_NNN.csv, beside each"),
        row<C>("output.pictures.every", time, AUREOLE_FIELD(output.pictures_every), "interval; 0: never",
               not_negative()),
        row<C>("output.coefficients.every", time, AUREOLE_FIELD(output.coefficients_every),
               "interval of the moments in coefficients_K.hdf5 (solver scf, a file per component); 0: never",
               not_negative()),
        row<C>("output.diagnostics.every", time, AUREOLE_FIELD(output.diagnostics_every),
               "interval of the logs (energy.csv and others); a hundredth of the run", positive()),
        row<C>("output.checkpoints.every", time, AUREOLE_FIELD(output.checkpoints_every),
               "interval of checkpoint.bin, from which `run --resume` goes on; 0: never; a run with any of "
               "the three leaves one of its end, too",
               not_negative()),
        row<C>("output.checkpoints.steps", number, AUREOLE_FIELD(output.checkpoint_steps),
               "the same in steps; 0: never"),
        row<C>("output.checkpoints.minutes", number, AUREOLE_FIELD(output.checkpoint_minutes),
               "the same in minutes of wall-clock time; 0: never", not_negative()),
        choice_key<C>("pictures.axis", "line of sight", AUREOLE_FIELD(pictures.axis),
                      std::vector<Choice<char>>{{"x", 'x'}, {"y", 'y'}, {"z", 'z'}}),
        row<C>("pictures.width", length, AUREOLE_FIELD(pictures.width),
               "side of the field; 0: chosen from the first state and kept", not_negative()),
        row<C>(
            "pictures.pixels", number, AUREOLE_FIELD(pictures.pixels), "side of the picture",
            Rule<std::uint32_t>{[](std::uint32_t n) { return n >= 100 && n <= 16384; }, "from 100 to 16384"}),
        choice_key<C>("pictures.colour_by", "brightness by density alone, or a hue for each component",
                      AUREOLE_FIELD(pictures.colour_by), names({"density", "component"})),
    };
    keys.insert(keys.end(), more.begin(), more.end());
    add_halo_keys(keys);
    return keys;
}

void add_lattice(std::vector<Key<ComponentConfig>>& keys)
{
    using C = ComponentConfig;
    const std::vector<Key<C>> rows{
        row<C>("lattice.box_side", length, AUREOLE_FIELD(component.lattice.box_side),
               "of the periodic box that a lattice of n^3 particles fills", not_negative()),
        row<C>("lattice.growth_factor", number, AUREOLE_FIELD(component.lattice.growth_factor),
               "D of x = q + D s(q); a wave alone folds at 1"),
        row<C>("lattice.wave_vectors", number, AUREOLE_FIELD(component.lattice.wave_vectors),
               "three integers for each plane wave of s, in 2 pi / box_side: [1, 0, 0] is a pancake"),
        row<C>("lattice.random_phases", number, AUREOLE_FIELD(component.lattice.random_phases),
               "of the waves, by seed; 0 without"),
        row<C>("lattice.wave_velocity", velocity, AUREOLE_FIELD(component.lattice.wave_velocity),
               "largest speed that a wave of the box's length gives; velocities go with s"),
        row<C>("lattice.random_offset", number, AUREOLE_FIELD(component.lattice.random_offset),
               "largest random offset along each axis, in lattice spacings",
               Rule<double>{[](double x) { return x >= 0 && x <= 1; }, "a number from 0 to 1"}),
    };
    keys.insert(keys.end(), rows.begin(), rows.end());
}

std::vector<Key<ComponentConfig>> make_component_keys()
{
    using C = ComponentConfig;
    using ics::Model;
    using ics::Potential;
    using ics::Velocities;
    std::vector<Key<C>> keys{
        choice_key<C>("model", "what the component is", AUREOLE_FIELD(component.model),
                      std::vector<Choice<Model>>{{"plummer", Model::plummer},
                                                 {"hernquist", Model::hernquist},
                                                 {"nfw", Model::nfw},
                                                 {"table", Model::table},
                                                 {"uniform_sphere", Model::uniform_sphere},
                                                 {"two_body", Model::two_body},
                                                 {"lattice", Model::lattice},
                                                 {"file", Model::file}}),
        row<C>("file", number, AUREOLE_FIELD(file),
               "snapshot to read, for model file; columns radius and density, for model table"),
        row<C>("recenter", number, AUREOLE_FIELD(component.recenter),
               "a file's particles may be shifted to the system's barycentre"),
        row<C>("particles", number, AUREOLE_FIELD(component.particles), "how many",
               at_least<std::uint64_t>(1)),
        row<C>("mass", mass, AUREOLE_FIELD(component.mass),
               "total mass of the model before truncation; the particles carry what lies inside; nfw, table: "
               "mass inside truncation_radius, the tail comes on top",
               not_negative()),
        row<C>("scale_radius", length, AUREOLE_FIELD(component.scale_radius),
               "of the profile; radius of the uniform sphere; unit of a table's radii", positive()),
        row<C>("truncation_radius", length, AUREOLE_FIELD(component.truncation_radius),
               "no particle beyond it, 100 scale radii; nfw, table: the tail begins here, needed by nfw, a "
               "table's last radius",
               positive()),
        row<C>("truncation_width", length, AUREOLE_FIELD(component.truncation_width),
               "decay length of the tail of nfw and table; a tenth of truncation_radius", positive()),
        row<C>("anisotropy_radius", length, AUREOLE_FIELD(component.anisotropy_radius),
               "r_a of Osipkov-Merritt velocities, beta = r^2 / (r^2 + r_a^2); isotropic when absent",
               positive()),
        choice_key<C>("potential",
                      "in which velocities are an equilibrium: own, or total, of all spheres with the same "
                      "position and velocity; total for nfw and table, else own",
                      AUREOLE_FIELD(component.potential),
                      std::vector<Choice<Potential>>{{"own", Potential::own}, {"total", Potential::total}}),
        choice_key<C>("velocities", "from the distribution function, or at rest",
                      AUREOLE_FIELD(component.velocities),
                      std::vector<Choice<Velocities>>{{"equilibrium", Velocities::equilibrium},
                                                      {"cold", Velocities::cold}}),
        row<C>("velocity_factor", number, AUREOLE_FIELD(component.velocity_factor),
               "multiplies the velocities inside the component", not_negative()),
        row<C>("position", length, AUREOLE_FIELD(component.position), "of the centre"),
        row<C>("velocity", velocity, AUREOLE_FIELD(component.velocity), "of the centre"),
        row<C>("type", number, AUREOLE_FIELD(component.type), "particle type; 1, and for a file its own",
               particle_type()),
        row<C>("elements.masses", mass, AUREOLE_FIELD(component.elements.masses), "of a two_body pair"),
        row<C>("elements.semi_major_axis", length, AUREOLE_FIELD(component.elements.semi_major_axis),
               "of the relative orbit; or pericentre", positive()),
        row<C>("elements.pericentre", length, AUREOLE_FIELD(component.elements.pericentre),
               "closest approach; or semi_major_axis", positive()),
        row<C>("elements.eccentricity", number, AUREOLE_FIELD(component.elements.eccentricity),
               "of the orbit", not_negative()),
        row<C>("elements.true_anomaly", number, AUREOLE_FIELD(component.elements.true_anomaly),
               "degrees; at pericentre when no anomaly is given"),
        row<C>("elements.mean_anomaly", number, AUREOLE_FIELD(component.elements.mean_anomaly), "degrees"),
    };
    add_orientation(keys, "elements.", AUREOLE_FIELD(component.elements.inclination),
                    AUREOLE_FIELD(component.elements.ascending_node),
                    AUREOLE_FIELD(component.elements.argument_of_pericentre));
    add_lattice(keys);
    append_settings(keys, "scf.", gravity::scf::expansion_key_settings(), AUREOLE_FIELD(scf));
    return keys;
}

std::vector<Key<ics::Orbit>> make_orbit_keys()
{
    using C = ics::Orbit;
    std::vector<Key<C>> keys{
        row<C>("components", number, AUREOLE_FIELD(components),
               "the two components it places, counted from 0"),
        row<C>("separation", length, AUREOLE_FIELD(separation), "of the centres at the start, approaching",
               positive()),
        row<C>("pericentre", length, AUREOLE_FIELD(pericentre), "closest approach of the centres",
               not_negative()),
        row<C>("eccentricity", number, AUREOLE_FIELD(eccentricity), "of the relative orbit; or energy",
               not_negative()),
        row<C>("energy", Quantity::specific_energy, AUREOLE_FIELD(energy),
               "of the relative orbit per unit mass; or eccentricity"),
    };
    add_orientation(keys, "", AUREOLE_FIELD(inclination), AUREOLE_FIELD(ascending_node),
                    AUREOLE_FIELD(argument_of_pericentre));
    return keys;
}

}  // namespace

std::vector<Key<Config>> config_keys() { return make_config_keys(); }
std::vector<Key<ComponentConfig>> component_keys() { return make_component_keys(); }
std::vector<Key<ics::Orbit>> orbit_keys() { return make_orbit_keys(); }

}  // namespace aureole::run
