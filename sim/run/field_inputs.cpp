#include "sim/run/field_inputs.hpp"

#include <cmath>
#include <optional>

#include "sim/core/error.hpp"
#include "sim/io/binary_numbers.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "sim/run/comoving.hpp"

namespace aureole::run {
namespace {

/// n where `count` is n^3.
std::optional<int> cube_root(std::uint64_t count)
{
    const auto n = static_cast<std::uint64_t>(std::llround(std::cbrt(static_cast<double>(count))));
    if (n < 1 || n > 16384 || n * n * n != count) return std::nullopt;
    return static_cast<int>(n);
}

/// Sites of a file, in units of its box.
std::vector<Vec3> read_sites(const std::filesystem::path& file)
{
    io::Snapshot snapshot = io::read_snapshot(file);
    const double side = snapshot.header.box_size;
    if (!(side > 0))
        throw ConfigError(
            fmt::format("{}: states no box (BoxSize is {}), expected positions in a periodic box for "
                        "field.load_file",
                        file.string(), side));
    if (snapshot.particles.size() == 0)
        throw ConfigError(fmt::format("{}: holds no particles, expected sites", file.string()));
    wrap_into({side}, snapshot.particles, file);
    std::vector<Vec3> sites(snapshot.particles.size());
    const Box unit{1};
    for (std::size_t i = 0; i < sites.size(); ++i)
        sites[i] = unit.wrap(1 / side * snapshot.particles.position.load(i));
    return sites;
}

/// How often a tile of that many sites is repeated along an axis.
int tiles_of(const ics::CosmologicalField& field, std::uint64_t sites)
{
    if (field.load == ics::Load::file) return 1;
    if (field.tiles) return *field.tiles;
    const auto n = static_cast<std::uint64_t>(field.grid);
    const auto tiles = n * n * n % sites == 0 ? cube_root(n * n * n / sites) : std::nullopt;
    if (!tiles)
        throw ConfigError(fmt::format(
            "{}: holds {} sites, which repeated along all axes never make the {}^3 of field.grid; expected "
            "field.tiles, or another grid",
            field.load_file.string(), sites, field.grid));
    return *tiles;
}

/// Points a side of GRAFIC's white noise, whose first record holds three of them and a seed.
std::optional<int> grafic_points(io::BinaryInput& file)
{
    constexpr std::uint64_t header = 24;
    constexpr std::int32_t bytes_of_header = 16;
    if (file.size() < header) return std::nullopt;
    for (const auto order : {std::endian::little, std::endian::big}) {
        file.set_order(order);
        const auto word = [&](std::uint64_t k) { return file.value<std::int32_t>(4 * k); };
        const std::int32_t n = word(1);
        if (word(0) != bytes_of_header || word(5) != bytes_of_header || n != word(2) || n != word(3))
            continue;
        const auto points = static_cast<std::uint64_t>(n > 0 && n <= 16384 ? n : 0);
        if (points > 0 && file.size() == header + points * (4 * points * points + 8)) return n;
    }
    return std::nullopt;
}

ics::WhiteNoise read_grafic(io::BinaryInput& file, int n)
{
    const auto points = static_cast<std::uint64_t>(n), plane = points * points;
    ics::WhiteNoise noise{n, std::vector<double>(plane * points)};
    for (std::uint64_t z = 0; z < points; ++z) {
        const std::uint64_t record = 24 + z * (4 * plane + 8);
        for (const std::uint64_t at : {record, record + 4 + 4 * plane})
            if (const auto length = file.value<std::uint32_t>(at); length != 4 * plane)
                throw IoError(fmt::format("{}: the record of plane {} says that it has {} bytes, expected {}",
                                          file.name(), z, length, 4 * plane));
        file.each<float>(record + 4, plane, [&](std::uint64_t k, float value) {
            noise.values[(k % points * points + k / points) * points + z] = value;
        });
    }
    return noise;
}

template <class T>
ics::WhiteNoise read_plain(io::BinaryInput& file, int n)
{
    file.set_order(std::endian::little);
    ics::WhiteNoise noise{n, std::vector<double>(file.size() / sizeof(T))};
    file.each<T>(0, noise.values.size(), [&](std::uint64_t k, T value) { noise.values[k] = value; });
    return noise;
}

ics::WhiteNoise read_any(io::BinaryInput& file)
{
    const std::uint64_t bytes = file.size();
    if (const auto n = grafic_points(file)) return read_grafic(file, *n);
    if (const auto n = bytes % 4 == 0 ? cube_root(bytes / 4) : std::nullopt)
        return read_plain<float>(file, *n);
    if (const auto n = bytes % 8 == 0 ? cube_root(bytes / 8) : std::nullopt)
        return read_plain<double>(file, *n);
    throw IoError(fmt::format(
        "{}: has {} bytes, expected n^3 numbers of 4 or 8 bytes, or GRAFIC's header with n planes of n^2 "
        "numbers of 4",
        file.name(), bytes));
}

}  // namespace

ics::WhiteNoise read_white_noise(const std::filesystem::path& path)
{
    io::BinaryInput file(path);
    ics::WhiteNoise noise = read_any(file);
    for (std::size_t k = 0; k < noise.values.size(); ++k)
        if (!std::isfinite(noise.values[k]))
            throw IoError(
                fmt::format("{}: number {} is {}, expected a finite one", path.string(), k, noise.values[k]));
    return noise;
}

void read_field_inputs(ics::CosmologicalField& field, ics::Universe& universe,
                       std::vector<std::string>& notes)
{
    if (ics::is_tiled(field.load) && !field.load_file.empty()) {
        universe.tile.sites = read_sites(field.load_file);
        const auto in_tile = static_cast<std::uint64_t>(universe.tile.sites.size());
        universe.tile.count = tiles_of(field, in_tile);
        const auto tiles = static_cast<std::uint64_t>(universe.tile.count);
        field.sites = in_tile * tiles * tiles * tiles;
    }
    if (field.phases != ics::Phases::file) return;
    universe.white_noise = read_white_noise(field.phases_file);
    double square = 0;
    for (const double value : universe.white_noise.values) square += value * value;
    const auto n = static_cast<double>(universe.white_noise.values.size());
    constexpr double standard_errors = 10;
    if (const double variance = square / n; std::abs(variance - 1) > standard_errors * std::sqrt(2 / n))
        notes.push_back(fmt::format("{}: its numbers have the mean square {:.4g}, that of white noise is 1",
                                    field.phases_file.string(), variance));
}

}  // namespace aureole::run
