#include "sim/analysis/halo_report.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "halo/fof/linking_length.hpp"

namespace aureole::run {
namespace {

/// Of the linking particles; 0 where they have none.
double separation_of(const Particles& host, const HaloSearch& search)
{
    const std::uint8_t types = search.fof.linking_types;
    if (halo::number_linking(host, types) == 0) return 0;
    if (search.fof.box.periodic())
        return halo::mean_separation(search.fof.box, halo::number_linking(host, types));
    try {
        return halo::bounding_box_separation(host, types);
    } catch (const Error&) {
        return 0;  // they share a point
    }
}

/// A column of the printed table: its heading and the cells of all rows.
struct Printed {
    std::string heading;
    std::vector<std::string> cells;
};

void add_column(std::vector<Printed>& printed, const Table& table, const char* name,
                const std::string& heading, const io::ColumnUnits& units)
{
    const Column* column = table.find(name);
    if (!column) return;
    const std::string unit = units.name_of(column->dimension);
    for (std::size_t k = 0; k < column->width; ++k) {
        Printed one{column->width == 3 ? std::string(1, "xyz"[k]) : heading, {}};
        if (!unit.empty() && k == 0) one.heading += fmt::format(" [{}]", unit);
        std::visit(
            [&](const auto& values) {
                for (std::size_t row = 0; row < std::min(most_printed_groups, table.rows); ++row) {
                    const double value = double(values[row * column->width + k]);
                    one.cells.push_back(std::isnan(value) ? "-" : fmt::format("{:.6g}", value));
                }
            },
            column->values);
        if (std::ranges::any_of(one.cells, [](const std::string& cell) { return cell != "-"; }))
            printed.push_back(std::move(one));
    }
}

std::string laid_out(const std::vector<Printed>& printed, std::size_t rows)
{
    std::string text;
    for (std::size_t line = 0; line <= rows; ++line) {
        std::string row;
        for (const Printed& column : printed) {
            std::size_t width = column.heading.size();
            for (const std::string& cell : column.cells) width = std::max(width, cell.size());
            row += fmt::format("{}{:>{}}", row.empty() ? "" : "  ",
                               line == 0 ? column.heading : column.cells[line - 1], width);
        }
        text += row + "\n";
    }
    return text;
}

/// The first rows under `heading`, and the columns that the table has.
std::string first_rows_text(const char* heading, const Table& table,
                            std::initializer_list<std::pair<const char*, const char*>> columns,
                            const io::ColumnUnits& units)
{
    if (table.rows == 0) return "";
    const std::size_t rows = std::min(most_printed_groups, table.rows);
    std::vector<Printed> printed{{heading, {}}};
    for (std::size_t row = 0; row < rows; ++row) printed[0].cells.push_back(fmt::format("{}", row));
    for (const auto& [name, title] : columns) add_column(printed, table, name, title, units);
    std::string text = laid_out(printed, rows);
    if (table.rows > rows) text += fmt::format("({} more)\n", table.rows - rows);
    return text;
}

}  // namespace

io::ColumnUnits unit_names(const RunUnits& units, const io::SnapshotHeader& header)
{
    io::ColumnUnits names{units.name(Quantity::length), units.name(Quantity::mass),
                          units.name(Quantity::velocity)};
    if (!header.comoving || units.nbody) return names;
    const bool per_h = header.h_exponent == -1 && header.hubble != 1;
    names.length += per_h ? "/h (comoving)" : " (comoving)";
    if (per_h) names.mass += "/h";
    return names;
}

std::string expected_neighbours_text(const Particles& host, const HaloSearch& search, const std::string& unit)
{
    const double separation = separation_of(host, search);
    if (!(separation > 0)) return "";
    std::string text = fmt::format("mean separation {:.6g}{}{}", separation, unit.empty() ? "" : " " + unit,
                                   search.fof.box.periodic() ? "" : " in the bounding box");
    if (search.fof.linking_length > 0 && std::isinf(search.fof.linking_velocity)) {
        const double ratio = search.fof.linking_length / separation;
        text += fmt::format("; spread evenly, a particle would have {:.3g} others within the linking length",
                            4 * std::numbers::pi / 3 * ratio * ratio * ratio);
    }
    return text;
}

std::string largest_groups_text(const Table& groups, const io::ColumnUnits& units)
{
    return first_rows_text("group", groups,
                           {{"GroupLen", "length"},
                            {"GroupMass", "mass"},
                            {"GroupPos", "centre"},
                            {"GroupVelDisp", "dispersion"},
                            {"GroupRadius", "radius"},
                            {"Group_R_Crit200", "R200"}},
                           units);
}

std::string first_subhalos_text(const Table& subhalos, const io::ColumnUnits& units)
{
    if (subhalos.rows == 0) return "no subhalos: no group has enough members that are bound to each other\n";
    return first_rows_text("subhalo", subhalos,
                           {{"SubhaloGroupNr", "group"},
                            {"SubhaloParent", "parent"},
                            {"SubhaloLen", "length"},
                            {"SubhaloMass", "mass"},
                            {"SubhaloPos", "centre"},
                            {"SubhaloVmax", "Vmax"},
                            {"SubhaloVmaxRad", "Rmax"},
                            {"SubhaloHalfmassRad", "half-mass radius"},
                            {"Subhalo_R_Crit200", "R200"},
                            {"SubhaloConcentration", "concentration"},
                            {"SubhaloTidalRad", "tidal radius"}},
                           units);
}

}  // namespace aureole::run
