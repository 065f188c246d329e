// The options of `aureole render` and `aureole plot`.
#include <CLI/CLI.hpp>

#include "sim/cli/options.hpp"
#include "sim/config/colour_by.hpp"
#include "sim/pictures/picture_colours.hpp"

namespace aureole::cli {
namespace {

void add_camera_options(CLI::App& app, RenderCommand& o)
{
    app.add_option(
           "--camera", o.camera,
           "position of the camera in the unit of the file (default: above a corner, with all in sight)")
        ->type_name("X,Y,Z");
    app.add_option("--look-at", o.look_at,
                   "point in the middle of the picture (default: the middle of the field)")
        ->type_name("X,Y,Z");
    app.add_option("--up", o.up, "direction that is up in the picture (default: 0,0,1)")->type_name("X,Y,Z");
    auto* angle = app.add_option("--field-of-view", o.field_of_view,
                                 "angle from the lower to the upper edge, in degrees (default: 30)")
                      ->type_name("FLOAT");
    app.add_option("--parallel", o.parallel, "use parallel rays, with this height of what the picture shows")
        ->type_name("FLOAT")
        ->excludes(angle);
    auto* path =
        app.add_option(
               "--path", o.path,
               "film along the key frames of a YAML file (frames: N, keys: [{frame, position, look_at, "
               "up, field_of_view, height}, ...])")
            ->type_name("FILE");
    auto* zoom =
        app.add_option("--zoom-to", o.zoom_to, "film towards this point")->type_name("X,Y,Z")->excludes(path);
    app.add_option("--zoom", o.zoom, "factor by which the film ends nearer to the point")
        ->type_name("FLOAT")
        ->capture_default_str()
        ->needs(zoom);
    app.add_option("--turn", o.turn, "degrees that the film turns about the vertical")
        ->type_name("FLOAT")
        ->capture_default_str()
        ->needs(zoom);
    app.add_option("--frames", o.frames, "number of frames of the film")
        ->type_name("INT")
        ->capture_default_str()
        ->needs(zoom);
}

void add_look_options(CLI::App& app, RenderCommand& o)
{
    app.add_option(
           "--opacity", o.opacity,
           "optical depth of the longest side of the field if filled with the last colour (default: 400)")
        ->type_name("FLOAT");
    app.add_option("--steepness", o.steepness,
                   "power with which opacity grows with the place of a value in the range (default: 4)")
        ->type_name("FLOAT");
    app.add_option("--glow", o.glow, "emission over extinction (default: 3)")->type_name("FLOAT");
    app.add_option("--exposure", o.exposure, "factor on the light of the picture (default: 1)")
        ->type_name("FLOAT");
    app.add_option("--samples", o.samples, "least number of samples along a ray in a cell (default: 1)")
        ->type_name("FLOAT");
    app.add_option("--oversampling", o.oversampling, "number of rays along each side of a pixel")
        ->type_name("INT")
        ->capture_default_str();
    app.add_flag("--cells", o.cells,
                 "draw constant values in cells, integrated exactly, instead of interpolating");
}

/// What is drawn and how large; returns the option of volumes.
CLI::Option* add_view_options(CLI::App& app, RenderCommand& o)
{
    auto* what = app.add_option_group("what", "exactly one of");
    what->add_option("--slice", o.slice,
                     "slice across an axis at a coordinate, as z=20, or in the middle, as z")
        ->type_name("AXIS[=FLOAT]");
    what->add_option("--projection", o.projection, "projection along x, y or z")->type_name("AXIS");
    auto* volume =
        what->add_flag("--volume", o.volume, "view by a camera, with emission and absorption along rays");
    what->require_option(1);
    app.add_option("--field", o.field,
                   "dataset of the file; :x, :y or :z after the name of a vector selects a component")
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--range", o.range, "values of the first and the last colour (default: chosen)")
        ->type_name("A:B");
    app.add_option("--scale", o.scale,
                   "linear or logarithmic (default: linear for components of vectors only)")
        ->type_name("NAME")
        ->check(CLI::IsMember({"linear", "logarithmic"}));
    app.add_option("--colours", o.colours,
                   "one of " + run::NamedColours::names() +
                       " (default: fire, diverging for components, web for volumes)")
        ->type_name("NAME");
    auto* region = app.add_option("--region", o.region, "part of the field that slices and projections show")
                       ->type_name("X0:X1,Y0:Y1,Z0:Z1");
    app.add_option("--size", o.size, "size of the picture in pixels; slices and projections fit into it")
        ->type_name("WIDTHxHEIGHT")
        ->capture_default_str();
    auto* raw =
        app.add_option(
               "--raw", o.raw,
               "also write the numbers of a slice or projection as HDF5, or as text with a name in .csv")
            ->type_name("FILE");
    auto* bare = app.add_flag("--bare", o.bare, "draw slices and projections without axes and colour bar");
    volume->excludes(region)->excludes(raw)->excludes(bare);
    return volume;
}

}  // namespace

void add_render(CLI::App& app, Parsed& parsed)
{
    RenderCommand& o = parsed.render;
    CLI::App* sub = app.add_subcommand(
        "render", "draw a field on a grid or an octree as a slice, a projection or a volume");
    sub->footer(
        "Example: aureole render density.hdf5 -o web.png --volume\n"
        "Example: aureole render density.hdf5 -o slice.png --slice z=20 --field Velocity:x\n"
        "Example: aureole render density.hdf5 -o zoom.png --volume --zoom-to 11,29,17 --frames 200 --turn "
        "90; scripts/movie . --prefix zoom\n"
        "A projection of Density is a surface density; other fields are averaged by mass where the file has "
        "Density, otherwise by volume. Films are numbered pictures, NAME_0000.png and so on. See "
        "docs/pictures.md.");
    add_input_file(*sub, "FILE", o.file, "file that `aureole density` wrote");
    add_output_file(*sub, o.output, "PNG file to write");
    CLI::Option* const volume = add_view_options(*sub, o);
    add_camera_options(*sub, o);
    add_look_options(*sub, o);
    sub->add_option("--device", o.device, "auto, cpu, cuda or cuda:N; cuda never falls back to the CPU")
        ->type_name("DEVICE")
        ->capture_default_str();
    for (const char* of_volumes : {"--camera", "--look-at", "--up", "--field-of-view", "--parallel", "--path",
                                   "--zoom-to", "--opacity", "--steepness", "--glow", "--exposure",
                                   "--samples", "--oversampling", "--cells", "--device"})
        sub->get_option(of_volumes)->needs(volume);
    sub->add_flag("--dry-run", o.dry_run, "print the memory that is needed, and end");
    sub->add_flag("--quiet", o.quiet, "print nothing but errors");
    sub->callback([&] { parsed.call = [&o] { return render_command(o); }; });
}

void add_plot(CLI::App& app, Parsed& parsed)
{
    PlotCommand& o = parsed.plot;
    CLI::App* sub = app.add_subcommand("plot", "a picture of a snapshot: projected surface density");
    sub->footer(
        "Example: aureole plot snapshot_010.hdf5 -o picture.png --width 20 --halos fof_subhalo_tab_010.hdf5");
    add_input_file(*sub, "SNAPSHOT", o.snapshot, "any readable snapshot");
    add_output_file(*sub, o.output, "PNG file to write");
    sub->add_option("--axis", o.axis, "line of sight: x, y or z")->check(CLI::IsMember({'x', 'y', 'z'}));
    sub->add_option("--width", o.width, "side of the field, in the file's unit; 0: chosen by the particles")
        ->check(CLI::NonNegativeNumber);
    sub->add_option("--pixels", o.pixels, "pixels along a side of the picture")
        ->capture_default_str()
        ->check(CLI::Range(100, 8192));
    sub->add_option("--halos", o.catalogue, "catalogue whose groups are circled")->type_name("FILE");
    const std::string members =
        "the halo of each particle, for --colour-by halo: what find --labels writes, or .grp";
    auto* colour =
        sub->add_option("--colour-by", o.colour_by,
                        "hues: of nothing but density, of components, of velocities along the line "
                        "of sight (blue approaches, orange recedes) or of halos")
            ->capture_default_str()
            ->check(CLI::IsMember(colour_by_names));
    sub->add_option("--members", o.members, members)->type_name("FILE");
    sub->add_flag("--colour-by-component", o.colour_by_component, "the same as --colour-by component")
        ->excludes(colour);
    add_units_option(*sub, o.units);
    sub->callback([&] { parsed.call = [&o] { return plot_command(o); }; });
}

}  // namespace aureole::cli
