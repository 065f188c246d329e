// The options of `aureole density`.
#include <CLI/CLI.hpp>

#include "sim/cli/options.hpp"

namespace aureole::cli {
namespace {

void add_lattice_options(CLI::App& app, DensityCommand& o)
{
    app.add_option("--axes", o.axes,
                   "axes of the initial lattice from slowest to fastest id, as xyz (default: detected)")
        ->type_name("AXES");
    app.add_option("--first-id", o.first_id,
                   "id of the first site of the lattice (default: 0 if there is an id 0, else 1)")
        ->type_name("INT");
    app.add_option("--every", o.every, "use only every K-th site along each axis, with K^3 times the mass")
        ->type_name("K")
        ->capture_default_str()
        ->check(CLI::Range(1, 1 << 20));
}

void add_octree_options(CLI::App& app, DensityCommand& o)
{
    auto* octree = app.add_flag("--octree", o.octree,
                                "use an octree of patches of cells that is refined where there are many "
                                "tetrahedra, instead of a grid");
    app.add_option("--patch", o.patch, "number of cells along each axis of a patch, an even number")
        ->type_name("N")
        ->capture_default_str()
        ->check(CLI::Range(2, 1024))
        ->needs(octree);
    app.add_option("--refine-above", o.refine_above,
                   "refine a patch that more than N tetrahedra may reach into (default: its number of cells)")
        ->type_name("N")
        ->needs(octree);
    auto* smallest =
        app.add_option("--smallest-cell", o.smallest_cell,
                       "lower limit of the size of cells (default: a sixteenth of the lattice spacing)")
            ->type_name("FLOAT")
            ->check(CLI::PositiveNumber)
            ->needs(octree);
    app.add_option("--levels", o.levels, "largest number of levels below the root")
        ->type_name("INT")
        ->needs(octree)
        ->excludes(smallest);
}

void add_device_options(CLI::App& app, DensityCommand& o)
{
    app.add_option("--device", o.device, "auto, cpu, cuda or cuda:N; cuda never falls back to the CPU")
        ->type_name("DEVICE")
        ->capture_default_str();
    app.add_option(
           "--precision", o.precision,
           "precision of tetrahedra on a GPU: double, or mixed (shares of cells in float, right to 1e-6 "
           "of a tetrahedron's mass; totals and streams stay exact)")
        ->type_name("NAME")
        ->capture_default_str();
    app.add_flag("--share", o.share,
                 "let CPU threads deposit tetrahedra together with the GPU; the last bits of cells then "
                 "depend on timing");
    app.add_option(
           "--split", o.split,
           "how several ranks (mpirun) share a grid of tetrahedra: lattice (each deposits a part of the "
           "lattice everywhere), space (each fills planes of cells), or auto (what moves fewer bytes)")
        ->type_name("NAME")
        ->capture_default_str()
        ->check(CLI::IsMember({"auto", "lattice", "space"}));
}

void add_point_options(CLI::App& app, DensityCommand& o)
{
    auto* points =
        app.add_option("--points", o.points,
                       "compute the fields at the points of this file instead of on a grid: text with x y z "
                       "per line, a table with named columns, HDF5 /Coordinates, or a snapshot")
            ->type_name("FILE");
    for (const char* other : {"--grid", "--region", "--octree", "--share", "--precision"})
        points->excludes(other);
    app.add_flag("--each-stream", o.each_stream,
                 "with --points: also write density and velocity of each stream")
        ->needs(points);
}

}  // namespace

void add_density(CLI::App& app, Parsed& parsed)
{
    DensityCommand& o = parsed.density;
    CLI::App* sub = app.add_subcommand(
        "density", "compute density, velocity and streams on a grid, on an octree or at points");
    sub->footer(
        "Example: aureole density snapshot_010 -o density.hdf5 --box 40 --grid 64 --fields mass,streams\n"
        "The corners of a phase-space tetrahedron are particles that were neighbours in the initial lattice, "
        "which "
        "is found from the ids. The velocity dispersion is one-dimensional and that of all mass in a cell. "
        "See docs/densities.md.");
    add_input_file(*sub, "SNAPSHOT", o.snapshot, "any readable snapshot");
    add_output_file(
        *sub, o.output,
        "HDF5 file with /Density, /Velocity, /VelocityDispersion and /NumberOfStreams, which yt and "
        "ParaView open (ParaView knows it by a name in .hdf); with --points also CSV, with a name in .csv");
    add_device_options(*sub, o);
    sub->add_option(
           "--method", o.method,
           "tetrahedra (exact overlap of phase-space tetrahedra; also called elements), ngp, cic or tsc")
        ->type_name("NAME")
        ->capture_default_str();
    auto* grid =
        sub->add_option("--grid", o.grid,
                        "number of cells along each axis, N or NX,NY,NZ (default: that of the particles)")
            ->type_name("N");
    add_octree_options(*sub, o);
    grid->excludes("--octree");
    sub->add_option("--region", o.region, "part of the box in the unit of the file (default: the whole box)")
        ->type_name("X0:X1,Y0:Y1,Z0:Z1");
    add_point_options(*sub, o);
    sub->add_option(
           "--fields", o.fields,
           "list of mass, velocity, dispersion and streams, as mass,velocity or mass velocity (default: "
           "mass)")
        ->type_name("LIST")
        ->delimiter(',')
        ->allow_extra_args(false);
    sub->add_option("--types", o.types, "particle types to use, as 1,2 (default: all)")
        ->type_name("LIST")
        ->delimiter(',')
        ->allow_extra_args(false);
    add_lattice_options(*sub, o);
    add_box_options(*sub, o.box_side, o.open);
    sub->add_flag("--dry-run", o.dry_run,
                  "read and check the snapshot, print the memory that is needed, and end");
    sub->add_flag("--quiet", o.quiet, "print no progress and no summary");
    add_units_option(*sub, o.units);
    sub->callback([&] { parsed.call = [&o] { return density_command(o); }; });
}

}  // namespace aureole::cli
