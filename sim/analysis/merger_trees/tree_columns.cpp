#include "sim/analysis/merger_trees/tree_columns.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/io/hdf5/hdf5_fields.hpp"
#include "sim/io/snapshots/gadget_dialect.hpp"

namespace aureole::run {
namespace {

using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

constexpr UnitSystem tree_units{1e3 * kpc_cm, 1e10 * solar_mass_g, 1e5};

/// From the numbers of a catalogue to those of trees.
UnitScales scales_to_trees(const io::SnapshotHeader& header)
{
    const UnitSystem units = header.units.value_or(galactic_units);
    const double h = header.comoving && header.h_exponent == 0 ? header.hubble : 1;
    UnitScales scales;
    scales.length = units.length_cm / tree_units.length_cm * h;
    scales.mass = units.mass_g / tree_units.mass_g * h;
    scales.velocity = units.velocity_cm_per_s / tree_units.velocity_cm_per_s;
    return scales;
}

void rescale(Table& table, const UnitScales& scales)
{
    for (Column& column : table.columns)
        if (auto* const values = std::get_if<Numbers>(&column.values)) {
            const double scale = io::scale_of(column.dimension, scales);
            for (double& value : *values) value *= scale;
        }
}

template <class T>
const std::vector<T>& column_of(const TreeCatalogue& catalogue, const std::string& name)
{
    static const std::vector<T> none;
    if (catalogue.size() == 0) return none;
    const Column* const column = catalogue.halos.find(name);
    if (!column || !std::holds_alternative<std::vector<T>>(column->values))
        throw IoError(fmt::format("{}: the catalogue beside it has no /Subhalo/{}, which trees need",
                                  catalogue.links.file.string(), name));
    return std::get<std::vector<T>>(column->values);
}

/// Of each halo, M_200c of its group: of the first one in it, as GADGET-4 has it; 0 for the others.
void add_group_masses(Table& halos, const Table& groups)
{
    const Column* const mass = groups.find("Group_M_Crit200");
    const Column* const group = halos.find("SubhaloGroupNr");
    if (!mass || !group) return;
    const auto& host = std::get<Integers>(group->values);
    const auto& of_groups = std::get<Numbers>(mass->values);
    Numbers values;
    for (std::size_t row = 0; row < host.size(); ++row) {
        const bool first = row == 0 || host[row - 1] != host[row];
        values.push_back(first ? of_groups.at(static_cast<std::size_t>(host[row])) : 0);
    }
    halos.columns.push_back({"Group_M_Crit200", "", mass->dimension, 1, std::move(values)});
}

/// The column of all halos in the order of the trees.
template <io::Hdf5Number T>
void write_column(io::Hdf5File& out, const std::string& name, const halo::Forest& forest,
                  const std::vector<const Column*>& columns, std::size_t width)
{
    io::write_field<T>(out, "/TreeHalos/" + name, forest.halos.size(), width > 1 ? width : 0,
                       [&](std::size_t k, T* to) {
                           const halo::TreeHalo& halo = forest.halos[k];
                           const Column& from = *columns[static_cast<std::size_t>(halo.catalogue)];
                           const std::size_t first = static_cast<std::size_t>(halo.row) * width;
                           std::visit(
                               [&](const auto& values) {
                                   for (std::size_t j = 0; j < width; ++j)
                                       to[j] = static_cast<T>(values[first + j]);
                               },
                               from.values);
                       });
}

/// The column `from` of each catalogue; empty where one with halos lacks it.
std::vector<const Column*> columns_named(const std::string& from,
                                         const std::vector<TreeCatalogue>& catalogues, bool of_links)
{
    static const Column none;
    std::vector<const Column*> columns;
    for (const TreeCatalogue& catalogue : catalogues) {
        const Table& table = of_links ? catalogue.links.halos : catalogue.halos;
        const Column* const column = table.find(from);
        if (!column && catalogue.size() > 0) return {};
        columns.push_back(column ? column : &none);
    }
    return columns;
}

struct HaloColumn {
    const char *name, *from;
    bool of_links = false;
};
constexpr HaloColumn halo_columns[] = {
    {"GroupNr", "SubhaloGroupNr"},          {"SubhaloLen", "SubhaloLen"},
    {"SubhaloMass", "SubhaloMass"},         {"Group_M_Crit200", "Group_M_Crit200"},
    {"SubhaloPos", "SubhaloPos"},           {"SubhaloVel", "SubhaloVel"},
    {"SubhaloVelDisp", "SubhaloVelDisp"},   {"SubhaloVmax", "SubhaloVmax"},
    {"SubhaloVmaxRad", "SubhaloVmaxRad"},   {"SubhaloHalfmassRad", "SubhaloHalfmassRad"},
    {"SubhaloSpin", "SubhaloSpin"},         {"SubhaloIDMostbound", "SubhaloIDMostbound"},
    {"SubhaloRankInGr", "SubhaloRankInGr"}, {"TrackId", "TrackId", true},
    {"MassHistory", "MassHistory", true}};

/// What is known of a track in the end.
struct Tracks {
    Integers birth, infall, death, merged_into, end, origin, last_catalogue, last_row;
    Numbers peak_mass, v_max_at_peak;

    explicit Tracks(std::size_t n)
    {
        for (Integers* list : {&birth, &infall, &death, &merged_into, &origin, &last_catalogue, &last_row})
            list->assign(n, -1);
        end.assign(n, 0);
        for (Numbers* list : {&peak_mass, &v_max_at_peak}) list->assign(n, NAN);
    }
};

Tracks tracks_of(const std::vector<TreeCatalogue>& catalogues)
{
    std::int64_t n = 0;
    for (const TreeCatalogue& catalogue : catalogues)
        for (const std::int64_t id : catalogue.links.integers("TrackId")) {
            if (id < 0 || id >= std::int64_t{1} << 32)
                throw IoError(fmt::format("{}: a TrackId of {}", catalogue.links.file.string(), id));
            n = std::max(n, id + 1);
        }
    Tracks tracks(static_cast<std::size_t>(n));
    for (std::size_t c = 0; c < catalogues.size(); ++c) {
        const io::LinkFile& links = catalogues[c].links;
        const Integers& ids = links.integers("TrackId");
        for (std::size_t row = 0; row < ids.size(); ++row) {
            const auto id = static_cast<std::size_t>(ids[row]);
            tracks.birth[id] = links.integers("SnapNumOfBirth")[row];
            tracks.infall[id] = links.integers("SnapNumOfInfall")[row];
            tracks.origin[id] = links.integers("TrackOfOrigin")[row];
            tracks.peak_mass[id] = links.numbers("PeakMass")[row];
            tracks.v_max_at_peak[id] = links.numbers("VmaxAtPeakMass")[row];
            tracks.last_catalogue[id] = static_cast<std::int64_t>(c);
            tracks.last_row[id] = static_cast<std::int64_t>(row);
        }
    }
    for (std::size_t id = 0; id < tracks.birth.size(); ++id) {
        const std::int64_t c = tracks.last_catalogue[id];
        if (c < 0 || c + 1 == static_cast<std::int64_t>(catalogues.size())) continue;
        const TreeCatalogue& last = catalogues[static_cast<std::size_t>(c)];
        const auto row = static_cast<std::size_t>(tracks.last_row[id]);
        tracks.death[id] = catalogues[static_cast<std::size_t>(c) + 1].links.number;
        tracks.merged_into[id] = last.merged_into[row];
        tracks.end[id] = last.end[row];
    }
    return tracks;
}

}  // namespace

const Integers& TreeCatalogue::integers(const std::string& column) const
{
    return column_of<std::int64_t>(*this, column);
}

const Numbers& TreeCatalogue::numbers(const std::string& column) const
{
    return column_of<double>(*this, column);
}

void TreeCatalogue::read_descendants(const std::filesystem::path& directory, std::size_t n_next)
{
    const auto name = directory / io::descendant_names.of(static_cast<std::uint64_t>(links.number));
    const io::LinkFile file = io::read_link_file(name);
    if (file.halos.rows != size())
        throw IoError(fmt::format("{}: {} halos, expected {} as in the catalogue", name.string(),
                                  file.halos.rows, size()));
    descendant = file.integers("DescSubhaloNr");
    merged_into = file.integers("MergedInto");
    end = file.integers("TrackEnd");
    for (const std::int64_t row : descendant)
        if (row >= static_cast<std::int64_t>(n_next))
            throw IoError(fmt::format("{}: a descendant in row {} of {} halos", name.string(), row, n_next));
}

TreeCatalogue read_tree_catalogue(const std::filesystem::path& directory, unsigned number)
{
    TreeCatalogue result;
    result.links = io::read_link_file(directory / io::progenitor_names.of(number));
    const auto name = directory / io::catalogue_names.of(number);
    io::CatalogueFile catalogue = io::read_catalogue(name);
    if (catalogue.subhalos.rows != result.links.halos.rows || result.links.number != number)
        throw IoError(fmt::format("{}: links of {} halos of catalogue {}, expected {} as in {}",
                                  result.links.file.string(), result.links.halos.rows, result.links.number,
                                  catalogue.subhalos.rows, name.string()));
    add_group_masses(catalogue.subhalos, catalogue.groups);
    result.halos = std::move(catalogue.subhalos);
    const UnitScales scales = scales_to_trees(catalogue.header);
    rescale(result.halos, scales);
    rescale(result.links.halos, scales);
    return result;
}

io::SnapshotHeader header_of_trees(const io::SnapshotHeader& header)
{
    io::SnapshotHeader result = io::completed(header);
    result.box_size *= scales_to_trees(header).length;
    result.units = tree_units;
    return result;
}

void write_columns_of_halos(io::Hdf5File& out, const halo::Forest& forest,
                            const std::vector<TreeCatalogue>& catalogues)
{
    std::vector<std::int32_t> number;
    for (const halo::TreeHalo& halo : forest.halos)
        number.push_back(
            static_cast<std::int32_t>(catalogues[static_cast<std::size_t>(halo.catalogue)].links.number));
    out.write_dataset<std::int32_t>("/TreeHalos/SnapNum", number);
    for (const HaloColumn& wanted : halo_columns) {
        const std::vector<const Column*> columns = columns_named(wanted.from, catalogues, wanted.of_links);
        if (columns.empty()) continue;
        const Column& example = **std::ranges::max_element(columns, {}, [](const Column* c) {
            return std::visit([](const auto& values) { return values.size(); }, c->values);
        });
        if (std::holds_alternative<Integers>(example.values))
            write_column<std::int64_t>(out, wanted.name, forest, columns, example.width);
        else
            write_column<double>(out, wanted.name, forest, columns, example.width);
    }
}

std::size_t write_tracks(io::Hdf5File& out, const std::vector<TreeCatalogue>& catalogues)
{
    const Tracks tracks = tracks_of(catalogues);
    out.create_group("/Tracks");
    const auto n = tracks.birth.size();
    if (n == 0) return 0;
    Integers id(n);
    for (std::size_t k = 0; k < n; ++k) id[k] = static_cast<std::int64_t>(k);
    const std::pair<const char*, const Integers*> integers[] = {{"TrackId", &id},
                                                                {"SnapNumOfBirth", &tracks.birth},
                                                                {"SnapNumOfInfall", &tracks.infall},
                                                                {"SnapNumOfDeath", &tracks.death},
                                                                {"MergedInto", &tracks.merged_into},
                                                                {"TrackEnd", &tracks.end},
                                                                {"TrackOfOrigin", &tracks.origin}};
    for (const auto& [name, values] : integers)
        out.write_dataset<std::int64_t>(std::string("/Tracks/") + name, *values);
    out.write_dataset<double>("/Tracks/PeakMass", tracks.peak_mass);
    out.write_dataset<double>("/Tracks/VmaxAtPeakMass", tracks.v_max_at_peak);
    return n;
}

}  // namespace aureole::run
