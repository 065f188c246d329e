#include "sim/run/outputs/tree_output.hpp"

#include <algorithm>
#include <chrono>

#include "sim/analysis/merger_trees/link_tables.hpp"
#include "sim/analysis/merger_trees/merger_trees.hpp"
#include "sim/io/halos/link_file.hpp"
#include "sim/run/comoving.hpp"

namespace aureole::run {
namespace {

halo::HaloRows rows_of(const HaloCatalogue& found)
{
    const Table& table = found.subhalos ? *found.subhalos : found.table;
    const std::string prefix = found.subhalos ? "Subhalo" : "Group";
    const auto numbers = [&](const char* name) {
        const Column* const column = table.find(prefix + name);
        return column ? std::get<std::vector<double>>(column->values) : std::vector<double>{};
    };
    halo::HaloRows rows{numbers("Mass"), numbers("Vmax"), numbers("VelDisp"), {}};
    const Column* const rank = table.find("SubhaloRankInGr");
    rows.rank = rank ? std::get<std::vector<std::int64_t>>(rank->values)
                     : std::vector<std::int64_t>(rows.mass.size(), 0);
    return rows;
}

}  // namespace

std::string TreeOutput::add(const std::filesystem::path& directory, Simulation& simulation, unsigned number,
                            HaloCatalogue& found, const io::CatalogueContent& content, const Config& internal,
                            const HaloContext& context)
{
    const auto start = std::chrono::steady_clock::now();
    if (restored_) {
        tracker_.restore(simulation.exec(), *restored_);
        restored_.reset();
    }
    const halo::CatalogueLinks links = tracker_.add(
        simulation.exec(), simulation.view(), static_cast<std::int32_t>(number), std::move(*found.members),
        rows_of(found), {box_of(internal), context.softening, context.velocity_factor});
    found.members.reset();
    any_ = true;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    write_links(directory, links, content);
    const auto ended =
        links.end.size() - static_cast<std::size_t>(std::ranges::count(links.end, halo::TrackEnd::none));
    const auto born = std::ranges::count_if(
        links.tracks, [&](const halo::HaloTrack& track) { return track.birth == links.number; });
    return fmt::format(" {} halos followed ({} new, {} ended; links {:.1f} ms)", links.tracks.size(), born,
                       ended, 1e3 * seconds.count());
}

std::string write_tree_file(const std::filesystem::path& directory, const io::Provenance& provenance)
{
    const TreeCounts made = write_trees(directory, directory / io::tree_file_name, provenance);
    return fmt::format("{}: {} halos of {} catalogues, {} tracks in {} trees", io::tree_file_name, made.halos,
                       made.catalogues, made.tracks, made.trees);
}

}  // namespace aureole::run
