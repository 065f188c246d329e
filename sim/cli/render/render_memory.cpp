#include "sim/cli/render/render_request.hpp"

#include <fmt/format.h>

#include "sim/cli/density/density_memory.hpp"

namespace aureole::cli {
namespace {

std::string cells_text(const density::CellField& shape)
{
    const std::string cells =
        fmt::format("{} x {} x {} cells", shape.cells[0], shape.cells[1], shape.cells[2]);
    return shape.patches.size() == 1 ? cells : fmt::format("{} patches of {}", shape.patches.size(), cells);
}

void print_field(const RenderCommand& command, const density::CellField& shape, unsigned width,
                 unsigned height)
{
    fmt::print("field         {}, {}\npicture       {} x {} pixels\n", command.field, cells_text(shape),
               width, height);
}

}  // namespace

bool volume_fits(const RenderCommand& command, const VolumeRequest& request, const run::FieldFile& file,
                 const run::DeviceChoice& device)
{
    const density::CellField shape = file.shape();
    const run::VolumeMemory memory =
        run::volume_memory(device.exec.backend, shape, request.look, request.width, request.height);
    const bool on_device = memory.device() > 0;
    if (command.dry_run) {
        fmt::print("device        {}\n", device.description);
        print_field(command, shape, request.width, request.height);
        fmt::print("{}", memory_text(Backend::cpu, memory.host(),
                                     {{"field", memory.field},
                                      {"bricks", memory.bricks},
                                      {"pictures", memory.picture + (on_device ? 0 : memory.light)}}));
        print_available(Backend::cpu, memory.host());
        if (!on_device) return false;
        fmt::print("{}", memory_text(memory.backend, memory.device(),
                                     {{"bricks", memory.bricks}, {"pictures", memory.light}}));
        print_available(memory.backend, memory.device());
        return false;
    }
    const std::string what = fmt::format("field, bricks and pictures of {}", cells_text(shape));
    const std::string less = "fewer cells, a smaller --size or --oversampling";
    expect_available(Backend::cpu, memory.host(), what, less);
    if (on_device)
        expect_available(memory.backend, memory.device(), what, less + ", and --device cpu none of it,");
    return true;
}

bool plane_fits(const RenderCommand& command, const PlaneRequest& request, const run::FieldFile& file)
{
    const density::CellField shape = file.shape();
    const bool weighted = command.slice.empty() && command.field != "Density";
    const std::size_t field = run::field_bytes(shape) * (weighted ? 2 : 1);
    // numbers, those that the scale is chosen from, those of the picture, and the picture
    const std::size_t pixels = std::size_t{request.view.width} * request.view.height;
    const std::size_t picture = pixels * (3 * sizeof(double) + 2 * sizeof(io::Rgb));
    if (command.dry_run) {
        print_field(command, shape, request.view.width, request.view.height);
        fmt::print("{}", memory_text(Backend::cpu, {{weighted ? "field and weight" : "field", field},
                                                    {"picture", picture}}));
        print_available(Backend::cpu, field + picture);
        return false;
    }
    expect_available(
        Backend::cpu, field + picture,
        fmt::format("{} and picture of {}", weighted ? "field, weight" : "field", cells_text(shape)),
        "fewer cells or a smaller --size");
    return true;
}

}  // namespace aureole::cli
