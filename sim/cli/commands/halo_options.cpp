// The options of the commands that find halos and measure them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "halo/centres/centre_method.hpp"
#include "halo/finder.hpp"
#include "halo/parts/domain_map.hpp"
#include "sim/cli/options.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"

namespace aureole::cli {
namespace {

/// An option that is a key of the configuration: sim/config checks and reads its value. `type` is what --help
/// shows.
void add_setting(CLI::App& app, std::vector<std::string>& settings, const char* option, const char* key,
                 const char* type, const std::string& meaning)
{
    app.add_option_function<std::string>(
           option,
           [&settings, key](const std::string& text) {
               const bool list = text.find(',') != std::string::npos || std::string(key).ends_with("ies");
               settings.push_back(fmt::format("{}={}", key, list ? "[" + text + "]" : text));
           },
           meaning)
        ->type_name(type)
        ->take_last();
}

void add_finder_options(CLI::App& app, FindCommand& o)
{
    auto* b =
        app.add_option("--linking-length", o.linking_length,
                       "linking length b in units of the mean separation of the particles (default: 0.2)");
    auto* l = app.add_option("--absolute-linking-length", o.absolute_linking_length,
                             "linking length in the file's unit");
    b->excludes(l);
    add_setting(
        app, o.settings, "--method", "halos.method", "NAME",
        "one of " + halo::finders().list() +
            " (default: fastest, which takes grid for links in space on the CPU, else kd_tree); all but "
            "dbscan find the same groups");
    add_setting(app, o.settings, "--linking-velocity", "halos.linking_velocity", "FLOAT",
                "linking velocity psi in the file's unit: particles are linked in phase space, where "
                "(dx / l)^2 + (dv / psi)^2 <= 1");
    add_setting(
        app, o.settings, "--relative-linking-velocity", "halos.relative_linking_velocity", "FLOAT",
        "linking velocity in units of the velocity dispersion of the group that links in space alone form");
    add_setting(app, o.settings, "--min-friends", "halos.min_friends", "UINT",
                "only particles with at least this many neighbours link (DBSCAN; default: 1)");
    add_setting(
        app, o.settings, "--border", "halos.border", "none|nearest",
        "particles with fewer neighbours join no group (none, the default) or that of the nearest particle "
        "that links");
    app.add_option("--min-members", o.min_members, "least number of members of a group (default: 20)");
    add_types_option(
        app, o.types,
        "particle types that link, as 1,2 (default: all); particles of other types join the group of "
        "the nearest particle that links");
    app.add_option(
           "--members", o.members,
           "take the groups from this file instead of linking particles: an array .grp, or what --labels "
           "wrote")
        ->type_name("FILE")
        ->excludes(b)
        ->excludes(l)
        ->excludes("--method")
        ->excludes("--linking-velocity")
        ->excludes("--relative-linking-velocity")
        ->excludes("--min-friends")
        ->excludes("--border");
    app.add_option(
           "--parts", o.parts,
           "search so many parts of space one after the other, with the groups of all at once: a GPU then "
           "holds one or two of them at a time (default: as many as its memory asks for)")
        ->type_name("V")
        ->check(CLI::Range(1, halo::most_parts))
        ->excludes("--members");
    auto* subsample = app.add_option("--subsample", o.subsample,
                                     "keep one particle in K, chosen by seed and id, with K times its mass; "
                                     "the linking length is that of all particles")
                          ->type_name("K")
                          ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32));
    app.add_flag("--rescale-linking-length", o.rescale_linking_length,
                 "with --subsample: multiply the linking length by K^(1/3)")
        ->needs(subsample);
}

void add_property_options(CLI::App& app, FindCommand& o)
{
    add_setting(app, o.settings, "--centre", "halos.centre", "NAME",
                "centre of a halo, one of " + halo::centre_methods().list() + " (default: most_bound)");
    add_setting(app, o.settings, "--overdensities", "halos.overdensities", "LIST",
                "spherical overdensities to measure, as 200c,500c,200m,vir");
    add_setting(
        app, o.settings, "--overdensity-crossing", "halos.overdensity_crossing", "outermost|innermost",
        "where the density falls to the threshold for the last time, counted outward (default), or for "
        "the first time");
    add_setting(app, o.settings, "--reference-density", "halos.reference_density", "FLOAT",
                "density that overdensities are multiples of, for a file without cosmology");
    add_setting(
        app, o.settings, "--softening", "gravity.softening", "FLOAT",
        "softening length of potentials inside halos, Plummer-equivalent, in the file's unit (default: "
        "what the file states, else 0)");
    app.add_flag_callback(
        "--substructure", [&o] { o.settings.push_back("halos.substructure=true"); },
        "find bound subhalos in each group");
    add_setting(app, o.settings, "--subhalo-min-members", "halos.subhalo_min_members", "UINT",
                "least number of members of a subhalo (default: 20)");
}

}  // namespace

void add_find(CLI::App& app, Parsed& parsed)
{
    FindCommand& o = parsed.find;
    CLI::App* sub = app.add_subcommand("find", "find friends-of-friends halos in any readable snapshot");
    sub->footer(
        "Example: aureole find snapshot_010.hdf5 --linking-length 0.2 --types 1 -o halos\n"
        "Example: aureole find snapshot_010.hdf5 --members other_finder.grp -o halos");
    add_input_file(*sub, "SNAPSHOT", o.snapshot, io::known_snapshot_formats());
    sub->add_option(
           "-o,--output", o.directory,
           "directory of the catalogue and of the snapshot sorted by group (default: beside the file, "
           "halos/ for snapshot_NNN and halos/NAME/ for NAME_NNN and NAME)")
        ->type_name("DIR");
    add_finder_options(*sub, o);
    add_property_options(*sub, o);
    add_box_options(*sub, o.box_side, o.open);
    auto* labels =
        sub->add_option(
               "--labels", o.labels,
               "write only the group of each particle, in the order of the input, to this file: HDF5 "
               "with /ParticleIDs and /GroupIDs, or an N-Body Shop array when the name ends in .grp")
            ->type_name("FILE");
    labels->excludes("--output");
    sub->add_flag("--json", o.json,
                  "print the result as a JSON object, and all other text to standard error");
    sub->add_flag("--yt-catalogue", o.yt_catalogue, "also write halos_NNN.0.h5, which yt.load opens")
        ->excludes(labels);
    sub->add_option("--csv", o.csv, "also write the groups as a table to this file")->type_name("FILE");
    sub->add_option(
           "--dendrogram", o.dendrogram,
           "also write the groups of all linking lengths to this HDF5 file, as the linkage matrix of the "
           "minimum spanning tree")
        ->type_name("FILE");
    add_units_option(*sub, o.units);
    add_compute_options(*sub, o.compute);
    sub->callback([&] { parsed.call = [&o] { return find_command(o); }; });
}

void add_profile(CLI::App& app, Parsed& parsed)
{
    ProfileCommand& o = parsed.profile;
    CLI::App* sub = app.add_subcommand(
        "profile",
        "measure density, mass, circular velocity and dispersions about a halo or a point, by radius");
    sub->footer(
        "Example: aureole profile halos/snapshot_010.hdf5 --halos halos/fof_subhalo_tab_010.hdf5 --halo 0 "
        "-o profile.csv\n"
        "All particles within the range count, whether they are members of the halo or not. Velocities are "
        "relative to that of the halo, or, about a --centre, to the mean of the particles within the range.");
    add_input_file(*sub, "SNAPSHOT", o.snapshot, "any readable snapshot");
    add_output_file(*sub, o.output, "CSV file to write");
    auto* halos = sub->add_option("--halos", o.catalogue, "catalogue of the halo")->type_name("FILE");
    sub->add_option("--halo", o.halo, "row of the halo in the catalogue (default: 0, the largest)")
        ->needs(halos);
    sub->add_option("--centre", o.centre, "centre of the profile, in the file's unit")
        ->type_name("X,Y,Z")
        ->excludes(halos);
    sub->add_option("--bins", o.bins, "number of shells, of equal width in log r")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000));
    sub->add_option(
           "--range", o.range,
           "inner and outer radius (default: the radius of the halo, or the distance of the farthest "
           "particle, and a thousandth of it)")
        ->type_name("R_MIN,R_MAX");
    add_types_option(*sub, o.types, "particle types that count, as 1,2 (default: all)");
    add_box_options(*sub, o.box_side, o.open);
    add_units_option(*sub, o.units);
    sub->callback([&] {
        if (o.catalogue.empty() && !o.centre) throw CLI::RequiredError("--halos or --centre");
        parsed.call = [&o] { return profile_command(o); };
    });
}

void add_analyse(CLI::App& app, Parsed& parsed)
{
    AnalyseCommand& o = parsed.analyse;
    CLI::App* sub = app.add_subcommand(
        "analyse", "measure a disk: profile by radius, bar and its pattern speed, angular momenta");
    sub->footer(
        "Example: aureole analyse snapshot_010.hdf5 --components 0 --bar bar.csv --profile disk.hdf5\n"
        "The chosen particles are the disk: its centre by shrinking spheres, its axis along their angular "
        "momentum. What is found is printed, and written to the files that are named: CSV where the name "
        "ends in .csv, else HDF5.");
    sub->add_option("SNAPSHOT", o.snapshot, "any readable snapshot")->type_name("FILE")->required();
    sub->add_option("--profile", o.profile, "write rings of equal numbers of particles, one a row")
        ->type_name("FILE");
    sub->add_option("--bar", o.bar, "write bar, pattern speed and frame, one row")->type_name("FILE");
    sub->add_option("--angular-momentum", o.angular_momentum,
                    "write mass and angular momentum of each component and type of the snapshot")
        ->type_name("FILE");
    auto* torques =
        sub->add_option("--torques", o.torques,
                        "write what each component does to the angular momentum of each component and type")
            ->type_name("FILE");
    sub->add_option("--softening", o.softening,
                    "softening length of the forces behind torques (default: what the file states, else 0)")
        ->needs(torques);
    sub->add_option(
           "--set", o.overrides,
           "keys of these forces, as gravity.tree.force_accuracy=1e-4 or gravity.external.fields=[...]")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false)
        ->needs(torques);
    sub->add_option("--map", o.map,
                    "write surface density, velocity, dispersion, h3 and h4 of each pixel of a map")
        ->type_name("FILE");
    sub->add_option("--ellipses", o.ellipses, "write axis ratios and position angles of ellipses on the sky")
        ->type_name("FILE");
    sub->add_option("--view", o.view,
                    "from where map and ellipses are seen: inclination and azimuth, degrees (default: 0,-90, "
                    "face-on; 90,-90 is edge-on)")
        ->type_name("I,A")
        ->delimiter(',')
        ->expected(2);
    sub->add_option("--width", o.width, "of the map, in the file's unit (default: 10 scale radii)")
        ->type_name("LENGTH");
    sub->add_option("--pixels", o.pixels, "along each side of the map")
        ->capture_default_str()
        ->check(CLI::Range(1, 2048));
    add_types_option(*sub, o.types, "particle types of the disk, as 2,3 (default: all)");
    sub->add_option("--components", o.components,
                    "components of the disk, entries of initial_conditions from 0, as 0,1 (default: all)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(0, 65535));
    sub->add_option("--scale-radius", o.scale_radius,
                    "scale radius of the disk, in the file's unit: the axis is that of the particles within "
                    "three of them (default: the half-mass radius / 1.678)");
    sub->add_option("--ring", o.ring,
                    "particles in a ring (default: a 64th of all, at least 2000 and at most 32000)")
        ->check(CLI::Range(std::uint64_t{10}, std::uint64_t{1} << 32));
    sub->add_flag("--open", o.open, "take no periodic box, even if the file has one");
    add_units_option(*sub, o.units);
    sub->callback([&] { parsed.call = [&o] { return analyse_command(o); }; });
}

namespace {

void add_cosmology_option(CLI::App& app, std::vector<std::string>& overrides)
{
    app.add_option("--set", overrides,
                   "a key of cosmology, for linear theory beside: cosmology.sigma_8=0.8 and "
                   "cosmology.spectral_index=0.96, or spectrum=table and spectrum_file; what the file states "
                   "need not be given")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

}  // namespace

void add_power(CLI::App& app, Parsed& parsed)
{
    PowerCommand& o = parsed.power;
    CLI::App* sub = app.add_subcommand("power", "measure the power spectrum of a periodic box");
    sub->footer(
        "Example: aureole power snapshot_010.hdf5 -o power.csv --set cosmology.sigma_8=0.8 --set "
        "cosmology.spectral_index=0.96\n"
        "Shells are as wide as the fundamental up to the Nyquist frequency of the mesh; beyond it the box is "
        "folded. Shot noise stands beside the power and is not subtracted.");
    add_input_file(*sub, "SNAPSHOT", o.snapshot, "any readable snapshot");
    add_output_file(*sub, o.output, "CSV where the name ends in .csv, else HDF5");
    sub->add_option("--mesh", o.mesh, "points along an axis (default: two for each particle)")
        ->check(CLI::Range(8, 2048));
    sub->add_option("--folds", o.folds, "how often the box is folded, each time to twice the wave number")
        ->capture_default_str()
        ->check(CLI::Range(0, 20));
    sub->add_option("--box", o.box_side,
                    "side of the periodic box, in the file's unit (default: the file's)");
    add_types_option(*sub, o.types, "particle types that count, as 1,2 (default: all)");
    add_units_option(*sub, o.units);
    add_cosmology_option(*sub, o.overrides);
    sub->callback([&] { parsed.call = [&o] { return power_command(o); }; });
}

void add_mass_function(CLI::App& app, Parsed& parsed)
{
    MassFunctionCommand& o = parsed.mass_function;
    CLI::App* sub = app.add_subcommand("mass-function", "count the halos of a catalogue by mass");
    sub->footer(
        "Example: aureole mass-function halos/fof_subhalo_tab_010.hdf5 -o mass_function.csv --set "
        "cosmology.sigma_8=0.8 --set cosmology.spectral_index=0.96\n"
        "Masses of groups and of all spheres that the catalogue has are counted, with Poisson errors. "
        "Published fits stand beside them where --set names a spectrum.");
    add_input_file(*sub, "CATALOGUE", o.catalogue, "catalogue of a comoving box");
    add_output_file(*sub, o.output, "CSV where the name ends in .csv, else HDF5");
    sub->add_option("--bins", o.bins, "bins in each factor of ten")
        ->capture_default_str()
        ->check(CLI::Range(1, 100));
    add_cosmology_option(*sub, o.overrides);
    sub->callback([&] { parsed.call = [&o] { return mass_function_command(o); }; });
}

void add_trees(CLI::App& app, Parsed& parsed)
{
    TreesCommand& o = parsed.trees;
    CLI::App* sub = app.add_subcommand("trees", "make merger trees of the halo catalogues in a directory");
    sub->footer(
        "Example: aureole trees merger\n"
        "Takes the links that a run with output.halos.trees has written beside its catalogues, also before "
        "it "
        "ends. Where there are none, or with --link, catalogues are linked by the particles of the sorted "
        "snapshots beside them, and the links are written, too.");
    sub->add_option("DIR", o.directory, "directory with fof_subhalo_tab_NNN.hdf5")
        ->type_name("DIR")
        ->required();
    sub->add_option("-o,--output", o.output, "file of the trees (default: trees.hdf5 in the directory)")
        ->type_name("FILE");
    sub->add_flag("--link", o.link, "link the catalogues anew, by the particles of the snapshots");
    sub->callback([&] { parsed.call = [&o] { return trees_command(o); }; });
}

}  // namespace aureole::cli
