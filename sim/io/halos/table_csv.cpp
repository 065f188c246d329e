#include "sim/io/halos/table_csv.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/snapshots/gadget_dialect.hpp"

namespace aureole::io {
namespace {

std::string power_of(const std::string& unit, int exponent)
{
    if (unit.empty() || exponent == 0) return "";
    if (exponent == 1) return unit;
    return unit.find_first_of(" /") == std::string::npos ? fmt::format("{}^{}", unit, exponent)
                                                         : fmt::format("({})^{}", unit, exponent);
}

std::string heading_of(const Column& column, std::size_t k, const ColumnUnits& units)
{
    std::string text = column.name;
    if (column.width == 3) text += fmt::format("_{}", "xyz"[k]);
    if (column.width > 1 && column.width != 3) text += fmt::format("_{}", k);
    const std::string unit = units.name_of(column.dimension);
    return unit.empty() ? text : fmt::format("{} [{}]", text, unit);
}

std::string cell_of(const Column& column, std::size_t at, const UnitScales& scales)
{
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&column.values))
        return fmt::format("{}", (*integers)[at]);
    const double value =
        scale_of(column.dimension, scales) * std::get<std::vector<double>>(column.values)[at];
    return std::isfinite(value) ? fmt::format("{}", value) : "nan";
}

}  // namespace

std::string ColumnUnits::name_of(const Dimension& dimension) const
{
    std::string text;
    for (const std::string& factor : {power_of(mass, dimension.mass), power_of(length, dimension.length),
                                      power_of(velocity, dimension.velocity)}) {
        if (factor.empty()) continue;
        text += (text.empty() ? "" : " ") + factor;
    }
    return text;
}

std::string infinite_columns(const Table& table)
{
    std::string names;
    for (const Column& column : table.columns) {
        const auto* numbers = std::get_if<std::vector<double>>(&column.values);
        if (numbers && std::ranges::any_of(*numbers, [](double x) { return std::isinf(x); }))
            names += (names.empty() ? "" : ", ") + column.name;
    }
    return names;
}

void write_table_csv(const std::filesystem::path& file, const Table& table, const ColumnUnits& units,
                     const UnitScales& scales, const Provenance& provenance)
{
    AtomicFile target(file);
    target.write([&](std::ostream& out) {
        std::string line;
        const auto add = [&line](const std::string& cell) { line += (line.empty() ? "" : ",") + cell; };
        for (const Column& column : table.columns)
            for (std::size_t k = 0; k < column.width; ++k) add(heading_of(column, k, units));
        out << line << '\n';
        for (std::size_t row = 0; row < table.rows; ++row) {
            line.clear();
            for (const Column& column : table.columns)
                for (std::size_t k = 0; k < column.width; ++k)
                    add(cell_of(column, row * column.width + k, scales));
            out << line << '\n';
        }
    });
    write_metadata(file, provenance);
    target.commit();
}

}  // namespace aureole::io
