// The options of `aureole density`.
#include <CLI/CLI.hpp>

#include "sim/cli/options.hpp"

namespace aureole::cli {
namespace {

void add_lattice_options(CLI::App& app, DensityCommand& o)
{
    app.add_option("--axes", o.axes, "of the initial lattice from slowest to fastest id, as xyz; detected");
    app.add_option("--first-id", o.first_id, "of the lattice's first site; 0 or 1, detected");
    app.add_option("--every", o.every, "take only every K-th site along each axis, with K^3 times the mass")
        ->type_name("K")
        ->capture_default_str()
        ->check(CLI::Range(1, 1 << 20));
}

void add_octree_options(CLI::App& app, DensityCommand& o)
{
    auto* octree = app.add_flag(
        "--octree", o.octree, "cells of many sizes: patches, cut into eight where there are many tetrahedra");
    app.add_option("--patch", o.patch, "cells a side of a patch, an even number")
        ->type_name("N")
        ->capture_default_str()
        ->check(CLI::Range(2, 1024))
        ->needs(octree);
    app.add_option("--refine-above", o.refine_above,
                   "cut a patch that more tetrahedra may reach into; as many as it has cells")
        ->type_name("N")
        ->needs(octree);
    auto* smallest = app.add_option("--smallest-cell", o.smallest_cell,
                                    "no smaller than this; a sixteenth of the lattice's spacing")
                         ->check(CLI::PositiveNumber)
                         ->needs(octree);
    app.add_option("--levels", o.levels, "cut the region so many times at most")
        ->needs(octree)
        ->excludes(smallest);
}

void add_device_options(CLI::App& app, DensityCommand& o)
{
    app.add_option("--device", o.device, "auto, cpu, cuda or cuda:N; cuda never falls back")
        ->capture_default_str();
    app.add_option("--precision", o.precision,
                   "of elements on a GPU: double, or mixed (float shares, mostly right to 1e-6 of a "
                   "tetrahedron's mass; totals and streams stay exact)")
        ->capture_default_str();
    app.add_flag(
        "--share", o.share,
        "of elements on a GPU: threads of the host deposit too; who takes what depends on the moment, "
        "and the last bits of cells with it");
}

}  // namespace

void add_density(CLI::App& app, Parsed& parsed)
{
    DensityCommand& o = parsed.density;
    CLI::App* sub = app.add_subcommand(
        "density", "density, velocities and streams on a grid, from the phase-space sheet or from clouds");
    sub->footer(
        "Example: aureole density snapshot_010 -o density.hdf5 --box 40 --grid 64 --fields mass,streams\n"
        "The elements of the sheet are tetrahedra between particles that were neighbours in the initial "
        "lattice, which their ids tell. A dispersion is that of all mass in a cell, in one dimension.");
    sub->add_option("SNAPSHOT", o.snapshot, "any readable snapshot")->required();
    sub->add_option(
           "-o,--output", o.output,
           "HDF5 file: /Density, /Velocity, /VelocityDispersion, /NumberOfStreams [nx, ny, nz], which yt and "
           "ParaView open (which knows it by a name in .hdf); with --octree [nodes, n, n, n], and so do "
           "they; of --points [N], or a table when it ends in .csv")
        ->required();
    add_device_options(*sub, o);
    sub->add_option("--method", o.method, "elements (exact overlap of tetrahedra), ngp, cic or tsc")
        ->capture_default_str();
    auto* grid =
        sub->add_option("--grid", o.grid, "N cells a side, or NX,NY,NZ; as many as particles a side");
    add_octree_options(*sub, o);
    grid->excludes("--octree");
    auto* region = sub->add_option("--region", o.region, "x0:x1,y0:y1,z0:z1, in the file's unit; the box");
    auto* points =
        sub->add_option("--points", o.points,
                        "at points instead of a grid: text with x y z per line (or a line of names "
                        "first), HDF5 /Coordinates, or the particles of a snapshot");
    points->excludes(grid)
        ->excludes(region)
        ->excludes("--octree")
        ->excludes("--share")
        ->excludes("--precision");
    sub->add_flag("--each-stream", o.each_stream, "of --points: also density and velocity of each stream")
        ->needs(points);
    sub->add_option("--fields", o.fields, "some of mass,velocity,dispersion,streams; mass")
        ->delimiter(',')
        ->allow_extra_args(false);
    sub->add_option("--types", o.types, "particle types that count, as 1,2; all")
        ->delimiter(',')
        ->allow_extra_args(false);
    add_lattice_options(*sub, o);
    add_box_options(*sub, o.box_side, o.open);
    sub->add_flag("--dry-run", o.dry_run, "read and check, print the memory it takes, and end");
    sub->add_flag("--quiet", o.quiet, "print no progress and no summary");
    add_units_option(*sub, o.units);
    sub->callback([&] { parsed.call = [&o] { return density_command(o); }; });
}

}  // namespace aureole::cli
