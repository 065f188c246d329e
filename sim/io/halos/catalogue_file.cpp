// A group catalogue as GADGET-4 writes it (Springel et al. 2021). Readers require a /Subhalo group, so
// without a search for subhalos every group is its own. Without rows /Group and /Subhalo are empty, because
// pynbody crashes at datasets of length zero.
#include "sim/io/halos/catalogue_file.hpp"

#include <numeric>

#include "sim/core/error.hpp"
#include "sim/io/halos/table_columns.hpp"
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
            write_columns(out, "/Group", groups, content.scales, header);
            write_columns(out, "/Group", group_links(groups, subhalos, header), content.scales, header);
        }
        if (subhalos.rows > 0) write_columns(out, "/Subhalo", subhalos, content.scales, header);
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
