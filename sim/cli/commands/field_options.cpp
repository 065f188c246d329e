// The options of the commands that compute forces, and of those that expand a field and evaluate the
// expansion.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "gravity/solver_registry.hpp"
#include "sim/cli/options.hpp"
#include "sim/io/list_text.hpp"

namespace aureole::cli {

void add_forces(CLI::App& app, Parsed& parsed)
{
    ForcesCommand& o = parsed.forces;
    CLI::App* sub =
        app.add_subcommand("forces", "compute accelerations and potentials of a snapshot's particles");
    sub->footer(
        "Example: aureole forces galaxy.dat -o forces.hdf5 --softening 0.4 --set precision=double\n"
        "Example: aureole forces galaxy.dat --solver scf --compare direct --sample 5000 --softening 0.4\n"
        "The times that --compare prints are wall-clock seconds of one evaluation on the device. They "
        "include "
        "sorting and building a tree; they exclude reading the file and transfers. The solver is evaluated "
        "twice, and time, errors and the output file are those of the second evaluation: as in a run, memory "
        "is allocated and the accelerations of the previous evaluation are known by then. A direct sum that "
        "takes more than a second is evaluated once, because the second result would be the same.");
    add_input_file(*sub, "SNAPSHOT", o.snapshot, "any readable snapshot");
    sub->add_option("-o,--output", o.output,
                    "HDF5 file to write: /Accelerations, /Potentials, /ParticleIDs; optional with --compare")
        ->type_name("FILE");
    sub->add_option("--solver", o.solver, "one of " + gravity::solvers().list() + ", auto (default: direct)")
        ->type_name("NAME");
    sub->add_option("--softening", o.softening,
                    "softening length, Plummer-equivalent; the spline kernel ends at 2.8 times this length "
                    "(default: what the file states, else 0)");
    auto* compare =
        sub->add_option(
               "--compare", o.compare,
               "print relative errors against the direct sum in double precision over all particles, "
               "with the same softening; scf has none of its own, so that --softening is then the "
               "direct sum's alone")
            ->type_name("direct");
    sub->add_option("--sample", o.sample,
                    "number of particles to compare, drawn without repeats by --set seed=N; at most all")
        ->capture_default_str()
        ->needs(compare);
    add_isolated_flag(*sub, o.as_isolated);
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
    CLI::App* sub =
        app.add_subcommand("expand", "compute the coefficients of a snapshot's mass in a basis of functions");
    sub->footer(
        "Example: aureole expand snapshot_010.hdf5 -o coefs.hdf5 --n-max 10 --l-max 6 --scale-radius 30 "
        "--centre-on shrinking_sphere");
    add_input_file(*sub, "SNAPSHOT", o.snapshot, "any readable snapshot");
    add_output_file(*sub, o.output,
                    "file to write: HDF5 in the layout of EXP, or text when the name ends in .txt");
    sub->add_option("--n-max", o.n_max, "largest radial order (default: 6)");
    sub->add_option("--l-max", o.l_max, "largest angular order (default: 4)");
    sub->add_option("--scale-radius", o.scale_radius,
                    "scale radius of the basis, in the file's unit (default: 1)");
    sub->add_option("--family", o.family,
                    "hernquist-ostriker (density with a cusp, the default) or clutton-brock (with a core)")
        ->type_name("NAME");
    auto* centre = sub->add_option("--centre", o.centre,
                                   "centre of the expansion, in the file's unit (default: the origin)")
                       ->type_name("X,Y,Z");
    centre->excludes(
        sub->add_option("--centre-on", o.centre_on,
                        fmt::format("find the centre: {}", io::list_text(expansion_centres(), ", ")))
            ->type_name("NAME")
            ->check(CLI::IsMember(expansion_centres())));
    add_types_option(*sub, o.types, "particle types that are expanded, as 1,2 (default: all)");
    sub->add_option("--component", o.component, "expand only the particles of this component");
    sub->add_option(
           "--symmetry", o.symmetry,
           "keep only the terms of a symmetry: even-l, even-m, axisymmetric, spherical; several combine")
        ->type_name("NAME")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(std::vector<std::string>(symmetry_words.begin(), symmetry_words.end())));
    sub->add_option("--samples", o.samples,
                    "number of sub-samples from which the variance of each coefficient is estimated; 1: no "
                    "variances")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000));
    add_isolated_flag(*sub, o.as_isolated);
    add_units_option(*sub, o.units);
    add_compute_options(*sub, o.compute);
    sub->callback([&] { parsed.call = [&o] { return expand_command(o); }; });
}

void add_evaluate(CLI::App& app, Parsed& parsed)
{
    EvaluateCommand& o = parsed.evaluate;
    CLI::App* sub = app.add_subcommand(
        "evaluate", "compute density, potential and acceleration of an expansion at points of space");
    sub->footer("Example: aureole evaluate coefs.hdf5 -o profile.csv --radii 0.01:100:200");
    sub->add_option("COEFFICIENTS", o.coefficients,
                    "files of `aureole expand` or of a run; the fields of several files are added")
        ->type_name("FILE")
        ->required();
    add_output_file(
        *sub, o.output,
        "file to write: HDF5 with /Coordinates, /Density, /Potential and /Accelerations, or a table "
        "when the name ends in .csv");
    auto* grid =
        sub->add_option("--grid", o.grid,
                        "points of a grid: N a side, with --extent; or x0:x1:nx,y0:y1:ny,z0:z1:nz, where z "
                        "varies fastest")
            ->type_name("GRID");
    auto* extent = sub->add_option(
        "--extent", o.extent, "with --grid N: half the side of the grid about the centre of the first file");
    auto* plane = sub->add_flag("--plane", o.plane, "only the plane z = centre of the grid");
    auto* points =
        sub->add_option("--points", o.points,
                        "points of a file: text with x y z per line (or a line of names first), HDF5 "
                        "with /Coordinates, or the particles of a snapshot")
            ->type_name("FILE");
    auto* radii = sub->add_option("--radii", o.radii,
                                  "points at logarithmic distances from the centre of the first file, along "
                                  "--direction")
                      ->type_name("R0:R1:N");
    sub->add_option("--direction", o.direction, "direction of --radii")
        ->type_name("X,Y,Z")
        ->capture_default_str()
        ->needs(radii);
    grid->excludes(points)->excludes(radii);
    points->excludes(radii);
    extent->needs(grid);
    plane->needs(grid);
    auto* time = sub->add_option("--time", o.time,
                                 "time of the coefficients, interpolated linearly (default: the last time)");
    time->excludes(
        sub->add_option("--moment", o.moment, "take the coefficients of this row, counted from 0"));
    add_compute_options(*sub, o.compute);
    sub->callback([&] { parsed.call = [&o] { return evaluate_command(o); }; });
}

}  // namespace aureole::cli
