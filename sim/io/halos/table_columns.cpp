#include "sim/io/halos/table_columns.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"
#include "sim/io/snapshots/gadget_dialect.hpp"

namespace aureole::io {
namespace {

/// All numbers of a dataset. Those without a sign keep their bits: HDF5 would turn ids beyond 2^63 into 2^63
/// - 1.
std::vector<std::int64_t> integers_of(const Hdf5Dataset& dataset)
{
    const std::size_t n = dataset.rows() * dataset.width();
    if (dataset.layout().has_sign) {
        std::vector<std::int64_t> values(n);
        dataset.read_rows<std::int64_t>(0, values);
        return values;
    }
    std::vector<std::uint64_t> values(n);
    dataset.read_rows<std::uint64_t>(0, values);
    return {values.begin(), values.end()};
}

/// The dimension that describe() has written; nothing where a dataset does not say, or says what is none.
std::optional<Dimension> dimension_of(const Hdf5File& file, const std::string& path)
{
    Dimension dimension;
    for (const auto& [name, power] : {std::pair{"length_scaling", &dimension.length},
                                      {"mass_scaling", &dimension.mass},
                                      {"velocity_scaling", &dimension.velocity}}) {
        if (!file.has_attribute(path, name) || file.attribute_is_text(path, name)) return {};
        const double value = file.number(path, name);
        if (!(std::abs(value) <= 9) || value != std::round(value)) return {};
        *power = static_cast<int>(value);
    }
    return dimension;
}

Column read_column(const Hdf5Dataset& dataset, std::string name, std::size_t rows,
                   const std::string& counted_by)
{
    if (dataset.rows() != rows)
        throw IoError(fmt::format("{} has {} rows, expected {} as {} says", dataset.label(), dataset.rows(),
                                  rows, counted_by));
    Column column{std::move(name), "", {}, dataset.width(), {}};
    if (dataset.layout().integer) {
        column.values = integers_of(dataset);
        return column;
    }
    std::vector<double> values(rows * dataset.width());
    dataset.read_rows<double>(0, values);
    column.values = std::move(values);
    return column;
}

/// Paths of the datasets in a group. Names may share their numbers, so what they add up to is bounded before
/// any is read.
std::vector<std::string> columns_of(const Hdf5File& file, const std::string& group)
{
    const auto file_bytes = static_cast<double>(std::filesystem::file_size(file.name()));
    double bytes = 0;
    std::vector<std::string> fields;
    for (const std::string& field : file.members(group)) {
        if (!file.has_dataset(group + "/" + field)) continue;
        const Hdf5Dataset dataset = file.dataset(group + "/" + field);
        bytes += 8.0 * static_cast<double>(dataset.rows()) * static_cast<double>(dataset.width());
        fields.push_back(field);
    }
    if (bytes > deflate_expansion * file_bytes)
        throw IoError(fmt::format("{}: {} claims {:.3g} bytes of numbers in a file of {}", file.name(), group,
                                  bytes, file_bytes));
    return fields;
}

/// What the columns are that programs take out of a catalogue by their names.
struct KnownColumn {
    const char* name;
    std::size_t width;
    bool integer;
};
constexpr KnownColumn known_columns[] = {{"GroupLen", 1, true},     {"GroupMass", 1, false},
                                         {"GroupPos", 3, false},    {"GroupVel", 3, false},
                                         {"GroupRadius", 1, false}, {"GroupIDMostbound", 1, true}};

/// Throws IoError for a column with a known name and another shape or kind of number.
void expect_known_shape(const Hdf5Dataset& dataset, const std::string& name)
{
    const auto* known = std::ranges::find(known_columns, name, &KnownColumn::name);
    if (known == std::end(known_columns)) return;
    const auto kind = [](bool integer) { return integer ? "integers" : "real numbers"; };
    const NumberLayout layout = dataset.layout();
    if (dataset.width() != known->width || layout.integer != known->integer)
        throw IoError(fmt::format("{} holds {} in rows of {}, expected {} in rows of {}", dataset.label(),
                                  kind(layout.integer), dataset.width(), kind(known->integer), known->width));
}

}  // namespace

Table read_table(const Hdf5File& file, const std::string& group, const char* counted_by,
                 bool& dimensions_known)
{
    const double rows = file.number("/Header", counted_by);
    if (rows < 0 || rows > static_cast<double>(max_particles))
        throw IoError(fmt::format("{}: {} is {}", file.name(), counted_by, rows));
    Table table{static_cast<std::size_t>(rows), {}};
    for (const std::string& field : columns_of(file, group)) {
        const Hdf5Dataset dataset = file.dataset(group + "/" + field);
        expect_known_shape(dataset, field);
        table.columns.push_back(read_column(dataset, field, table.rows, counted_by));
        if (dataset.layout().integer) continue;
        const std::optional<Dimension> dimension = dimension_of(file, group + "/" + field);
        table.columns.back().dimension = dimension.value_or(Dimension{});
        dimensions_known = dimensions_known && dimension.has_value();
    }
    return table;
}

Table read_table(const Hdf5File& file, const std::string& group)
{
    Table table;
    if (!file.has_group(group)) return table;
    std::string first;
    for (const std::string& field : columns_of(file, group)) {
        const Hdf5Dataset dataset = file.dataset(group + "/" + field);
        if (first.empty()) {
            first = group + "/" + field;
            if (dataset.rows() > max_particles)
                throw IoError(fmt::format("{} has {} rows, expected at most {}", dataset.label(),
                                          dataset.rows(), max_particles));
            table.rows = dataset.rows();
        }
        table.columns.push_back(read_column(dataset, field, table.rows, first));
        if (!dataset.layout().integer)
            table.columns.back().dimension = dimension_of(file, group + "/" + field).value_or(Dimension{});
    }
    return table;
}

void write_columns(Hdf5File& out, const std::string& group, const Table& table, const UnitScales& scales,
                   const SnapshotHeader& header)
{
    for (const Column& column : table.columns) {
        const std::string path = group + "/" + column.name;
        const Dimension& dimension = column.dimension;
        const double scale = scale_of(dimension, scales);
        std::visit(
            [&]<class T>(const std::vector<T>& values) {
                AUREOLE_EXPECT(values.size() == table.rows * column.width, "{}: {} values, expected {} x {}",
                               path, values.size(), table.rows, column.width);
                write_field<T>(out, path, table.rows, column.width > 1 ? column.width : 0,
                               [&](std::size_t row, T* to) {
                                   for (std::size_t k = 0; k < column.width; ++k) {
                                       to[k] = values[row * column.width + k];
                                       if constexpr (std::is_floating_point_v<T>) to[k] *= scale;
                                   }
                               });
            },
            column.values);
        const bool known = table.rows == 0 || has_numbers(column);
        describe(out, path, known ? column.description : column.description + " No row here has a number.",
                 dimension, exponents_of(dimension, header), *header.units);
    }
}

}  // namespace aureole::io
