#include "sim/cli/commands/ics_report.hpp"

#include <fmt/format.h>

#include <cmath>

namespace aureole::cli {
namespace {

/// From internal numbers to the user's; the columns of reports have lengths and velocities alone.
double factor_of(const Dimension& d, const run::RunUnits& units)
{
    return std::pow(units.from_internal(Quantity::length), d.length) *
           std::pow(units.from_internal(Quantity::velocity), d.velocity);
}

/// "", " [kpc]", " [km/s/kpc]".
std::string unit_of(const Dimension& d, const run::RunUnits& units)
{
    std::string text;
    if (d.velocity == 1) text = units.name(Quantity::velocity);
    if (d.length == 1) text += units.name(Quantity::length);
    if (d.length == -1 && !text.empty()) text += "/" + units.name(Quantity::length);
    return text.empty() ? "" : " [" + text + "]";
}

void print_table(const Table& table, const run::RunUnits& units)
{
    constexpr std::size_t narrowest = 9;
    std::string header;
    std::vector<std::size_t> widths;
    for (const Column& column : table.columns) {
        const std::string name = column.name + unit_of(column.dimension, units);
        widths.push_back(std::max(narrowest, name.size()));
        header += fmt::format("  {:>{}}", name, widths.back());
    }
    fmt::print("{}\n", header);
    for (std::size_t row = 0; row < table.rows; ++row) {
        std::string line;
        for (std::size_t k = 0; k < table.columns.size(); ++k) {
            const Column& column = table.columns[k];
            const double value = std::get<std::vector<double>>(column.values)[row];
            line += fmt::format("  {:>{}.4g}", value * factor_of(column.dimension, units), widths[k]);
        }
        fmt::print("{}\n", line);
    }
}

}  // namespace

void print_report(const std::string& place, const ics::Report& report, const run::RunUnits& units)
{
    if (report.table.rows > 0) {
        fmt::print("{}:\n", place);
        print_table(report.table, units);
    }
    for (const std::string& note : report.notes) fmt::print("note: {}: {}\n", place, note);
}

}  // namespace aureole::cli
