// `aureole render`: pictures of what `aureole density` wrote: slices, projections, volumes, films.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "sim/cli/commands.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/render/render_request.hpp"
#include "sim/cli/stop_signal.hpp"
#include "sim/cli/terminal_log.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"
#include "sim/io/fields/grid_file.hpp"
#include "sim/pictures/field_picture.hpp"
#include "sim/pictures/volume_painter.hpp"
#include "sim/run/run_provenance.hpp"

namespace aureole::cli {
namespace {

using density::CellField;
using density::PlaneView;

std::string with_unit(const std::string& name, const std::string& unit)
{
    return unit.empty() ? name : name + " [" + unit + "]";
}

/// What a plane shows, and how it is called.
struct Plane {
    std::vector<double> values;
    std::string name, unit;
    bool about_zero = false;
};

bool signed_field(const std::string& field) { return field.find(':') != std::string::npos; }

/// Densities are integrated; anything else is a mean, by mass where the file knows it.
Plane projected(const RenderCommand& command, const run::FieldFile& file, const CellField& field,
                const PlaneView& view, const Progress& progress)
{
    if (command.field == "Density")
        return {density::projection(field, view, progress), "Surface density", file.surface_density_unit()};
    Plane plane{{}, "Mean " + command.field, file.unit_of(command.field), signed_field(command.field)};
    CellField weight;
    if (file.has("Density")) {
        weight = file.read("Density");
        plane.name = "Mass-weighted " + command.field;
    } else {
        weight = field;
        weight.values.assign(field.values.size(), 1.0);
    }
    plane.values = density::weighted_mean(field, weight, view, progress);
    return plane;
}

io::Attributes settings_of(const RenderCommand& command, const PlaneView& view, const Plane& plane, double at)
{
    io::Attributes settings{
        {"Quantity", plane.name}, {"Unit", plane.unit}, {"Axis", std::string(1, "xyz"[view.axis])}};
    if (!command.slice.empty()) settings.emplace_back("Coordinate", at);
    for (int a = 0; a < 3; ++a) {
        settings.emplace_back(fmt::format("RegionLow_{}", "xyz"[a]), density::along(view.low, a));
        settings.emplace_back(fmt::format("RegionHigh_{}", "xyz"[a]), density::along(view.high, a));
    }
    return settings;
}

io::Provenance provenance_of_picture(const RenderCommand& command, const run::DeviceChoice& device)
{
    io::Provenance provenance = run::provenance_of(maker(command.command_line), device);
    provenance.emplace_back("Input", command.file.string());
    return provenance;
}

void render_plane(const RenderCommand& command, const run::FieldFile& file)
{
    const PlaneRequest request = plane_request(command, file.low(), file.high());
    if (!plane_fits(command, request, file)) return;
    const StopSignal signals(false);
    const Progress progress{{}, [&signals] { return signals.requested(); }};
    const CellField field = file.read(command.field);
    const bool slice = !command.slice.empty();
    Plane plane = slice ? Plane{density::slice(field, request.view, request.at, progress), command.field,
                                file.unit_of(command.field), signed_field(command.field)}
                        : projected(command, file, field, request.view, progress);
    const bool logarithmic = logarithmic_scale(command, !plane.about_zero);
    run::FieldPicture picture{
        request.view,       plane.values,    {}, command.colours, with_unit(plane.name, plane.unit),
        file.length_unit(), file.time_text()};
    if (picture.colours.empty()) picture.colours = plane.about_zero && !logarithmic ? "diverging" : "fire";
    picture.scale = command.range.empty() ? run::automatic_scale(plane.values, logarithmic, plane.about_zero)
                                          : colour_scale(command.range, logarithmic);
    if (slice)
        picture.note += fmt::format("{}{} = {:.6g} {}", picture.note.empty() ? "" : ", ",
                                    "xyz"[request.view.axis], request.at, file.length_unit());
    const io::Provenance provenance = provenance_of_picture(command, run::choose_device("cpu"));
    io::write_png(command.output, run::field_picture(picture, command.bare), provenance);
    if (!command.raw.empty())
        io::write_plane(command.raw, plane.values, request.view.width,
                        settings_of(command, request.view, plane, request.at), provenance);
    if (!command.quiet)
        fmt::print("{} x {} pixels of {} from {:.4g} to {:.4g} written to {}\n", request.view.width,
                   request.view.height, picture.title, picture.scale.low, picture.scale.high,
                   command.output.string());
}

/// The file of frame k: the name with its number, or as it is when there is one frame.
std::filesystem::path frame_file(const std::filesystem::path& output, std::size_t k, std::size_t frames)
{
    if (frames == 1) return output;
    return output.parent_path() /
           fmt::format("{}_{:04}{}", output.stem().string(), k, output.extension().string());
}

/// The height of what a camera shows at the distance that it looks at.
double view_height(const density::Camera& camera)
{
    if (camera.height > 0) return camera.height;
    const Vec3 sight = camera.look_at - camera.position;
    return 2 * std::tan(camera.field_of_view * std::numbers::pi / 360) * std::sqrt(dot(sight, sight));
}

/// The scale of every frame of a zoom: that of what is in view, and never fainter than that of the whole.
std::vector<run::ColourScale> scales_of_zoom(const CellField& field, const VolumeRequest& request,
                                             const run::ColourScale& whole)
{
    std::vector<run::ColourScale> scales;
    for (const density::Camera& camera : request.cameras) {
        run::ColourScale scale =
            run::automatic_volume_scale(field, whole.logarithmic, camera.look_at, 0.5 * view_height(camera));
        scale.low = std::max(scale.low, whole.low);
        scale.high = std::max(scale.high, whole.high);
        scales.push_back(scale);
    }
    return scales;
}

/// With the scale of each frame where a zoom has no --range. The field is gone once its bricks are made.
run::VolumePainter painter_of(const RenderCommand& command, const VolumeRequest& request,
                              const run::FieldFile& file, const run::DeviceChoice& device,
                              std::vector<run::ColourScale>& scales)
{
    const CellField field = file.read(command.field);
    run::VolumeLook look = request.look;
    const bool logarithmic = logarithmic_scale(command, !signed_field(command.field));
    look.scale = command.range.empty() ? run::automatic_volume_scale(field, logarithmic)
                                       : colour_scale(command.range, logarithmic);
    if (command.range.empty() && !command.zoom_to.empty())
        scales = scales_of_zoom(field, request, look.scale);
    return {device.exec, field, look};
}

void render_volume(const RenderCommand& command, const run::FieldFile& file)
{
    const VolumeRequest request = volume_request(command, file.low(), file.high());
    const run::DeviceChoice device = run::choose_device(command.device);
    if (!volume_fits(command, request, file, device)) return;
    const StopSignal signals(false);
    std::vector<run::ColourScale> scales;
    run::VolumePainter painter = painter_of(command, request, file, device, scales);
    const std::size_t frames = request.cameras.size();
    for (std::size_t k = 0; k < frames; ++k)
        expect_safe_outputs({{"-o", frame_file(command.output, k, frames)}}, {command.file, command.path});
    TerminalLog progress(command.quiet || frames == 1);
    const auto begin = std::chrono::steady_clock::now();
    const Progress reported{[&](double fraction, std::string_view) { progress.show("frames", fraction); },
                            [&signals] { return signals.requested(); }};
    const auto share = [&](std::size_t k) { return static_cast<double>(k) / static_cast<double>(frames); };
    for (std::size_t k = 0; k < frames; ++k) {
        if (!scales.empty()) painter.set_scale(scales[k]);
        io::write_png(frame_file(command.output, k, frames),
                      painter.picture(request.cameras[k], request.width, request.height,
                                      reported.part(share(k), share(k + 1))),
                      provenance_of_picture(command, device));
    }
    progress.finish();
    if (command.quiet) return;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    fmt::print(
        "{} of {} from {:.4g} to {:.4g} on {}, {:.1f} MB; {} x {} pixels, {:.2g} s a frame, written to {}\n",
        frames == 1 ? "a view" : fmt::format("{} views", frames), command.field, painter.look().scale.low,
        painter.look().scale.high, device.description, static_cast<double>(painter.bytes()) / 1e6,
        request.width, request.height, elapsed.count() / static_cast<double>(frames),
        frame_file(command.output, 0, frames).string());
}

}  // namespace

int render_command(const RenderCommand& command)
{
    expect_png_name(command.output);
    expect_safe_outputs({{"-o", command.output}, {"--raw", command.raw}}, {command.file, command.path});
    const run::FieldFile file(command.file);
    file.expect_field(command.field);
    if (command.volume)
        render_volume(command, file);
    else
        render_plane(command, file);
    return 0;
}

}  // namespace aureole::cli
