#include "sim/pictures/read_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/io/list_text.hpp"

namespace aureole::run {
namespace {

RunUnits units_in(const io::Hdf5File& file)
{
    RunUnits units;
    const auto known = [&](const char* name) { return file.has_attribute("/", name); };
    if (!known("UnitLength_in_cm") || !known("UnitMass_in_g") || !known("UnitVelocity_in_cm_per_s"))
        return units;
    units.nbody = false;
    units.system = {file.number("/", "UnitLength_in_cm"), file.number("/", "UnitMass_in_g"),
                    file.number("/", "UnitVelocity_in_cm_per_s")};
    return units;
}

/// The name before the colon, and the component behind it.
struct FieldName {
    std::string name;
    std::optional<std::size_t> component;

    explicit FieldName(const std::string& text) : name(text.substr(0, text.find(':')))
    {
        if (name == text) return;
        const std::string axis = text.substr(name.size() + 1);
        const std::size_t k = std::string("xyz").find(axis);
        if (axis.size() != 1 || k == std::string::npos)
            throw ConfigError(
                fmt::format("--field: found '{}', expected a component x, y or z behind the colon", text));
        component = k;
    }
};

}  // namespace

FieldFile::FieldFile(const std::filesystem::path& file)
    : file_(io::Hdf5File::open(file)), units_(units_in(file_))
{
    if (io::holds_octree(file_))
        take_octree(io::stored_octree(file_));
    else
        take_grid(io::grid_layout(file_));
    try {
        expect_patches(cells_, patches_);
    } catch (const Error& error) {
        throw IoError(fmt::format("{}: {}", file.string(), error.what()));
    }
}

void FieldFile::take_grid(const io::GridLayout& grid)
{
    layout_ = grid;
    fields_ = grid.fields;
    std::ranges::transform(grid.cells, cells_.begin(), [](std::uint64_t n) { return static_cast<Index>(n); });
    patches_ = {
        {.low = {grid.low[0], grid.low[1], grid.low[2]}, .high = {grid.high[0], grid.high[1], grid.high[2]}}};
}

void FieldFile::take_octree(const io::StoredOctree& octree)
{
    layout_ = octree;
    fields_ = octree.fields;
    const auto n = static_cast<Index>(octree.cells);
    cells_ = {n, n, n};
    for (std::size_t k = 0; k < octree.n_nodes(); ++k) {
        const auto& [x, y, z] = octree.low[k];
        const double size = octree.size[k];
        const std::int64_t child = octree.first_child[k];
        const bool leaf = child < 0 || child >= static_cast<std::int64_t>(density::no_child);
        patches_.push_back({.low = {x, y, z},
                            .high = {x + size, y + size, z + size},
                            .first_child = leaf ? density::no_child : static_cast<Index>(child),
                            .level = octree.level[k]});
    }
}

bool FieldFile::has(const std::string& field) const
{
    return std::ranges::find(fields_, field) != fields_.end();
}

void FieldFile::expect_field(const std::string& field) const
{
    if (!has(FieldName(field).name))
        throw ConfigError(fmt::format("--field: found '{}', {} holds {}", field, file_.name(),
                                      io::list_text(fields_, ", ")));
}

density::CellField FieldFile::read(const std::string& field) const
{
    expect_field(field);
    const FieldName wanted(field);
    const auto* grid = std::get_if<io::GridLayout>(&layout_);
    return {cells_, patches_,
            grid ? io::read_grid_field(file_, *grid, wanted.name, wanted.component)
                 : io::read_octree_field(file_, std::get<io::StoredOctree>(layout_), wanted.name,
                                         wanted.component)};
}

std::string FieldFile::unit_of(const std::string& field) const
{
    if (field == "Density") return units_.name(Quantity::mass_density);
    return field.starts_with("Velocity") ? units_.name(Quantity::velocity) : "";
}

std::string FieldFile::length_unit() const { return units_.name(Quantity::length); }

std::string FieldFile::surface_density_unit() const
{
    return units_.nbody ? "" : units_.name(Quantity::mass) + " " + length_unit() + "^-2";
}

std::string FieldFile::time_text() const
{
    const auto number = [&](const char* name) {
        return file_.has_attribute("/", name) ? file_.number("/", name) : std::nan("");
    };
    if (number("Comoving") == 1) return fmt::format("redshift {:.3g}", std::max(number("Redshift"), 0.0));
    const double time = number("Time");
    return std::isfinite(time) ? "t = " + run::time_text(time, units_) : "";
}

}  // namespace aureole::run
