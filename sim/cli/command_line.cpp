// Every option of every command but those of runs, densities and pictures of fields
// (command_line_runs.cpp, command_line_density.cpp, command_line_render.cpp). CLI11 is heavy: it is included
// in these files alone.
#include "sim/cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "gravity/solver.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/run/shell_words.hpp"

namespace aureole::cli {
namespace {

/// An option that is a key of the configuration: checked and read as that.
void add_setting(CLI::App& app, std::vector<std::string>& settings, const char* option, const char* key,
                 const char* meaning)
{
    app.add_option_function<std::string>(
           option,
           [&settings, key](const std::string& text) {
               const bool list = text.find(',') != std::string::npos || std::string(key).ends_with("ies");
               settings.push_back(fmt::format("{}={}", key, list ? "[" + text + "]" : text));
           },
           meaning)
        ->take_last();
}

void add_finder_options(CLI::App& app, FindCommand& o)
{
    auto* b = app.add_option("--linking-length", o.linking_length,
                             "b, in units of the mean separation; 0.2 when no length is given");
    auto* l = app.add_option("--absolute-linking-length", o.absolute_linking_length, "l, in the file's unit");
    b->excludes(l);
    add_setting(app, o.settings, "--method", "halos.method",
                "fastest (default: grid in space on the CPU, else kd_tree), kd_tree, brute_force, grid or "
                "spanning_tree, "
                "which find the same; dbscan");
    add_setting(app, o.settings, "--linking-velocity", "halos.linking_velocity",
                "psi, in the file's unit: friends in phase space, (dx / l)^2 + (dv / psi)^2 <= 1");
    add_setting(app, o.settings, "--relative-linking-velocity", "halos.relative_linking_velocity",
                "psi in velocity dispersions of the group in space that a particle is in");
    add_setting(app, o.settings, "--min-friends", "halos.min_friends",
                "only particles with as many friends link (DBSCAN); 1");
    add_setting(app, o.settings, "--border", "halos.border",
                "particles with fewer friends: none (alone, the default), or nearest: with their nearest");
    app.add_option("--min-members", o.min_members, "smaller groups are not reported; 20");
    app.add_option("--types", o.types,
                   "types that link, as 1,2; the others join their nearest linked neighbour")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--members", o.members,
                   "nobody links: groups are those of this file, a .grp array or what --labels wrote")
        ->excludes(b)
        ->excludes(l)
        ->excludes("--method")
        ->excludes("--linking-velocity")
        ->excludes("--relative-linking-velocity")
        ->excludes("--min-friends")
        ->excludes("--border");
    auto* subsample = app.add_option("--subsample", o.subsample,
                                     "keep one particle in K, chosen by seed and id, with K times its mass; "
                                     "the linking length is that of all particles")
                          ->type_name("K")
                          ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32));
    app.add_flag("--rescale-linking-length", o.rescale_linking_length, "times K^(1/3), with --subsample")
        ->needs(subsample);
}

void add_property_options(CLI::App& app, FindCommand& o)
{
    add_setting(app, o.settings, "--centre", "halos.centre",
                "most_bound (default), most_bound_energy, most_connected, poisson, mass or shrinking_sphere");
    add_setting(app, o.settings, "--overdensities", "halos.overdensities",
                "spheres to measure, as 200c,500c,200m,vir");
    add_setting(app, o.settings, "--reference-density", "halos.reference_density",
                "that they are multiples of where the file has no cosmology");
    app.add_flag_callback(
        "--substructure", [&o] { o.settings.push_back("halos.substructure=true"); },
        "look for bound subhalos in each group");
    add_setting(app, o.settings, "--subhalo-min-members", "halos.subhalo_min_members",
                "smaller subhalos are not reported; 20");
}

void add_find(CLI::App& app, Parsed& parsed)
{
    FindCommand& o = parsed.find;
    CLI::App* sub = app.add_subcommand("find", "find friends-of-friends halos in any readable snapshot");
    sub->footer(
        "Example: aureole find snapshot_010.hdf5 --linking-length 0.2 --types 1 -o halos\n"
        "Example: aureole find snapshot_010.hdf5 --members other_finder.grp -o halos");
    sub->add_option("SNAPSHOT", o.snapshot, "Gadget HDF5 or binary, GADGET-4, SWIFT, tipsy, text")
        ->required();
    sub->add_option("-o,--output", o.directory,
                    "directory of catalogue and sorted snapshot; halos/ beside the file");
    add_finder_options(*sub, o);
    add_property_options(*sub, o);
    add_box_options(*sub, o.box_side, o.open);
    auto* labels =
        sub->add_option("--labels", o.labels,
                        "write only the group of each particle, in input order, to this file: "
                        "/ParticleIDs and /GroupIDs, or an N-Body Shop array when it ends in .grp");
    labels->excludes("--output");
    sub->add_flag("--yt-catalogue", o.yt_catalogue, "also write halos_NNN.0.h5, which yt.load opens")
        ->excludes(labels);
    sub->add_option("--csv", o.csv, "also write the groups as a table to this file");
    sub->add_option(
        "--dendrogram", o.dendrogram,
        "also write the groups of all linking lengths to this file: the linkage matrix of the minimum "
        "spanning tree, HDF5");
    add_units_option(*sub, o.units);
    add_compute_options(*sub, o.compute);
    sub->callback([&] { parsed.call = [&o] { return find_command(o); }; });
}

void add_forces(CLI::App& app, Parsed& parsed)
{
    ForcesCommand& o = parsed.forces;
    CLI::App* sub = app.add_subcommand("forces", "accelerations and potentials of a snapshot's particles");
    sub->footer(
        "Example: aureole forces galaxy.dat -o forces.hdf5 --softening 0.4 --set precision=double\n"
        "Example: aureole forces galaxy.dat --solver scf --compare direct --sample 5000 --softening 0.4\n"
        "The times that --compare prints are wall-clock seconds of one evaluation on the device, ordering "
        "and "
        "building included, reading and transfers not. The solver is evaluated twice and its second "
        "evaluation "
        "counts, for the time, the errors and the file: it finds its memory and the last accelerations in "
        "place, as in a run. A direct sum that takes more than a second is evaluated once: it would find the "
        "same.");
    sub->add_option("SNAPSHOT", o.snapshot, "any readable snapshot")->required();
    sub->add_option("-o,--output", o.output,
                    "HDF5 file: /Accelerations, /Potentials, /ParticleIDs; may be left out with --compare");
    sub->add_option("--solver", o.solver, "one of " + gravity::known_solvers() + "; direct");
    sub->add_option("--softening", o.softening,
                    "softening length (Plummer-equivalent; the spline kernel ends at 2.8 of it); 0");
    auto* compare = sub->add_option(
        "--compare", o.compare,
        "direct: print the relative errors against the direct sum in double precision over all particles, "
        "with "
        "the same softening; scf has none of its own, so give --softening for the direct sum");
    sub->add_option("--sample", o.sample,
                    "targets to compare, drawn without repeats by --set seed=N; no more than there are")
        ->capture_default_str()
        ->needs(compare);
    add_units_option(*sub, o.units);
    add_compute_options(*sub, o.compute);
    sub->callback([&] {
        if (o.output.empty() && o.compare.empty()) throw CLI::RequiredError("--output or --compare");
        parsed.call = [&o] { return forces_command(o); };
    });
}

void add_expand(CLI::App& app, Parsed& parsed)
{
    ExpandCommand& o = parsed.expand;
    CLI::App* sub = app.add_subcommand("expand", "coefficients of a snapshot's mass in a basis of functions");
    sub->footer(
        "Example: aureole expand snapshot_010.hdf5 -o coefs.hdf5 --n-max 10 --l-max 6 --scale-radius 30 "
        "--centre-on shrinking_sphere");
    sub->add_option("SNAPSHOT", o.snapshot, "any readable snapshot")->required();
    sub->add_option("-o,--output", o.output, "HDF5 as EXP lays it out; text when the name ends in .txt")
        ->required();
    sub->add_option("--n-max", o.n_max, "largest radial order; 6");
    sub->add_option("--l-max", o.l_max, "largest angular order; 4");
    sub->add_option("--scale-radius", o.scale_radius, "of the basis, in the file's unit; 1");
    sub->add_option("--family", o.family, "hernquist-ostriker (cusp, the default) or clutton-brock (core)");
    auto* centre = sub->add_option("--centre", o.centre, "x,y,z of the expansion; the origin");
    centre->excludes(
        sub->add_option("--centre-on", o.centre_on, "shrinking_sphere, most_bound or mass: find the centre")
            ->check(CLI::IsMember({"shrinking_sphere", "most_bound", "mass"})));
    sub->add_option("--types", o.types, "particle types that take part, as 1,2; all")
        ->delimiter(',')
        ->allow_extra_args(false);
    sub->add_option("--component", o.component, "only particles of this component");
    sub->add_option("--symmetry", o.symmetry,
                    "keep only these terms: even-l, even-m, axisymmetric, spherical")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"even-l", "even-m", "axisymmetric", "spherical"}));
    sub->add_option("--samples", o.samples,
                    "sub-samples from which the variance of each coefficient is found; 1: no variances")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000));
    add_units_option(*sub, o.units);
    add_compute_options(*sub, o.compute);
    sub->callback([&] { parsed.call = [&o] { return expand_command(o); }; });
}

void add_evaluate(CLI::App& app, Parsed& parsed)
{
    EvaluateCommand& o = parsed.evaluate;
    CLI::App* sub = app.add_subcommand(
        "evaluate", "density, potential and acceleration of an expansion at points of space");
    sub->footer("Example: aureole evaluate coefs.hdf5 -o profile.csv --radii 0.01:100:200");
    sub->add_option("COEFFICIENTS", o.coefficients, "files of `aureole expand` or of a run; several add up")
        ->required();
    sub->add_option("-o,--output", o.output,
                    "HDF5: /Coordinates, /Density, /Potential, /Accelerations; a table when it ends in .csv")
        ->required();
    auto* grid = sub->add_option("--grid", o.grid,
                                 "N points a side, with --extent; or x0:x1:nx,y0:y1:ny,z0:z1:nz, z fastest");
    auto* extent = sub->add_option("--extent", o.extent,
                                   "the grid reaches this far from the first file's centre to either side");
    auto* plane = sub->add_flag("--plane", o.plane, "only the plane z = centre of the grid");
    auto* points = sub->add_option("--points", o.points,
                                   "text with x y z per line (or a line of names first), HDF5 /Coordinates, "
                                   "or the particles of a snapshot");
    auto* radii = sub->add_option("--radii", o.radii,
                                  "r0:r1:n, logarithmic, from the first file's centre along --direction");
    sub->add_option("--direction", o.direction, "of --radii")->capture_default_str()->needs(radii);
    grid->excludes(points)->excludes(radii);
    points->excludes(radii);
    extent->needs(grid);
    plane->needs(grid);
    auto* time = sub->add_option("--time", o.time, "between moments, linearly; the last moment");
    time->excludes(sub->add_option("--moment", o.moment, "a moment by its number, from 0"));
    add_compute_options(*sub, o.compute);
    sub->callback([&] { parsed.call = [&o] { return evaluate_command(o); }; });
}

void add_info(CLI::App& app, Parsed& parsed)
{
    InfoCommand& o = parsed.info;
    CLI::App* sub =
        app.add_subcommand("info", "what a file or an output directory holds; devices and build without");
    sub->footer("Example: aureole info snapshot_010.hdf5");
    sub->add_option("PATH", o.path,
                    "snapshot, catalogue, coefficients, checkpoint, picture, any other HDF5 file of this "
                    "program, or the directory of a run");
    sub->callback([&] { parsed.call = [&o] { return info_command(o); }; });
}

void add_plot(CLI::App& app, Parsed& parsed)
{
    PlotCommand& o = parsed.plot;
    CLI::App* sub = app.add_subcommand("plot", "a picture of a snapshot: projected surface density");
    sub->footer(
        "Example: aureole plot snapshot_010.hdf5 -o picture.png --width 20 --halos fof_subhalo_tab_010.hdf5");
    sub->add_option("SNAPSHOT", o.snapshot, "any readable snapshot")->required();
    sub->add_option("-o,--output", o.output, "PNG file")->required();
    sub->add_option("--axis", o.axis, "line of sight: x, y or z")->check(CLI::IsMember({'x', 'y', 'z'}));
    sub->add_option("--width", o.width, "side of the field in the file's unit; chosen when 0")
        ->check(CLI::NonNegativeNumber);
    sub->add_option("--pixels", o.pixels, "side of the picture")
        ->capture_default_str()
        ->check(CLI::Range(100, 8192));
    sub->add_option("--halos", o.catalogue, "catalogue whose groups are circled");
    sub->add_flag("--colour-by-component", o.colour_by_component, "a hue for each component");
    add_units_option(*sub, o.units);
    sub->callback([&] { parsed.call = [&o] { return plot_command(o); }; });
}

void add_profile(CLI::App& app, Parsed& parsed)
{
    ProfileCommand& o = parsed.profile;
    CLI::App* sub = app.add_subcommand(
        "profile", "density, mass, circular velocity and dispersions about a halo or a point, by radius");
    sub->footer(
        "Example: aureole profile halos/snapshot_010.hdf5 --halos halos/fof_subhalo_tab_010.hdf5 --halo 0 "
        "-o profile.csv\n"
        "All particles within the range count, members or not. Velocities are relative to the halo's, or to "
        "the mean of the particles within the range about a --centre.");
    sub->add_option("SNAPSHOT", o.snapshot, "any readable snapshot")->required();
    sub->add_option("-o,--output", o.output, "CSV file")->required();
    auto* halos = sub->add_option("--halos", o.catalogue, "catalogue of the halo");
    sub->add_option("--halo", o.halo, "its row in the catalogue; 0, the largest")->needs(halos);
    sub->add_option("--centre", o.centre, "x,y,z, in the file's unit")->excludes(halos);
    sub->add_option("--bins", o.bins, "of equal width in log r")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000));
    sub->add_option("--range", o.range,
                    "r_min,r_max; the radius of the halo, or the farthest particle, and a thousandth of it");
    sub->add_option("--types", o.types, "particle types that count, as 1,2; all")
        ->delimiter(',')
        ->allow_extra_args(false);
    add_box_options(*sub, o.box_side, o.open);
    add_units_option(*sub, o.units);
    sub->callback([&] {
        if (o.catalogue.empty() && !o.centre) throw CLI::RequiredError("--halos or --centre");
        parsed.call = [&o] { return profile_command(o); };
    });
}

void add_config(CLI::App& app, Parsed& parsed)
{
    CLI::App* sub =
        app.add_subcommand("config", "print every configuration key with default, unit and meaning");
    sub->footer("Example: aureole config | less");
    sub->callback([&] { parsed.call = [] { return config_command(); }; });
}

/// The command line as it can be typed again.
std::string joined(int argc, char** argv)
{
    std::string text = "aureole";
    for (int k = 1; k < argc; ++k) text += " " + run::shell_word(argv[k]);
    return text;
}

}  // namespace

int run_command_line(int argc, char** argv)
{
    CLI::App app{"Aureole: an N-body simulator with a built-in halo finder", "aureole"};
    app.set_version_flag("--version", version_text);
    app.footer(
        "Example: aureole run scripts/experiments/galaxy_merger/run.yaml -o merger\n"
        "`aureole COMMAND --help` explains one command.");
    app.require_subcommand(0, 1);
    Parsed parsed;
    const std::string command_line = joined(argc, argv);
    for (ComputeOptions* compute : {&parsed.run.compute, &parsed.ics.compute, &parsed.find.compute,
                                    &parsed.forces.compute, &parsed.expand.compute, &parsed.evaluate.compute})
        compute->command_line = command_line;
    parsed.density.command_line = parsed.render.command_line = parsed.profile.command_line =
        parsed.plot.command_line = command_line;
    for (const auto add : {add_run, add_ics, add_find, add_forces, add_expand, add_evaluate, add_density,
                           add_profile, add_info, add_diff, add_plot, add_render, add_config})
        add(app, parsed);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    if (parsed.call) return parsed.call();
    fmt::print("{}", app.help());
    return 0;
}

}  // namespace aureole::cli
