#include "sim/cli/commands/evaluation_points.hpp"

#include <cmath>
#include <memory>
#include <sstream>

#include "sim/cli/number_text.hpp"
#include "sim/core/error.hpp"
#include "sim/io/fields/points_file.hpp"
#include "sim/io/text_words.hpp"

namespace aureole::cli {
namespace {

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

}  // namespace

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

}  // namespace aureole::cli
