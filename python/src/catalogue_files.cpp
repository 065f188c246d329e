// Files of halos, by the program's own readers and writers.
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cmath>

#include "arrays.hpp"
#include "call.hpp"
#include "header.hpp"
#include "sim/config/config.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/halos/link_file.hpp"
#include "sim/io/halos/table_csv.hpp"

namespace aureole::python {
namespace {

namespace fs = std::filesystem;

/// The groups, the subhalos and the header, whose velocity exponent is that of the velocities in the tables.
nb::tuple read_catalogue(const fs::path& file)
{
    io::CatalogueFile found;
    {
        const Call call;
        found = io::read_catalogue(file);
    }
    found.header.velocity_a_exponent = found.velocity_a_exponent;
    return nb::make_tuple(columns_of(std::move(found.groups)), columns_of(std::move(found.subhalos)),
                          header_of(found.header));
}

/// TreeTable, TreeTimes, TreeHalos and Tracks.
nb::tuple read_trees(const fs::path& file)
{
    io::TreeFile found;
    {
        const Call call;
        found = io::read_tree_file(file);
    }
    return nb::make_tuple(columns_of(std::move(found.trees)), columns_of(std::move(found.times)),
                          columns_of(std::move(found.halos)), columns_of(std::move(found.tracks)));
}

using AnyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> values_of(const AnyArray& array)
{
    const auto* const data = static_cast<const T*>(array.data());
    return {data, data + array.size()};
}

/// The columns that columns_of() takes apart: real numbers in double, others in 64 bits.
Table table_of(const nb::list& columns)
{
    Table table;
    for (const nb::handle one : columns) {
        const auto [length, mass, velocity] = nb::cast<std::array<int, 3>>(one[2]);
        const auto array = nb::cast<AnyArray>(one[3]);
        Column column{
            nb::cast<std::string>(one[0]), nb::cast<std::string>(one[1]), {length, mass, velocity}, 1, {}};
        table.rows = array.shape(0);
        if (array.ndim() > 1) column.width = array.shape(1);
        if (array.dtype() == nb::dtype<double>())
            column.values = values_of<double>(array);
        else
            column.values = values_of<std::int64_t>(array);
        table.columns.push_back(std::move(column));
    }
    return table;
}

/// Units that the numbers are in: (length, mass, velocity) in cgs, or what a text says as in a configuration.
/// With neither, G = 1 in kpc and 1e10 Msun, as in files of runs that know no units.
std::optional<UnitSystem> units_of(const nb::handle& cgs, const std::string& text)
{
    if (!text.empty()) {
        const run::RunUnits units = *run::parse_config("units: " + text, "units", {}).units;
        if (!units.nbody) return units.system;
    } else if (!cgs.is_none()) {
        const auto [length, mass, velocity] = nb::cast<std::array<double, 3>>(cgs);
        return UnitSystem{length, mass, velocity};
    }
    return {};
}

io::CatalogueContent content_of(const nb::dict& header, const std::optional<UnitSystem>& units,
                                const std::string& version)
{
    io::CatalogueContent content;
    content.header = header_from(header);
    content.header.units = units ? *units : run::RunUnits{}.of_files(run::FileUnits::run);
    content.provenance = {{"Version", version}, {"Command", "aureole.HaloCatalogue.write()"}};
    if (!units) content.provenance.emplace_back("Units", io::nbody_units_text);
    return content;
}

/// `format` is "gadget4", "yt" or "csv"; `names` are those of the units in a CSV table.
void write_catalogue(const fs::path& file, const std::string& format, const nb::list& groups,
                     const nb::object& subhalos, const nb::dict& header, const nb::object& cgs,
                     const std::string& units, const std::array<std::string, 3>& names,
                     const std::string& version)
{
    const Table table = table_of(groups);
    const Table inner = subhalos.is_none() ? Table{} : table_of(nb::cast<nb::list>(subhalos));
    const io::CatalogueContent content = content_of(header, units_of(cgs, units), version);
    const bool with_subhalos = !subhalos.is_none();
    const Call call;
    if (format == "csv")
        io::write_table_csv(file, table, {names[0], names[1], names[2]}, {}, content.provenance);
    else if (format == "yt")
        io::write_yt_catalogue(file, table, content);
    else if (with_subhalos)
        io::write_catalogue(file, table, inner, content);
    else
        io::write_catalogue(file, table, content);
}

}  // namespace

void bind_catalogue_files(nb::module_& module)
{
    module.def("read_catalogue", read_catalogue, nb::arg("path"));
    module.def("read_trees", read_trees, nb::arg("path"));
    module.def("write_catalogue", write_catalogue, nb::arg("path"), nb::arg("format"), nb::arg("groups"),
               nb::arg("subhalos").none(), nb::arg("header"), nb::arg("cgs").none(), nb::arg("units"),
               nb::arg("unit_names"), nb::arg("version"));
}

}  // namespace aureole::python
