// A group catalogue as GADGET-4 writes it (Springel et al. 2021). Readers require a /Subhalo group, so
// without a search for subhalos every group is its own. Without rows /Group and /Subhalo are empty, because
// pynbody crashes at datasets of length zero.
#include "sim/io/halos/catalogue_file.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"
#include "sim/io/snapshots/gadget_dialect.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/snapshots/gadget_metadata.hpp"

namespace aureole::io {

namespace {

using Integers = std::vector<std::int64_t>;

Column count_column(std::string name, std::string description, Integers values)
{
    return {std::move(name), std::move(description), {}, 1, std::move(values)};
}

/// The columns of one subhalo per group: those of the group under GADGET-4's names for subhalos.
Table subhalos_of(const Table& groups)
{
    constexpr std::pair<const char*, const char*> names[] = {{"GroupLen", "SubhaloLen"},
                                                             {"GroupLenType", "SubhaloLenType"},
                                                             {"GroupMass", "SubhaloMass"},
                                                             {"GroupMassType", "SubhaloMassType"},
                                                             {"GroupPos", "SubhaloPos"},
                                                             {"GroupVel", "SubhaloVel"},
                                                             {"GroupVelDisp", "SubhaloVelDisp"},
                                                             {"GroupHalfMassRad", "SubhaloHalfmassRad"},
                                                             {"GroupOffsetType", "SubhaloOffsetType"}};
    Table result{groups.rows, {}};
    for (const auto& [group_name, subhalo_name] : names)
        if (const Column* column = groups.find(group_name)) {
            result.columns.push_back(*column);
            result.columns.back().name = subhalo_name;
        }
    Integers row(groups.rows);
    std::iota(row.begin(), row.end(), 0);
    result.columns.push_back(count_column("SubhaloGroupNr", "Row of the group.", std::move(row)));
    result.columns.push_back(
        count_column("SubhaloRankInGr", "Rank of the subhalo in its group.", Integers(groups.rows, 0)));
    return result;
}

/// Row of the group of every subhalo; throws ArgumentError unless the rows rise and exist.
Integers host_rows(const Table& groups, const Table& subhalos)
{
    if (subhalos.rows == 0) return {};
    const Column* host = subhalos.find("SubhaloGroupNr");
    AUREOLE_EXPECT(host && std::holds_alternative<Integers>(host->values),
                   "the subhalos have no SubhaloGroupNr, the row of their group");
    const Integers& row = std::get<Integers>(host->values);
    AUREOLE_EXPECT(row.size() == subhalos.rows, "SubhaloGroupNr has {} values for {} subhalos", row.size(),
                   subhalos.rows);
    for (std::size_t k = 0; k < row.size(); ++k)
        AUREOLE_EXPECT(row[k] >= (k == 0 ? 0 : row[k - 1]) && row[k] < static_cast<std::int64_t>(groups.rows),
                       "subhalo {} lies in group {}, expected rising rows of {} groups", k, row[k],
                       groups.rows);
    return row;
}

/// The columns that every group has, those that `groups` lacks.
Table group_links(const Table& groups, const Table& subhalos, const SnapshotHeader& header)
{
    const std::size_t rows = groups.rows;
    Integers first(rows, -1), number(rows, 0);
    const Integers host = host_rows(groups, subhalos);
    for (std::size_t k = 0; k < host.size(); ++k) {
        const auto group = static_cast<std::size_t>(host[k]);
        if (number[group]++ == 0) first[group] = static_cast<std::int64_t>(k);
    }
    Table result{rows, {}};
    result.columns.push_back(
        count_column("GroupFirstSub", "Row of the first subhalo, -1 for none.", std::move(first)));
    result.columns.push_back(count_column("GroupNsubs", "Number of subhalos.", std::move(number)));
    result.columns.push_back(
        {"GroupAscale", "Scale factor.", {}, 1, std::vector<double>(rows, 1 / (1 + header.redshift))});
    std::erase_if(result.columns, [&](const Column& column) { return groups.find(column.name) != nullptr; });
    return result;
}

void write_columns(Hdf5File& out, const std::string& group, const Table& table,
                   const CatalogueContent& content, const SnapshotHeader& header)
{
    for (const Column& column : table.columns) {
        const std::string path = group + "/" + column.name;
        const Dimension& dimension = column.dimension;
        const double scale = scale_of(dimension, content.scales);
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

std::int64_t members_of(const Table& groups)
{
    const Column* lengths = groups.find("GroupLen");
    if (!lengths) return 0;
    const auto& values = std::get<Integers>(lengths->values);
    return std::reduce(values.begin(), values.end());
}

void write_catalogue_header(Hdf5File& out, const Table& groups, const Table& subhalos,
                            const SnapshotHeader& header)
{
    out.create_group("/Header");
    for (const char* where : {"ThisFile", "Total"}) {
        out.write_attribute("/Header", fmt::format("Ngroups_{}", where),
                            static_cast<std::int64_t>(groups.rows));
        out.write_attribute("/Header", fmt::format("Nsubhalos_{}", where),
                            static_cast<std::int64_t>(subhalos.rows));
        out.write_attribute("/Header", fmt::format("Nids_{}", where), members_of(groups));
    }
    out.write_attribute("/Header", "NumFiles", std::int32_t{1});
    out.write_attribute("/Header", "Time", header.time);
    out.write_attribute("/Header", "Redshift", header.redshift);
    out.write_attribute("/Header", "BoxSize", header.box_size);
}

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

Column read_column(const Hdf5Dataset& dataset, std::string name, std::size_t rows, const char* counted_by)
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

}  // namespace

void write_catalogue(const std::filesystem::path& file, const Table& groups, const CatalogueContent& content)
{
    write_catalogue(file, groups, subhalos_of(groups), content);
}

void write_catalogue(const std::filesystem::path& file, const Table& groups, const Table& subhalos,
                     const CatalogueContent& content)
{
    SnapshotHeader header = completed(content.header);
    header.velocity_a_exponent = 0;  // velocities of catalogues are peculiar
    write_hdf5(file, [&](Hdf5File& out) {
        write_catalogue_header(out, groups, subhalos, header);
        write_units(out, *header.units);
        write_parameters(out, header);
        write_provenance(out, content.provenance, content.scales);
        out.create_group("/Group");
        out.create_group("/Subhalo");
        if (groups.rows > 0) {
            write_columns(out, "/Group", groups, content, header);
            write_columns(out, "/Group", group_links(groups, subhalos, header), content, header);
        }
        if (subhalos.rows > 0) write_columns(out, "/Subhalo", subhalos, content, header);
    });
}

CatalogueFile read_catalogue(const std::filesystem::path& name)
{
    const Hdf5File file = Hdf5File::open(hdf5_file_of(name).value_or(name));
    if (!file.has_group("/Group") || !file.has_attribute("/Header", "Ngroups_ThisFile"))
        throw IoError(
            fmt::format("{}: not a group catalogue (no /Group or no Ngroups_ThisFile)", file.name()));
    const GadgetMetadata metadata = read_gadget_metadata(file);
    if (metadata.n_files != 1)
        throw IoError(fmt::format("{}: one of {} files of a catalogue; only whole ones are read", file.name(),
                                  metadata.n_files));
    CatalogueFile result;
    result.header = metadata.header;
    result.groups = read_table(file, "/Group", "Ngroups_ThisFile", result.dimensions_known);
    if (file.has_dataset("/Group/GroupVel") && file.has_attribute("/Group/GroupVel", "a_scaling"))
        result.velocity_a_exponent = file.number("/Group/GroupVel", "a_scaling");
    if (file.has_group("/Subhalo") && file.has_attribute("/Header", "Nsubhalos_ThisFile"))
        result.subhalos = read_table(file, "/Subhalo", "Nsubhalos_ThisFile", result.dimensions_known);
    return result;
}

bool is_catalogue(const std::filesystem::path& name)
{
    const Hdf5File file = Hdf5File::open(hdf5_file_of(name).value_or(name));
    return file.has_group("/Group") && file.has_attribute("/Header", "Ngroups_ThisFile");
}

}  // namespace aureole::io
