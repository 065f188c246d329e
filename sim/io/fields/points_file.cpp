#include "sim/io/fields/points_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "sim/io/snapshots/text_table.hpp"
#include "sim/io/text_words.hpp"

namespace aureole::io {
namespace {

/// Which words of a line are x, y and z, and how many there are.
struct Columns {
    std::size_t at[3] = {0, 1, 2}, count = 3;
};

/// Nothing unless a line names x, y and z.
std::optional<Columns> named_columns(const std::vector<std::string_view>& words)
{
    Columns columns{{}, words.size()};
    for (std::size_t k = 0; k < 3; ++k) {
        const auto found = std::ranges::find(words, std::string_view("xyz").substr(k, 1));
        if (found == words.end()) return std::nullopt;
        columns.at[k] = static_cast<std::size_t>(found - words.begin());
    }
    return columns;
}

std::optional<Vec3> point_in(const std::vector<std::string_view>& words, const Columns& columns)
{
    if (words.size() != columns.count) return std::nullopt;
    double x[3];
    for (std::size_t k = 0; k < 3; ++k) {
        const auto value = number_in<double>(words[columns.at[k]]);
        if (!value || !std::isfinite(*value)) return std::nullopt;
        x[k] = *value;
    }
    return Vec3{x[0], x[1], x[2]};
}

std::vector<Vec3> read_text(const std::filesystem::path& file)
{
    std::ifstream stream = open_text(file);
    std::vector<Vec3> points;
    Columns columns;
    std::uint64_t line_number = 0;
    bool first = true;
    for (std::string line; std::getline(stream, line);) {
        ++line_number;
        const auto words = split_words(line);
        if (words.empty()) continue;
        const auto named = first ? named_columns(words) : std::nullopt;
        first = false;
        if (named) {
            columns = *named;
            continue;
        }
        const auto point = point_in(words, columns);
        if (!point)
            throw IoError(fmt::format(
                "{}, line {}: found '{}', expected {}", file.string(), line_number, line.substr(0, 60),
                columns.count == 3
                    ? std::string("three finite numbers x y z")
                    : fmt::format("{} columns as in the line of names, x, y and z finite", columns.count)));
        points.push_back(*point);
    }
    if (stream.bad())
        throw IoError(fmt::format("{}: reading failed after line {}", file.string(), line_number));
    return points;
}

std::vector<Vec3> of_snapshot(const std::filesystem::path& file)
{
    Snapshot snapshot = read_snapshot(file);
    const ParticlesView p = snapshot.particles.view();
    std::vector<Vec3> points(p.n);
    for (Index i = 0; i < p.n; ++i) points[i] = p.position.load(i);
    return points;
}

bool lists_points(const std::filesystem::path& file)
{
    std::error_code ignored;  // of several files only the base name may be given
    return is_hdf5(file) && std::filesystem::is_regular_file(file, ignored) &&
           Hdf5File::open(file).has_dataset("/Coordinates");
}

std::vector<Vec3> read_hdf5(const std::filesystem::path& file)
{
    const Hdf5Dataset set = Hdf5File::open(file).dataset("/Coordinates");
    if (set.width() != 3)
        throw IoError(fmt::format("{} is [{}, {}], expected [N, 3]", set.label(), set.rows(), set.width()));
    std::vector<Vec3> points(set.rows());
    for_each_row<double>(set, [&](std::size_t row, const double* x) {
        if (!std::isfinite(x[0] + x[1] + x[2]))
            throw IoError(fmt::format("{}: point {} is ({}, {}, {}), expected finite numbers", set.label(),
                                      row, x[0], x[1], x[2]));
        points[row] = {x[0], x[1], x[2]};
    });
    return points;
}

}  // namespace

std::vector<Vec3> read_points(const std::filesystem::path& file)
{
    std::error_code ignored;
    const bool stored = std::filesystem::is_regular_file(file, ignored);  // else refused as text
    const bool text = !is_hdf5(file) && (!stored || is_text(file));
    std::vector<Vec3> points = text                 ? read_text(file)
                               : lists_points(file) ? read_hdf5(file)
                                                    : of_snapshot(file);
    if (points.empty()) throw IoError(fmt::format("{}: holds no point", file.string()));
    return points;
}

}  // namespace aureole::io
