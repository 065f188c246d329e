// `aureole evaluate`: the field of coefficient files, at points and in the units of the files.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/analysis/expansion_field.hpp"
#include "sim/analysis/expansion_file.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/commands/evaluation_points.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/loaded_snapshot.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"
#include "sim/run/device_choice.hpp"

namespace aureole::cli {
namespace {

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
