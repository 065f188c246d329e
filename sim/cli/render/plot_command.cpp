#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/cli/commands.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/number_text.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/halos/labels_file.hpp"
#include "sim/io/images/image.hpp"
#include "sim/pictures/picture.hpp"

namespace aureole::cli {

namespace {

/// The halo of each particle where the colours need it; throws ArgumentError when the options disagree.
std::vector<std::int32_t> labels_for(const PlotCommand& command, const PictureOptions& options,
                                     const Particles& host)
{
    const bool needed = options.colour_by == ColourBy::halo;
    if (needed == command.members.empty())
        throw ArgumentError(needed ? "--colour-by halo: found no --members, expected the file that tells the "
                                     "halo of each particle (find --labels writes one)"
                                   : "--members: found a file, expected none without --colour-by halo");
    if (!needed) return {};
    const auto numbers = io::read_memberships(command.members, host.id.host());
    std::vector<std::int32_t> labels(numbers.size());
    std::ranges::transform(numbers, labels.begin(), [](std::int64_t number) {
        return number < 0 ? -1 : static_cast<std::int32_t>(number % std::numeric_limits<std::int32_t>::max());
    });
    return labels;
}

/// The circles in the snapshot's unit of length, which need not be the catalogue's.
std::vector<HaloCircle> circles_of(const std::filesystem::path& file, const run::RunUnits& units)
{
    const io::CatalogueFile catalogue = io::read_catalogue(file);
    return halo_circles(catalogue.groups, catalogue_scales(catalogue.header, units).length);
}

}  // namespace

int plot_command(const PlotCommand& command)
{
    expect_png_name(command.output);
    expect_safe_outputs({{"-o", command.output}}, {command.snapshot, command.catalogue});
    LoadedSnapshot loaded = load_snapshot(command.snapshot, command.units);
    const io::SnapshotHeader& header = loaded.snapshot.header;
    PictureOptions options;
    options.axis = command.axis;
    options.width = command.width;
    options.side = header.box_size;
    options.pixels = command.pixels;
    options.colour_by = command.colour_by_component ? ColourBy::component : colour_by_of(command.colour_by);
    options.length_unit = loaded.units.name(run::Quantity::length);
    options.time_text = header.comoving ? fmt::format("z = {:.3g}", shown_redshift(header.redshift))
                                        : "t = " + run::time_text(header.time, loaded.units);
    if (!command.catalogue.empty()) options.halos = circles_of(command.catalogue, loaded.units);
    io::Provenance provenance = provenance_of(maker(command.command_line), run::choose_device("cpu"));
    provenance.emplace_back("Input", command.snapshot.string());
    const std::vector<std::int32_t> labels = labels_for(command, options, loaded.snapshot.particles);
    io::write_png(command.output, make_picture(loaded.snapshot.particles, options, labels.data()),
                  provenance);
    fmt::print("picture of {} particles written to {}\n", loaded.snapshot.particles.size(),
               command.output.string());
    return 0;
}

}  // namespace aureole::cli
