#include "sim/io/points_file.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/io/gadget_hdf5.hpp"
#include "sim/io/hdf5_fields.hpp"
#include "sim/io/text_words.hpp"

namespace aureole::io {
namespace {

std::vector<Vec3> read_text(const std::filesystem::path& file)
{
    std::ifstream stream = open_text(file);
    std::vector<Vec3> points;
    std::uint64_t line_number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++line_number;
        const auto words = split_words(line);
        if (words.empty()) continue;
        double x[3];
        bool good = words.size() == 3;
        for (std::size_t k = 0; good && k < 3; ++k) {
            const auto value = number_in<double>(words[k]);
            good = value && std::isfinite(*value);
            if (good) x[k] = *value;
        }
        if (!good)
            throw IoError(fmt::format("{}, line {}: found '{}', expected three finite numbers x y z",
                                      file.string(), line_number, line.substr(0, 60)));
        points.push_back({x[0], x[1], x[2]});
    }
    if (stream.bad())
        throw IoError(fmt::format("{}: reading failed after line {}", file.string(), line_number));
    return points;
}

std::vector<Vec3> read_hdf5(const std::filesystem::path& file)
{
    const Hdf5Dataset set = Hdf5File::open(file).dataset("/Coordinates");
    if (set.width() != 3)
        throw IoError(fmt::format("{} is [{}, {}], expected [N, 3]", set.label(), set.rows(), set.width()));
    set.expect_stored();
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
    std::vector<Vec3> points = is_hdf5(file) ? read_hdf5(file) : read_text(file);
    if (points.empty()) throw IoError(fmt::format("{}: holds no point", file.string()));
    return points;
}

}  // namespace aureole::io
