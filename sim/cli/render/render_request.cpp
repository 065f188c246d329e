#include "sim/cli/render/render_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/cli/density/density_memory.hpp"
#include "sim/cli/number_text.hpp"
#include "sim/core/error.hpp"
#include "sim/io/text_words.hpp"

namespace aureole::cli {
namespace {

struct Size {
    unsigned width, height;
};

Size size_of(const std::string& text)
{
    const std::vector<std::string> words = parted(text, 'x');
    const auto width = words.size() == 2 ? io::number_in<std::uint32_t>(words[0]) : std::nullopt;
    const auto height = words.size() == 2 ? io::number_in<std::uint32_t>(words[1]) : std::nullopt;
    if (!width || !height || *width < 16 || *height < 16 || *width > 16384 || *height > 16384)
        throw ConfigError(fmt::format(
            "--size: found '{}', expected WIDTHxHEIGHT of 16 to 16384 pixels, as 1920x1080", text));
    return {*width, *height};
}

std::pair<double, double> range_of(const std::string& option, const std::string& text)
{
    const std::vector<std::string> ends = parted(text, ':');
    const auto low = ends.size() == 2 ? io::number_in<double>(ends[0]) : std::nullopt;
    const auto high = ends.size() == 2 ? io::number_in<double>(ends[1]) : std::nullopt;
    if (!low || !high || !(*low < *high) || !std::isfinite(*high - *low))
        throw ConfigError(
            fmt::format("{}: found '{}', expected two growing numbers, as 0.1:1000", option, text));
    return {*low, *high};
}

int axis_of(const std::string& option, const std::string& text)
{
    const std::size_t axis = text.size() == 1 ? std::string("xyz").find(text) : std::string::npos;
    if (axis == std::string::npos)
        throw ConfigError(fmt::format("{}: found '{}', expected an axis, x, y or z", option, text));
    return static_cast<int>(axis);
}

void set(Vec3& v, int axis, double value) { (axis == 0 ? v.x : axis == 1 ? v.y : v.z) = value; }

void clip_to_region(density::PlaneView& view, const std::string& text)
{
    if (text.empty()) return;
    const std::vector<std::string> ranges = parted(text, ',');
    if (ranges.size() != 3)
        throw ConfigError(fmt::format("--region: found '{}', expected x0:x1,y0:y1,z0:z1", text));
    for (int a = 0; a < 3; ++a) {
        const auto [low, high] = range_of("--region", ranges[static_cast<std::size_t>(a)]);
        if (low < density::along(view.low, a) || high > density::along(view.high, a))
            throw ConfigError(fmt::format("--region: found {}:{} along {}, the field reaches from {} to {}",
                                          low, high, "xyz"[a], density::along(view.low, a),
                                          density::along(view.high, a)));
        set(view.low, a, low);
        set(view.high, a, high);
    }
}

/// The largest picture of the field's shape that fits into the size.
void fit(density::PlaneView& view, Size size)
{
    const double across = density::along(view.high - view.low, view.right());
    const double up = density::along(view.high - view.low, view.up());
    const double scale = std::min(size.width / across, size.height / up);
    const auto pixels = [&](double length) {
        return static_cast<unsigned>(std::max(1.0, std::round(length * scale)));
    };
    view.width = pixels(across);
    view.height = pixels(up);
}

density::Camera camera_of(const RenderCommand& command, Vec3 low, Vec3 high)
{
    density::Camera camera = density::camera_on(low, high);
    if (!command.look_at.empty()) {
        const Vec3 aim = parse_vector("--look-at", command.look_at);
        camera.position = camera.position + (aim - camera.look_at);
        camera.look_at = aim;
    }
    if (!command.camera.empty()) camera.position = parse_vector("--camera", command.camera);
    if (!command.up.empty()) camera.up = parse_vector("--up", command.up);
    if (command.field_of_view) camera.field_of_view = *command.field_of_view;
    if (command.parallel) {
        if (!(*command.parallel > 0))
            throw ConfigError(
                fmt::format("--parallel: found {}, expected a height above 0", *command.parallel));
        camera.height = *command.parallel;
    }
    return camera;
}

std::vector<density::Camera> cameras_of(const RenderCommand& command, const density::Camera& first)
{
    if (!command.path.empty()) return run::read_camera_path(command.path, first);
    if (command.zoom_to.empty()) return {first};
    return run::zoom_path(first, {.target = parse_vector("--zoom-to", command.zoom_to),
                                  .factor = command.zoom,
                                  .turn = command.turn,
                                  .frames = command.frames});
}

}  // namespace

PlaneRequest plane_request(const RenderCommand& command, Vec3 low, Vec3 high)
{
    PlaneRequest request{{.axis = 2, .low = low, .high = high}};
    density::PlaneView& view = request.view;
    std::vector<std::string> words = parted(command.slice, '=');
    const bool slice = !command.slice.empty();
    view.axis = slice ? axis_of("--slice", words[0]) : axis_of("--projection", command.projection);
    clip_to_region(view, command.region);
    fit(view, size_of(command.size));
    if (!slice) return request;
    const double first = density::along(view.low, view.axis), last = density::along(view.high, view.axis);
    request.at = 0.5 * (first + last);
    if (words.size() == 1) return request;
    const auto at = words.size() == 2 ? io::number_in<double>(words[1]) : std::nullopt;
    if (!at)
        throw ConfigError(
            fmt::format("--slice: found '{}', expected an axis and a coordinate, as z=0.5", command.slice));
    if (!(*at >= first && *at <= last))
        throw ConfigError(fmt::format("--slice: found {} = {}, the field reaches from {} to {}", words[0],
                                      *at, first, last));
    request.at = *at;
    return request;
}

VolumeRequest volume_request(const RenderCommand& command, Vec3 low, Vec3 high)
{
    VolumeRequest request;
    const Size size = size_of(command.size);
    request.width = size.width;
    request.height = size.height;
    const density::Camera first = camera_of(command, low, high);
    density::camera_view(first, size.width, size.height);  // refuses what cannot be looked through
    request.cameras = cameras_of(command, first);
    if (!command.colours.empty()) request.look.colours = command.colours;
    request.look.opacity = command.opacity.value_or(request.look.opacity);
    request.look.steepness = command.steepness.value_or(request.look.steepness);
    request.look.glow = command.glow.value_or(request.look.glow);
    request.look.exposure = command.exposure.value_or(request.look.exposure);
    request.look.samples = command.samples.value_or(request.look.samples);
    request.look.oversampling = command.oversampling;
    request.look.interpolate = !command.cells;
    return request;
}

run::ColourScale colour_scale(const std::string& range, bool logarithmic)
{
    const auto [low, high] = range_of("--range", range);
    if (logarithmic && !(low > 0))
        throw ConfigError(
            fmt::format("--range: found {}, a logarithmic scale begins above 0; or --scale linear", range));
    return {low, high, logarithmic};
}

bool logarithmic_scale(const RenderCommand& command, bool otherwise)
{
    return command.scale.empty() ? otherwise : command.scale == "logarithmic";
}

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
