#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "density/deposit/deposit.hpp"
#include "density/points/sheet_points.hpp"
#include "sim/cli/density/density_memory.hpp"
#include "sim/cli/density/density_request.hpp"
#include "sim/cli/find/find_search.hpp"
#include "sim/cli/stop_signal.hpp"
#include "sim/cli/terminal_log.hpp"
#include "sim/core/error.hpp"
#include "sim/io/fields/point_table.hpp"

namespace aureole::cli {
namespace {

// Points are searched in batches: each goes through the lattice once, and its streams are in memory.
constexpr std::size_t first_batch = std::size_t{1} << 16, largest_batch = std::size_t{1} << 20;
constexpr std::size_t streams_in_batch = std::size_t{1} << 20, bytes_per_stream = 160;

/// The number of points that have about streams_in_batch streams, estimated from the points before.
std::size_t next_batch(std::size_t points, std::size_t streams)
{
    if (points == 0) return first_batch;
    const double each = std::max(1.0, static_cast<double>(streams) / static_cast<double>(points));
    return std::clamp(static_cast<std::size_t>(streams_in_batch / each), std::size_t{1} << 10, largest_batch);
}

std::vector<io::PointColumn> columns_of(const DensityFields& fields)
{
    std::vector<io::PointColumn> columns{{"/Coordinates", {"x", "y", "z"}}};
    if (fields.mass) columns.push_back({"/Density", {"density"}});
    if (fields.others.velocity) columns.push_back({"/Velocity", {"vx", "vy", "vz"}});
    if (fields.others.dispersion) columns.push_back({"/VelocityDispersion", {"dispersion"}});
    if (fields.others.streams) columns.push_back({"/NumberOfStreams", {"streams"}, true});
    return columns;
}

void append_row(std::vector<double>& rows, const DensityFields& fields, Vec3 x, const density::PointField& at)
{
    rows.insert(rows.end(), {x.x, x.y, x.z});
    if (fields.mass) rows.push_back(at.density);
    if (fields.others.velocity) rows.insert(rows.end(), {at.velocity.x, at.velocity.y, at.velocity.z});
    if (fields.others.dispersion) rows.push_back(at.dispersion);
    if (fields.others.streams) rows.push_back(at.streams);
}

/// Every stream of every point, for --each-stream.
struct EachStream {
    std::vector<std::int64_t> first;
    std::vector<std::uint64_t> tetrahedron;
    std::vector<double> density, velocity;
    std::vector<std::int32_t> orientation;

    void append(const density::StreamsAtPoints& found)
    {
        for (std::size_t i = 0; i + 1 < found.first.size(); ++i)
            first.push_back(static_cast<std::int64_t>(density.size() + found.first[i]));
        for (const density::Stream& stream : found.streams) {
            tetrahedron.push_back(stream.tetrahedron);
            density.push_back(stream.density);
            velocity.insert(velocity.end(), {stream.velocity.x, stream.velocity.y, stream.velocity.z});
            orientation.push_back(stream.orientation);
        }
    }
    void write(io::PointTableWriter& out, bool velocities) const
    {
        out.add<std::int64_t>("/FirstStream", first);
        out.add<double>("/StreamDensity", density);
        if (velocities) out.add<double>("/StreamVelocity", velocity, 3);
        out.add<std::int32_t>("/StreamOrientation", orientation);
        out.add<std::uint64_t>("/StreamTetrahedron", tetrahedron);
    }
};

void print_plan(const LoadedSnapshot& loaded, std::size_t n_points, const DensityCommand& command,
                const run::DeviceChoice& device)
{
    const std::size_t n = loaded.snapshot.particles.size(), batch = std::min(n_points, largest_batch);
    const auto side = static_cast<Index>(std::cbrt(static_cast<double>(n)) / command.every + 0.5);
    const density::PointsMemory memory = density::points_memory(device.exec.backend, side, batch);
    const std::size_t streams = std::min(3 * n_points, streams_in_batch);
    fmt::print("device        {}\nparticles     {}\npoints        {}\n", device.description, n, n_points);
    fmt::print("{}",
               memory_text(Backend::cpu, {{"particles", n * Particles::bytes_per_particle()},
                                          {"order", 2 * sizeof(Index) * n},
                                          {"points and search", (n_points + batch) * sizeof(Vec3) +
                                                                    memory.tree + streams * bytes_per_stream},
                                          {"chunks", memory.chunks}}));
    print_available(Backend::cpu, 2 * sizeof(Index) * n + batch * sizeof(Vec3) + memory.tree +
                                      streams * bytes_per_stream + memory.chunks);
    if (device.exec.backend == Backend::cpu) return;
    fmt::print("{}", memory_text(device.exec.backend, {{"points", memory.tree}, {"chunks", memory.chunks}}));
    print_available(device.exec.backend, memory.tree + memory.chunks);
}

void print_result(const DensityCommand& command, const density::Lattice& lattice, std::size_t n_points,
                  const std::map<Index, std::size_t>& points_with)
{
    fmt::print("lattice       {}^3 sites, ids from {}, {} runs fastest\n", lattice.side, lattice.first_id,
               lattice.axes.back());
    std::vector<density::StreamVolume> fractions;
    for (const auto& [streams, points] : points_with)
        fractions.push_back({streams, static_cast<double>(points) / static_cast<double>(n_points)});
    fmt::print("streams       of the points {}\n", stream_fractions_text(fractions));
    fmt::print("{} point(s) written to {}\n", n_points, command.output.string());
}

io::Attributes settings_of(const DensityCommand& command, const LoadedSnapshot& loaded, Box box,
                           const density::Lattice& lattice)
{
    io::Attributes settings{{"Method", std::string(attribute_of(density::Method::tetrahedra))},
                            {"BoxSize", box.side},
                            {"Particles", static_cast<std::int64_t>(loaded.snapshot.particles.size())},
                            {"LatticeSide", static_cast<std::int64_t>(lattice.side)},
                            {"LatticeAxes", lattice.axes},
                            {"FirstID", static_cast<std::int64_t>(lattice.first_id)},
                            {"Points", command.points.string()}};
    append_units(settings, loaded);
    return settings;
}

}  // namespace

void expect_point_options(const DensityCommand& command)
{
    if (density::method_of(command.method) != density::Method::tetrahedra)
        throw ConfigError(
            fmt::format("--points: fields at points are those of the phase-space tetrahedra; found --method "
                        "{}, expected tetrahedra",
                        command.method));
    if (command.each_stream && command.output.extension() == ".csv")
        throw ConfigError("--each-stream: a table has one row a point; -o names an HDF5 file for it");
}

int density_at_points(const DensityCommand& command, LoadedSnapshot& loaded)
{
    const run::DeviceChoice device = run::choose_device(command.device);
    const DensityFields fields = density_fields(command);
    expect_velocities(command, loaded.snapshot, fields.others);
    const Box box = box_of(command.box_side, command.open, loaded.snapshot.header);
    const std::vector<Vec3> points = io::read_points(command.points);
    const ParticlesView particles = loaded.snapshot.particles.view();
    if (command.dry_run) {
        print_plan(loaded, points.size(), command, device);
        return 0;
    }
    const density::Lattice lattice =
        density::make_lattice(particles, box, {command.axes, command.first_id, command.every});
    io::PointTableWriter out(command.output, points.size(), columns_of(fields),
                             settings_of(command, loaded, box, lattice), density_provenance(command, device));
    TerminalLog progress(command.quiet);
    const StopSignal signals(false);
    const Progress reported{[&](double fraction, std::string_view) { progress.show("density", fraction); },
                            [&signals] { return signals.requested(); }};
    const auto share = [&](std::size_t n) {
        return static_cast<double>(n) / static_cast<double>(points.size());
    };
    EachStream each;
    std::map<Index, std::size_t> points_with;
    std::size_t n_streams = 0;
    for (std::size_t first = 0; first < points.size();) {
        const std::size_t n = std::min(next_batch(first, n_streams), points.size() - first);
        const auto batch = std::span(points).subspan(first, n);
        const density::StreamsAtPoints found = density::streams_at(
            device.exec, {particles, box, lattice}, batch, reported.part(share(first), share(first + n)));
        std::vector<double> rows;
        for (std::size_t i = 0; i < n; ++i) {
            const density::PointField field = density::field_of(found.at(i));
            append_row(rows, fields, batch[i], field);
            ++points_with[field.streams];
        }
        out.write(rows);
        if (command.each_stream) each.append(found);
        n_streams += found.streams.size();
        first += n;
    }
    progress.finish();
    if (command.each_stream) each.write(out, loaded.snapshot.has_velocities);
    out.commit();
    if (!command.quiet) print_result(command, lattice, points.size(), points_with);
    return 0;
}

}  // namespace aureole::cli
