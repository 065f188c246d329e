#include "sim/analysis/merger_trees/merger_trees.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halo/merger_tree/forest.hpp"
#include "sim/analysis/merger_trees/tree_columns.hpp"
#include "sim/core/error.hpp"
#include "sim/io/halos/link_file.hpp"
#include "sim/io/snapshots/gadget_dialect.hpp"

namespace aureole::run {
namespace {

namespace fs = std::filesystem;
using Integers = std::vector<std::int64_t>;

/// The catalogues from the last one on that begins tracks.
std::vector<TreeCatalogue> catalogues_in(const fs::path& directory)
{
    std::vector<TreeCatalogue> catalogues;
    for (const unsigned number : io::numbers_in(directory, io::progenitor_names)) {
        TreeCatalogue next = read_tree_catalogue(directory, number);
        if (next.links.previous < 0) catalogues.clear();
        const std::int64_t last = catalogues.empty() ? -1 : catalogues.back().links.number;
        if (next.links.previous != last)
            throw IoError(fmt::format("{}: links catalogue {} to {}, but the one before it here is {}",
                                      next.links.file.string(), number, next.links.previous, last));
        catalogues.push_back(std::move(next));
    }
    if (catalogues.empty())
        throw IoError(fmt::format("{}: holds no {}, expected the links of a run with output.halos.trees",
                                  directory.string(), io::progenitor_names.of(0)));
    for (std::size_t c = 0; c + 1 < catalogues.size(); ++c)
        catalogues[c].read_descendants(directory, catalogues[c + 1].size());
    return catalogues;
}

std::vector<halo::ForestCatalogue> forest_input(const std::vector<TreeCatalogue>& catalogues)
{
    std::vector<halo::ForestCatalogue> input;
    for (const TreeCatalogue& from : catalogues) {
        halo::ForestCatalogue here;
        here.group = from.integers("SubhaloGroupNr");
        here.mass = from.numbers("SubhaloMass");
        here.main = from.links.integers("MainProgSubhaloNr");
        here.skip = from.links.integers("SkipProgSubhaloNr");
        here.split_from.assign(from.size(), -1);
        for (std::size_t row = 0; row < from.size(); ++row)
            if (from.links.integers("Split")[row] != 0)
                here.split_from[row] = from.links.integers("ProgSubhaloNr")[row];
        here.descendant = from.descendant;
        input.push_back(std::move(here));
    }
    return input;
}

/// value(halo) of every halo, as the dataset `name` of /TreeHalos.
template <io::Hdf5Number T, class Value>
void write_of_halos(io::Hdf5File& out, const char* name, const halo::Forest& forest, Value value)
{
    std::vector<T> values;
    values.reserve(forest.halos.size());
    for (const halo::TreeHalo& halo : forest.halos) values.push_back(static_cast<T>(value(halo)));
    out.write_dataset<T>(std::string("/TreeHalos/") + name, values);
}

void write_pointers(io::Hdf5File& out, const halo::Forest& forest)
{
    using halo::TreeHalo;
    constexpr std::pair<const char*, std::int32_t TreeHalo::*> pointers[] = {
        {"TreeIndex", &TreeHalo::place},
        {"TreeDescendant", &TreeHalo::descendant},
        {"TreeFirstProgenitor", &TreeHalo::first_progenitor},
        {"TreeNextProgenitor", &TreeHalo::next_progenitor},
        {"TreeMainProgenitor", &TreeHalo::main_progenitor},
        {"TreeProgenitor", &TreeHalo::progenitor},
        {"TreeFirstDescendant", &TreeHalo::first_descendant},
        {"TreeNextDescendant", &TreeHalo::next_descendant},
        {"TreeFirstHaloInFOFgroup", &TreeHalo::first_in_group},
        {"TreeNextHaloInFOFgroup", &TreeHalo::next_in_group}};
    for (const auto& [name, pointer] : pointers)
        write_of_halos<std::int32_t>(out, name, forest,
                                     [pointer](const TreeHalo& halo) { return halo.*pointer; });
    write_of_halos<std::int64_t>(out, "TreeID", forest, [](const TreeHalo& halo) { return halo.tree; });
    write_of_halos<std::int64_t>(out, "SubhaloNr", forest, [](const TreeHalo& halo) { return halo.row; });
}

void write_table_of_trees(io::Hdf5File& out, const halo::Forest& forest)
{
    std::vector<std::int32_t> length;
    std::vector<std::int64_t> start, id;
    for (std::size_t tree = 0; tree < forest.size(); ++tree) {
        const std::uint64_t n = forest.begin[tree + 1] - forest.begin[tree];
        if (n > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
            throw IoError(fmt::format("{}: a tree of {} halos, expected less than 2^31", out.name(), n));
        length.push_back(static_cast<std::int32_t>(n));
        start.push_back(static_cast<std::int64_t>(forest.begin[tree]));
        id.push_back(static_cast<std::int64_t>(tree));
    }
    out.create_group("/TreeTable");
    out.write_dataset<std::int32_t>("/TreeTable/Length", length);
    out.write_dataset<std::int64_t>("/TreeTable/StartOffset", start);
    out.write_dataset<std::int64_t>("/TreeTable/TreeID", id);
}

void write_times(io::Hdf5File& out, const std::vector<TreeCatalogue>& catalogues)
{
    const auto n = static_cast<std::size_t>(catalogues.back().links.number) + 1;
    std::vector<double> redshift(n, NAN), time(n, NAN);
    for (const TreeCatalogue& catalogue : catalogues) {
        redshift[static_cast<std::size_t>(catalogue.links.number)] = catalogue.links.header.redshift;
        time[static_cast<std::size_t>(catalogue.links.number)] = catalogue.links.header.time;
    }
    out.create_group("/TreeTimes");
    out.write_dataset<double>("/TreeTimes/Redshift", redshift);
    out.write_dataset<double>("/TreeTimes/Time", time);
}

void write_header(io::Hdf5File& out, const halo::Forest& forest, std::int64_t last)
{
    out.create_group("/Header");
    for (const char* where : {"ThisFile", "Total"}) {
        out.write_attribute("/Header", fmt::format("Ntrees_{}", where),
                            static_cast<std::int64_t>(forest.size()));
        out.write_attribute("/Header", fmt::format("Nhalos_{}", where),
                            static_cast<std::int64_t>(forest.halos.size()));
    }
    out.write_attribute("/Header", "NumFiles", std::int32_t{1});
    out.write_attribute("/Header", "LastSnapShotNr", static_cast<std::int32_t>(last));
}

}  // namespace

TreeCounts write_trees(const fs::path& directory, const fs::path& file, const io::Provenance& provenance)
{
    const std::vector<TreeCatalogue> catalogues = catalogues_in(directory);
    const halo::Forest forest = halo::forest_of(forest_input(catalogues));
    const io::SnapshotHeader& header = catalogues.back().links.header;
    std::size_t n_tracks = 0;
    io::write_hdf5(file, io::Sync::yes, [&](io::Hdf5File& out) {
        write_header(out, forest, catalogues.back().links.number);
        io::write_parameters(out, header_of_trees(header));
        io::write_provenance(out, provenance);
        write_table_of_trees(out, forest);
        write_times(out, catalogues);
        out.create_group("/TreeHalos");
        if (!forest.halos.empty()) {
            write_pointers(out, forest);
            write_columns_of_halos(out, forest, catalogues);
        }
        n_tracks = write_tracks(out, catalogues);
    });
    return {forest.size(), forest.halos.size(), n_tracks, catalogues.size()};
}

}  // namespace aureole::run
