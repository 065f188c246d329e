#include <fmt/format.h>

#include "sim/cli/commands.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/loaded_snapshot.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/images/image.hpp"
#include "sim/pictures/halo_circles.hpp"

namespace aureole::cli {

int plot_command(const PlotCommand& command)
{
    expect_safe_outputs({{"-o", command.output}}, {command.snapshot, command.catalogue});
    LoadedSnapshot loaded = load_snapshot(command.snapshot, command.units);
    const io::SnapshotHeader& header = loaded.snapshot.header;
    PictureOptions options;
    options.axis = command.axis;
    options.width = command.width;
    options.side = header.box_size;
    options.pixels = command.pixels;
    options.colour_by = command.colour_by_component ? ColourBy::component : ColourBy::density;
    options.length_unit = loaded.units.name(run::Quantity::length);
    options.time_text = header.comoving ? fmt::format("z = {:.3g}", header.redshift)
                                        : "t = " + run::time_text(header.time, loaded.units);
    if (!command.catalogue.empty())
        options.halos = run::halo_circles(io::read_catalogue(command.catalogue).groups);
    io::Provenance provenance = provenance_of(maker(command.command_line), run::choose_device("cpu"));
    provenance.emplace_back("Input", command.snapshot.string());
    io::write_png(command.output, make_picture(loaded.snapshot.particles, options), provenance);
    fmt::print("picture of {} particles written to {}\n", loaded.snapshot.particles.size(),
               command.output.string());
    return 0;
}

}  // namespace aureole::cli
