// Every key of the configuration, once. To add one, add its row.
#include "sim/config/config_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gravity/solver_config.hpp"
#include "gravity/solver_registry.hpp"
#include "ics/model.hpp"
#include "integrators/integrator.hpp"
#include "sim/config/config_rows.hpp"
#include "sim/io/list_text.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"

namespace aureole::run {
namespace {

using namespace rows;

void add_perturber(std::vector<Key<Config>>& keys)
{
    using C = Config;
    using gravity::PerturberFrame;
    const std::string prefix = "gravity.external.perturber.";
    const std::vector<Key<C>> rows{
        row<C>(prefix + "mass", mass, AUREOLE_FIELD(gravity.perturber.mass),
               "of a body on a Kepler ellipse that attracts the particles; there is none without it",
               not_negative()),
        row<C>(prefix + "galaxy_mass", mass, AUREOLE_FIELD(gravity.perturber.galaxy_mass),
               "of the orbit's other body; the total mass of the particles", positive()),
        row<C>(prefix + "semi_major_axis", length, AUREOLE_FIELD(gravity.perturber.semi_major_axis),
               "of the orbit of perturber and galaxy as points", positive()),
        row<C>(prefix + "eccentricity", number, AUREOLE_FIELD(gravity.perturber.eccentricity),
               "of the orbit; 0",
               Rule<double>{[](double e) { return e >= 0 && e < 1; },
                            "a number from 0 to below 1: the perturber moves on an ellipse"}),
        row<C>(prefix + "inclination", number, AUREOLE_FIELD(gravity.perturber.inclination),
               "tilt of the orbit's plane, degrees"),
        row<C>(prefix + "ascending_node", number, AUREOLE_FIELD(gravity.perturber.ascending_node),
               "longitude of the node, degrees"),
        row<C>(prefix + "argument_of_pericentre", number,
               AUREOLE_FIELD(gravity.perturber.argument_of_pericentre), "from the node, degrees"),
        row<C>(prefix + "mean_anomaly", number, AUREOLE_FIELD(gravity.perturber.mean_anomaly),
               "at time 0, degrees; 180, at apocentre"),
        row<C>(prefix + "softening", length, AUREOLE_FIELD(gravity.perturber.softening),
               "Plummer length of its force on the particles; default gravity.softening", not_negative()),
        choice_key<C>(prefix + "frame",
                      "of the coordinates; galaxy (default): moving with the galaxy, barycentric: inertial",
                      AUREOLE_FIELD(gravity.perturber.frame),
                      std::vector<Choice<PerturberFrame>>{{"galaxy", PerturberFrame::galaxy},
                                                          {"barycentric", PerturberFrame::barycentric}}),
    };
    keys.insert(keys.end(), rows.begin(), rows.end());
}

/// What of the particles snapshots hold, behind the times of snapshots: sections are written in one piece.
void add_snapshot_choice(std::vector<Key<Config>>& keys)
{
    using C = Config;
    const Rule<std::uint32_t> digits{[](std::uint32_t bits) { return bits >= 1 && bits <= 52; },
                                     "from 1 to 52"};
    const std::vector<Key<C>> rows{
        row<C>("output.snapshots.types", number, AUREOLE_FIELD(output.snapshot_choice.types),
               "of the particles that snapshots hold, as [1, 4]; all when absent. Snapshots that belong to a "
               "catalogue, extra ones and those of failures hold all",
               particle_types()),
        row<C>("output.snapshots.fields", number, AUREOLE_FIELD(output.snapshot_choice.fields),
               fmt::format(
                   "that are stored, of {}; all when absent. Positions always are; masses that are left out "
                   "stand in the header",
                   io::list_text(snapshot_field_names(), ", "))),
        row<C>("output.snapshots.subsample", number, AUREOLE_FIELD(output.snapshot_choice.subsample),
               "share of the particles up to 1 (0.1), above 1 one in so many (10), chosen by seed and id: "
               "the same "
               "in every snapshot. Masses are not changed; exceptions as for types",
               positive()),
        row<C>("output.mantissa_bits.positions", number, AUREOLE_FIELD(output.snapshot_choice.position_bits),
               "binary digits of each number that snapshots keep, behind the leading one: lossy below 52, "
               "relative "
               "errors up to 2^-(bits + 1), smaller files with gzip. Checkpoints keep all",
               digits),
        row<C>("output.mantissa_bits.velocities", number, AUREOLE_FIELD(output.snapshot_choice.velocity_bits),
               "the same of velocities", digits),
        row<C>("output.mantissa_bits.masses", number, AUREOLE_FIELD(output.snapshot_choice.mass_bits),
               "the same of masses", digits),
        row<C>("output.mantissa_bits.potentials", number,
               AUREOLE_FIELD(output.snapshot_choice.potential_bits), "the same of potentials", digits),
    };
    const auto before = std::ranges::find(keys, "output.snapshots.redshifts", &Key<C>::path);
    keys.insert(before + 1, rows.begin(), rows.end());
}

void append(std::vector<Key<Config>>& keys, const std::vector<Key<Config>>& rows)
{
    keys.insert(keys.end(), rows.begin(), rows.end());
}

/// A registered solver, or `auto`, which a run settles.
Key<Config> solver_row()
{
    Key<Config> row =
        plugin_choice<Config>("gravity.solver", AUREOLE_FIELD(gravity.solver), gravity::solvers(),
                              with_list("how forces are computed", gravity::solvers()) +
                                  ", auto (direct or tree, which is faster for so many particles)");
    row.choices = [names = row.choices] {
        std::vector<std::string> all = names();
        all.emplace_back(gravity::automatic_solver);
        return all;
    };
    row.choose = [choose = row.choose](Config& config, const std::string& name) {
        if (name != gravity::automatic_solver) return choose(config, name);
        config.gravity.solver = name;
        return true;
    };
    return row;
}

/// The lists that take the place of an interval.
template <class Times, class Redshifts>
void add_lists(std::vector<Key<Config>>& keys, const std::string& output, Times times, Redshifts redshifts)
{
    const std::string prefix = "output." + output;
    const auto at = std::ranges::find(keys, prefix + ".every", &Key<Config>::path) + 1;
    keys.insert(
        at,
        {row<Config>(
             prefix + ".times", time, times,
             "instead of every: a list of times, or a file with one in each line; empty: as if not given"),
         row<Config>(prefix + ".redshifts", number, redshifts,
                     "instead of every, in comoving runs: a falling list, as [9, 4, 2, 1, 0.5, 0]; empty: as "
                     "if not given")});
}

void add_all_lists(std::vector<Key<Config>>& keys)
{
    const auto add = [&keys](const char* name, auto output) {
        add_lists(
            keys, name, [output](auto& owner) -> auto& { return output(owner).times; },
            [output](auto& owner) -> auto& { return output(owner).redshifts; });
    };
    add("snapshots", AUREOLE_FIELD(output.snapshots));
    add("halos", AUREOLE_FIELD(output.halos));
    add("power", AUREOLE_FIELD(output.power));
    add("density", AUREOLE_FIELD(output.density));
    add("disks", AUREOLE_FIELD(output.disks));
    add("pictures", AUREOLE_FIELD(output.pictures));
    add("coefficients", AUREOLE_FIELD(output.coefficients));
    add_lists(keys, "diagnostics", AUREOLE_FIELD(output.diagnostics_times),
              AUREOLE_FIELD(output.diagnostics_redshifts));
    add("checkpoints", AUREOLE_FIELD(output.checkpoints));
}

std::vector<Key<Config>> gravity_rows()
{
    using C = Config;
    return {
        solver_row(),
        row<C>("gravity.softening", length, AUREOLE_FIELD(gravity.softening),
               "softening length eps (Plummer-equivalent) of every type not named below; default: what the "
               "file of the particles states, else 0",
               not_negative()),
        choice_key<C>(
            "gravity.softening_kernel",
            "plummer: 1/sqrt(r^2 + eps^2); spline: GADGET's cubic spline, Newtonian beyond 2.8 eps",
            AUREOLE_FIELD(gravity.softening_kernel),
            std::vector<Choice<gravity::SofteningKernel>>{{"plummer", gravity::SofteningKernel::plummer},
                                                          {"spline", gravity::SofteningKernel::spline}}),
    };
}

void add_gravity_keys(std::vector<Key<Config>>& keys)
{
    append(keys, gravity_rows());
    for (std::size_t t = 0; t < n_particle_types; ++t)
        keys.push_back(row<Config>(
            fmt::format("gravity.softening_by_type.{}", t),
            length, [t](auto& owner) -> auto& { return owner.gravity.softening_by_type[t]; },
            fmt::format("softening length of particles of type {}; a pair uses the larger of its two", t),
            not_negative()));
    add_perturber(keys);
    add_plugins(keys, "gravity.", gravity::solvers(), AUREOLE_FIELD(gravity.solvers));
}

std::vector<Key<Config>> step_rows()
{
    using C = Config;
    return {
        row<C>(
            "integrator.timestep", interval, AUREOLE_FIELD(integrator.timestep),
            "fixed step; in comoving runs the longest step in ln a: what lies between two outputs is divided "
            "evenly",
            positive()),
        row<C>(
            "integrator.adaptive.eta", number, AUREOLE_FIELD(integrator.eta),
            "instead of timestep: one global step eta sqrt(softening / |a|); solver scf takes the smallest "
            "scale radius for the softening",
            positive()),
        row<C>("integrator.adaptive.maximum_timestep", interval, AUREOLE_FIELD(integrator.maximum_timestep),
               "longest adaptive step; in comoving runs of ln a, default 0.02", positive()),
        row<C>("run.start_time", time, AUREOLE_FIELD(start_time),
               "where no file of particles says it; default 0, needed in comoving runs", not_negative()),
        row<C>("run.end_time", time, AUREOLE_FIELD(end_time), "the run ends here; needed by `run`",
               not_negative()),
        row<C>("run.stall_limit", number, AUREOLE_FIELD(stall_limit),
               "on several ranks: seconds of the wall clock that a rank waits in an exchange for the others "
               "before it ends the job; the environment's AUREOLE_STALL_LIMIT goes before it",
               positive()),
        row<C>("run.checks.energy_error", number, AUREOLE_FIELD(checks.energy_error),
               "largest |relative_error| of energy.csv, looked at with each of its rows; 0: any",
               not_negative()),
        choice_key<C>(
            "run.checks.on_failure",
            "of a larger energy error, and of particles out of range (numbers above 1e100, positions "
            "above 2^52 softening lengths); what is not finite stops the run in any case",
            AUREOLE_FIELD(checks.on_failure),
            std::vector<Choice<OnFailure>>{{"stop", OnFailure::stop}, {"warn", OnFailure::warn}}),
    };
}

void add_integrator_keys(std::vector<Key<Config>>& keys)
{
    keys.push_back(plugin_choice<Config>("integrator.method", AUREOLE_FIELD(integrator.method),
                                         integrators::integrators(),
                                         with_list("how a step is made", integrators::integrators())));
    add_plugins(keys, "integrator.", integrators::integrators(), AUREOLE_FIELD(integrator.methods));
    append(keys, step_rows());
}

/// Where and how files are written.
std::vector<Key<Config>> file_rows()
{
    using C = Config;
    return {
        row<C>("output.directory", number, AUREOLE_FIELD(output.directory),
               "relative to the configuration file"),
        plugin_choice<C>("output.format", AUREOLE_FIELD(output.format), io::written_formats(),
                         "of snapshots: " + io::written_formats().documentation()),
        row<C>(
            "output.files", number, AUREOLE_FIELD(output.files),
            "of each snapshot, as Gadget parts them: snapshot_007.0.hdf5, snapshot_007.1.hdf5, ...; formats "
            "hdf5, gadget1 and gadget2",
            Rule<std::uint32_t>{[](std::uint32_t n) { return n >= 1 && n <= 4096; }, "1 to 4096"}),
        choice_key<C>("output.compression",
                      "of HDF5 snapshots; gzip: a third smaller, written at some ten MB/s",
                      AUREOLE_FIELD(output.compression), names({"none", "gzip"})),
        choice_key<C>(
            "output.units",
            "of the numbers in snapshots, catalogues and coefficients; galactic: kpc, 1e10 Msun, km/s, "
            "which yt assumes; run: those of the run, for nbody with G = 1. Aureole itself reads files "
            "of a run with nbody units with G = 1 in either case",
            AUREOLE_FIELD(output.units),
            std::vector<Choice<FileUnits>>{{"galactic", FileUnits::galactic}, {"run", FileUnits::run}}),
    };
}

/// What is written, and when.
std::vector<Key<Config>> output_rows()
{
    using C = Config;
    return {
        row<C>("output.snapshots.every", interval, AUREOLE_FIELD(output.snapshots.every),
               "interval; 0: first and last state only", not_negative()),
        row<C>("output.halos.every", interval, AUREOLE_FIELD(output.halos.every), "interval; 0: never",
               not_negative()),
        row<C>("output.halos.snapshots", number, AUREOLE_FIELD(output.halo_snapshots),
               "a snapshot, sorted by group, beside each; false: the catalogue alone"),
        row<C>("output.halos.yt", number, AUREOLE_FIELD(output.yt_catalogues),
               "a catalogue that yt.load opens, halos_NNN.0.h5, beside each"),
        row<C>("output.halos.csv", number, AUREOLE_FIELD(output.halo_tables),
               "a table of the groups, halos_NNN.csv, beside each"),
        row<C>(
            "output.halos.mass_functions", number, AUREOLE_FIELD(output.mass_functions),
            "counts by mass with Poisson errors and published fits, mass_function_NNN.csv, beside each; in "
            "comoving runs"),
        row<C>("output.halos.trees", number, AUREOLE_FIELD(output.merger_trees),
               "halos (subhalos with halos.substructure) are followed through time: links beside each "
               "catalogue, subhalo_prog_NNN.hdf5 and subhalo_desc_NNN.hdf5, and trees.hdf5 at the end"),
        row<C>("output.power.every", interval, AUREOLE_FIELD(output.power.every),
               "interval of power spectra, power_NNN.csv and .hdf5, in a periodic box; 0: never",
               not_negative()),
        row<C>("output.density.every", interval, AUREOLE_FIELD(output.density.every),
               "interval of densities on a grid over a periodic box, density_NNN.hdf5; 0: never",
               not_negative()),
        row<C>(
            "output.disks.every", interval, AUREOLE_FIELD(output.disks.every),
            "interval of tables of a disk, disk_TABLE_NNN.csv and .hdf5: what `aureole analyse` makes of a "
            "snapshot; 0: never",
            not_negative()),
        row<C>("output.pictures.every", interval, AUREOLE_FIELD(output.pictures.every), "interval; 0: never",
               not_negative()),
        row<C>("output.coefficients.every", interval, AUREOLE_FIELD(output.coefficients.every),
               "interval of the moments in coefficients_K.hdf5 (solver scf, a file per component); 0: never",
               not_negative()),
        row<C>("output.diagnostics.every", interval, AUREOLE_FIELD(output.diagnostics_every),
               "interval of the logs (energy.csv and others); a hundredth of the run", positive()),
        row<C>(
            "output.bar.components", number, AUREOLE_FIELD(output.bar.components),
            "entries of initial_conditions that form a disk, from 0, as [0, 1]: its bar goes into bar.csv "
            "with "
            "the logs (strength, length, pattern speed: Dehnen, Semczuk & Schoenrich 2023); none when absent",
            component_numbers()),
        row<C>(
            "output.bar.scale_radius", length, AUREOLE_FIELD(output.bar.scale_radius),
            "of the disk, whose axis is that of the particles within three of them; its half-mass radius / "
            "1.678 when absent",
            positive()),
        row<C>("output.bar.least_particles", number, AUREOLE_FIELD(output.bar.least_particles),
               "with fewer particles in the bar no pattern speed is given", at_least<std::uint64_t>(1)),
        row<C>("output.checkpoints.every", interval, AUREOLE_FIELD(output.checkpoints.every),
               "interval of checkpoint.bin, from which `run --resume` goes on; 0: never; a run with any of "
               "the three writes one of its first and of its last state, too",
               not_negative()),
        row<C>("output.checkpoints.steps", number, AUREOLE_FIELD(output.checkpoint_steps),
               "the same in steps; 0: never"),
        row<C>("output.checkpoints.minutes", number, AUREOLE_FIELD(output.checkpoint_minutes),
               "the same in minutes of wall-clock time; 0: never", not_negative()),
    };
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
                      std::vector<Choice<Precision>>{{"mixed", Precision::mixed},
                                                     {"double", Precision::double_precision}}),
    };
    add_cosmology_keys(keys);
    add_gravity_keys(keys);
    add_integrator_keys(keys);
    append(keys, file_rows());
    append(keys, output_rows());
    add_picture_keys(keys);
    add_all_lists(keys);
    add_snapshot_choice(keys);
    add_halo_keys(keys);
    return keys;
}

std::vector<Key<ComponentConfig>> make_component_keys()
{
    using C = ComponentConfig;
    std::vector<Key<C>> keys{
        plugin_choice<C>("model", AUREOLE_FIELD(component.model.name), ics::models(),
                         with_list("what the component is", ics::models())),
        row<C>("file", number, AUREOLE_FIELD(file),
               "snapshot to read, for model file; columns radius and density, for model table"),
    };
    append_settings(keys, "", ics::component_settings(), AUREOLE_FIELD(component));
    append_settings(keys, "scf.", gravity::scf::expansion_key_settings(), AUREOLE_FIELD(scf));
    return keys;
}

}  // namespace

std::vector<Key<Config>> config_keys() { return make_config_keys(); }
std::vector<Key<ComponentConfig>> component_keys() { return make_component_keys(); }
std::vector<Key<ics::Orbit>> orbit_keys() { return ics::orbit_settings(); }

}  // namespace aureole::run
