// `aureole evaluate`: the field of coefficient files, at points and in the units of the files.
// Grids, lists and rays are one sequence of points, each computed when it is needed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>

#include "sim/analysis/expansion_file.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/number_text.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"
#include "sim/core/vec3.hpp"
#include "sim/io/fields/point_table.hpp"
#include "sim/io/text_words.hpp"
#include "sim/run/device_choice.hpp"

namespace aureole::cli {
namespace {

struct EvaluationPoints {
    std::uint64_t size = 0;
    std::function<Vec3(std::uint64_t)> at;
    std::optional<std::array<std::uint64_t, 3>> grid;  ///< points along x, y, z; z runs fastest
};

constexpr std::uint64_t most_points = std::uint64_t{1} << 36;

EvaluationPoints on_grid(const std::array<NumberRange, 3>& axes)
{
    for (const NumberRange& axis : axes)
        if (axis.count > most_points) throw ConfigError(fmt::format("--grid: {} points a side", axis.count));
    const std::uint64_t nx = axes[0].count, ny = axes[1].count, nz = axes[2].count;
    if (ny > most_points / nx || nz > most_points / (nx * ny))
        throw ConfigError(
            fmt::format("--grid: {} x {} x {} points, expected at most {}", nx, ny, nz, most_points));
    const auto at = [axes, ny, nz](std::uint64_t k) {
        return Vec3{axes[0].at(k / (ny * nz)), axes[1].at(k / nz % ny), axes[2].at(k % nz)};
    };
    return {nx * ny * nz, at, std::array{nx, ny, nz}};
}

std::array<NumberRange, 3> axes_of(const EvaluateCommand& command, Vec3 centre)
{
    if (command.grid.find(':') != std::string::npos) {
        if (command.extent) throw ConfigError("--extent belongs to --grid N, not to a grid of ranges");
        std::istringstream stream(command.grid);
        std::vector<NumberRange> axes;
        for (std::string part; std::getline(stream, part, ',');) axes.push_back(parse_range("--grid", part));
        if (axes.size() != 3)
            throw ConfigError(
                fmt::format("--grid: found '{}', expected N or x0:x1:nx,y0:y1:ny,z0:z1:nz", command.grid));
        return {axes[0], axes[1], axes[2]};
    }
    const auto n = io::number_in<std::uint64_t>(command.grid);
    if (!n || *n < 2)
        throw ConfigError(fmt::format(
            "--grid: found '{}', expected N (at least 2) or x0:x1:nx,y0:y1:ny,z0:z1:nz", command.grid));
    if (!command.extent || !(*command.extent > 0) || !std::isfinite(*command.extent))
        throw ConfigError(fmt::format("--grid {} needs --extent L, a length above 0", *n));
    const double side = *command.extent;
    return {NumberRange{centre.x - side, centre.x + side, *n},
            NumberRange{centre.y - side, centre.y + side, *n},
            NumberRange{centre.z - side, centre.z + side, *n}};
}

EvaluationPoints along_ray(const EvaluateCommand& command, Vec3 centre)
{
    const NumberRange range = parse_range("--radii", command.radii);
    if (!(range.from > 0) || !(range.to >= range.from))
        throw ConfigError(
            fmt::format("--radii: found '{}', expected r0:r1:n with 0 < r0 <= r1", command.radii));
    const Vec3 along = parse_vector("--direction", command.direction);
    const double length = std::sqrt(dot(along, along));
    if (!(length > 0) || !std::isfinite(length))
        throw ConfigError(fmt::format("--direction: found '{}', expected a direction", command.direction));
    const NumberRange logarithms{std::log(range.from), std::log(range.to), range.count};
    const auto at = [=](std::uint64_t k) {
        const double r = k == 0 ? range.from : k + 1 == range.count ? range.to : std::exp(logarithms.at(k));
        return centre + r / length * along;
    };
    return {range.count, at, {}};
}

/// Throws ConfigError naming the option, and IoError for a file of points. `centre` is what --extent and
/// --radii are measured from.
EvaluationPoints evaluation_points(const EvaluateCommand& command, Vec3 centre)
{
    if (!command.radii.empty()) return along_ray(command, centre);
    if (!command.points.empty()) {
        // std::function must be copyable: the list is shared, not copied
        const auto list = std::make_shared<const std::vector<Vec3>>(io::read_points(command.points));
        return {list->size(), [list](std::uint64_t k) { return (*list)[k]; }, {}};
    }
    if (command.grid.empty())
        throw ConfigError(
            "expected points: --grid N --extent L, --grid x0:x1:nx,..., --points FILE or --radii r0:r1:n");
    std::array<NumberRange, 3> axes = axes_of(command, centre);
    if (command.plane) axes[2] = {centre.z, centre.z, 1};
    return on_grid(axes);
}

namespace scf = gravity::scf;

/// Points computed and written at a time.
constexpr std::uint64_t batch_points = std::uint64_t{1} << 18;

/// The coefficients of one file at the chosen time.
struct Source {
    scf::Basis basis;
    scf::Coefficients coefficients;
};

scf::Coefficients moment_of(const EvaluateCommand& command, const scf::CoefficientSeries& series,
                            const std::string& name)
{
    const auto& moments = series.moments;
    if (command.moment) {
        if (*command.moment >= moments.size())
            throw ConfigError(fmt::format("--moment {}: {} has moments 0 to {}", *command.moment, name,
                                          moments.size() - 1));
        return moments[*command.moment];
    }
    if (!command.time) return moments.back();
    if (!std::isfinite(*command.time)) throw ConfigError(fmt::format("--time: found {}", *command.time));
    if (*command.time < moments.front().time || *command.time > moments.back().time)
        fmt::print("note: {} reaches from time {} to {}; the nearest moment stands for {}\n", name,
                   moments.front().time, moments.back().time, *command.time);
    return scf::interpolate(series, *command.time);
}

/// The first file without its numbers, for what all files share.
io::CoefficientFile load(const EvaluateCommand& command, std::vector<Source>& sources)
{
    io::CoefficientFile first;
    for (const auto& path : command.coefficients) {
        const io::CoefficientFile file = run::restored_nbody(io::read_coefficients(path));
        if (sources.empty()) first = file;
        if (file.units != first.units || file.gravitational_constant != first.gravitational_constant)
            throw ConfigError(
                fmt::format("{}: is in other units (G = {}) than {} (G = {}); fields add up in one "
                            "system only",
                            path.string(), file.gravitational_constant, command.coefficients[0].string(),
                            first.gravitational_constant));
        const scf::CoefficientSeries series = run::to_series(file);
        sources.push_back({series.basis, moment_of(command, series, path.string())});
    }
    first.moments.clear();
    return first;
}

io::Attributes attributes_of(const io::CoefficientFile& first, double time, const EvaluationPoints& points,
                             Precision precision)
{
    io::Attributes attributes{{"Time", time},
                              {"G", first.gravitational_constant},
                              {"Units", std::string(first.units ? "of the snapshot" : "nbody")},
                              {"Precision", std::string(name_of(precision))}};
    if (first.units) {
        attributes.emplace_back("UnitLength_in_cm", first.units->length_cm);
        attributes.emplace_back("UnitMass_in_g", first.units->mass_g);
        attributes.emplace_back("UnitVelocity_in_cm_per_s", first.units->velocity_cm_per_s);
    }
    if (points.grid)
        for (std::size_t axis = 0; axis < 3; ++axis)
            attributes.emplace_back(fmt::format("GridPoints{}", "XYZ"[axis]),
                                    static_cast<std::int64_t>((*points.grid)[axis]));
    return attributes;
}

io::Provenance provenance_of_field(const EvaluateCommand& command, const run::Config& config,
                                   const run::DeviceChoice& device)
{
    std::string inputs;
    for (const auto& path : command.coefficients) inputs += (inputs.empty() ? "" : ", ") + path.string();
    io::Provenance provenance = provenance_of(maker(command.compute.command_line), device);
    provenance.emplace_back("Configuration", run::to_yaml(config));
    provenance.emplace_back("Input", inputs);
    return provenance;
}

/// Returns the number of points where the density is infinite.
std::uint64_t write_field(run::ExpansionField& field, const EvaluationPoints& points, io::FieldWriter& out)
{
    std::uint64_t infinite = 0;
    std::vector<io::FieldValue> batch;
    for (std::uint64_t first = 0; first < points.size; first += batch_points) {
        batch.resize(std::min(batch_points, points.size - first));
        for (std::size_t k = 0; k < batch.size(); ++k) batch[k].position = points.at(first + k);
        field.evaluate(batch);
        for (const io::FieldValue& value : batch)
            if (!std::isfinite(value.potential + value.acceleration.x + value.acceleration.y +
                               value.acceleration.z))
                throw Error(
                    fmt::format("the field at ({}, {}, {}) is not finite: too far away or too large for its "
                                "numbers; --set precision=double reaches further",
                                value.position.x, value.position.y, value.position.z));
        infinite += static_cast<std::uint64_t>(std::ranges::count_if(
            batch, [](const io::FieldValue& value) { return !std::isfinite(value.density); }));
        out.write(batch);
    }
    return infinite;
}

}  // namespace

int evaluate_command(const EvaluateCommand& command)
{
    std::vector<std::filesystem::path> inputs = command.coefficients;
    inputs.push_back(command.points);
    expect_safe_outputs({{"-o", command.output}}, inputs);
    const run::Config config = config_from_overrides(command.compute.overrides);
    const run::DeviceChoice device = run::choose_device(command.compute.device);
    std::vector<Source> sources;
    const io::CoefficientFile first = load(command, sources);
    const double time = sources[0].coefficients.time;
    for (std::size_t k = 1; k < sources.size(); ++k)
        if (sources[k].coefficients.time != time)
            fmt::print("note: {} is taken at time {}, {} at {}; --time chooses one\n",
                       command.coefficients[0].string(), time, command.coefficients[k].string(),
                       sources[k].coefficients.time);

    const EvaluationPoints points = evaluation_points(command, sources[0].coefficients.centre);
    run::ExpansionField field(device.exec, config.precision);
    for (const Source& source : sources)
        field.add(source.basis, source.coefficients, first.gravitational_constant);
    io::FieldWriter out(command.output, points.size, attributes_of(first, time, points, config.precision),
                        provenance_of_field(command, config, device));
    const std::uint64_t infinite = write_field(field, points, out);
    out.commit();
    fmt::print(
        "density, potential and acceleration of {} file(s) at {} point(s), time {} ({}), written to {}; G = "
        "{}\n",
        sources.size(), points.size, time, device.description, command.output.string(),
        first.gravitational_constant);
    if (infinite > 0)
        fmt::print("note: the density is infinite at {} point(s), the centre of a cusp; written as inf\n",
                   infinite);
    return 0;
}

}  // namespace aureole::cli
