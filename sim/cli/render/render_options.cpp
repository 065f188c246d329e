// The options of `aureole render` and `aureole plot`.
#include <CLI/CLI.hpp>

#include "sim/cli/options.hpp"
#include "sim/pictures/field_colours.hpp"

namespace aureole::cli {
namespace {

void add_camera_options(CLI::App& app, RenderCommand& o)
{
    app.add_option("--camera", o.camera,
                   "x,y,z of the camera, in the file's unit; above a corner, all in sight");
    app.add_option("--look-at", o.look_at, "x,y,z in the middle of the picture; the middle of the field");
    app.add_option("--up", o.up, "x,y,z, a direction; 0,0,1");
    auto* angle =
        app.add_option("--field-of-view", o.field_of_view, "from the lower to the upper edge, degrees; 30");
    app.add_option("--parallel", o.parallel, "parallel rays; the height of what the picture shows")
        ->excludes(angle);
    auto* path = app.add_option("--path", o.path,
                                "YAML file of key frames (frames: N, keys: [{frame, position, look_at, up, "
                                "field_of_view, height}, ...])");
    auto* zoom = app.add_option("--zoom-to", o.zoom_to, "x,y,z: a film towards this point")->excludes(path);
    app.add_option("--zoom", o.zoom, "how much nearer it ends")->capture_default_str()->needs(zoom);
    app.add_option("--turn", o.turn, "degrees around the vertical on the way")
        ->capture_default_str()
        ->needs(zoom);
    app.add_option("--frames", o.frames, "of the film")->capture_default_str()->needs(zoom);
}

void add_look_options(CLI::App& app, RenderCommand& o)
{
    app.add_option("--opacity", o.opacity,
                   "optical depth of the longest side of the field, if filled with the last colour; 400");
    app.add_option("--steepness", o.steepness, "opacity grows as this power of the place in the range; 4");
    app.add_option("--glow", o.glow, "light over extinction; 3");
    app.add_option("--exposure", o.exposure, "of the picture; 1");
    app.add_option("--samples", o.samples, "along a ray in a cell, at least; 1");
    app.add_option("--oversampling", o.oversampling, "rays a pixel, along each side")->capture_default_str();
    app.add_flag("--cells", o.cells, "constant values in cells, integrated exactly; else interpolated");
}

}  // namespace

void add_render(CLI::App& app, Parsed& parsed)
{
    RenderCommand& o = parsed.render;
    CLI::App* sub =
        app.add_subcommand("render", "pictures of a field on a grid or an octree: slice, projection, volume");
    sub->footer(
        "Example: aureole render density.hdf5 -o web.png --volume\n"
        "Example: aureole render density.hdf5 -o slice.png --slice z=20 --field Velocity:x\n"
        "Example: aureole render density.hdf5 -o zoom.png --volume --zoom-to 11,29,17 --frames 200 --turn "
        "90; "
        "scripts/movie . --prefix zoom\n"
        "A projection of Density is a surface density; other fields are averaged by mass where the file has "
        "Density. Films are numbered pictures, NAME_0000.png and so on.");
    sub->add_option("FILE", o.file, "what `aureole density` wrote")->required();
    sub->add_option("-o,--output", o.output, "PNG file")->required();
    auto* what = sub->add_option_group("what", "one of these");
    what->add_option("--slice", o.slice, "x, y or z and a coordinate, as z=20; without it the middle");
    what->add_option("--projection", o.projection, "line of sight: x, y or z");
    auto* volume =
        what->add_flag("--volume", o.volume, "seen by a camera: emission and absorption along rays");
    what->require_option(1);
    sub->add_option("--field", o.field, "dataset of the file; :x, :y or :z behind a vector for its component")
        ->capture_default_str();
    sub->add_option("--range", o.range, "a:b, the values of the first and the last colour; chosen");
    sub->add_option("--scale", o.scale, "linear or logarithmic; linear for components of vectors only")
        ->check(CLI::IsMember({"linear", "logarithmic"}));
    sub->add_option(
        "--colours", o.colours,
        "one of " + run::NamedColours::names() + "; fire, diverging for components, web for volumes");
    auto* region =
        sub->add_option("--region", o.region, "x0:x1,y0:y1,z0:z1, the part that slices and projections show");
    sub->add_option("--size", o.size, "of the picture; the field of slices and projections fits into it")
        ->capture_default_str();
    auto* raw = sub->add_option(
        "--raw", o.raw,
        "also write the numbers of a slice or projection: HDF5, or text when it ends in .csv");
    auto* bare = sub->add_flag("--bare", o.bare, "slices and projections without axes and colour bar");
    volume->excludes(region)->excludes(raw)->excludes(bare);
    add_camera_options(*sub, o);
    add_look_options(*sub, o);
    sub->add_option("--device", o.device, "auto, cpu, cuda or cuda:N; cuda never falls back")
        ->capture_default_str();
    for (const char* of_volumes : {"--camera", "--look-at", "--up", "--field-of-view", "--parallel", "--path",
                                   "--zoom-to", "--opacity", "--steepness", "--glow", "--exposure",
                                   "--samples", "--oversampling", "--cells", "--device"})
        sub->get_option(of_volumes)->needs(volume);
    sub->add_flag("--dry-run", o.dry_run, "print the memory that it takes, and end");
    sub->add_flag("--quiet", o.quiet, "print nothing but errors");
    sub->callback([&] { parsed.call = [&o] { return render_command(o); }; });
}

void add_plot(CLI::App& app, Parsed& parsed)
{
    PlotCommand& o = parsed.plot;
    CLI::App* sub = app.add_subcommand("plot", "a picture of a snapshot: projected surface density");
    sub->footer(
        "Example: aureole plot snapshot_010.hdf5 -o picture.png --width 20 --halos fof_subhalo_tab_010.hdf5");
    sub->add_option("SNAPSHOT", o.snapshot, "any readable snapshot")->type_name("FILE")->required();
    sub->add_option("-o,--output", o.output, "PNG file to write")->type_name("FILE")->required();
    sub->add_option("--axis", o.axis, "line of sight: x, y or z")->check(CLI::IsMember({'x', 'y', 'z'}));
    sub->add_option("--width", o.width, "side of the field, in the file's unit; 0: chosen by the particles")
        ->check(CLI::NonNegativeNumber);
    sub->add_option("--pixels", o.pixels, "pixels along a side of the picture")
        ->capture_default_str()
        ->check(CLI::Range(100, 8192));
    sub->add_option("--halos", o.catalogue, "catalogue whose groups are circled")->type_name("FILE");
    sub->add_flag("--colour-by-component", o.colour_by_component, "draw each component in a hue of its own");
    add_units_option(*sub, o.units);
    sub->callback([&] { parsed.call = [&o] { return plot_command(o); }; });
}

}  // namespace aureole::cli
