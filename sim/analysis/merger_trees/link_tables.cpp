#include "sim/analysis/merger_trees/link_tables.hpp"

#include <numeric>

#include "sim/io/halos/link_file.hpp"

namespace aureole::run {
namespace {

using Integers = std::vector<std::int64_t>;

void add(Table& table, const char* name, const char* description, Integers values)
{
    table.columns.push_back({name, description, {}, 1, std::move(values)});
}

void add(Table& table, const char* name, const char* description, Dimension dimension,
         std::vector<double> values)
{
    table.columns.push_back({name, description, dimension, 1, std::move(values)});
}

Integers rows_from_zero(std::size_t n)
{
    Integers rows(n);
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

/// Chains of those that point to the same target: per target the first of them, per pointer the next.
struct Chains {
    Integers first, next;
};

/// `preferred`, per target, comes first where it points there; the others follow by their rows.
Chains chains_of(const Integers& target, std::size_t n_targets, const Integers& preferred)
{
    Chains chains{Integers(n_targets, -1), Integers(target.size(), -1)};
    const auto put_first = [&](std::int64_t row) {
        auto& first = chains.first[static_cast<std::size_t>(target[static_cast<std::size_t>(row)])];
        chains.next[static_cast<std::size_t>(row)] = first;
        first = row;
    };
    const auto is_preferred = [&](std::int64_t row) {
        const std::int64_t to = target[static_cast<std::size_t>(row)];
        return preferred[static_cast<std::size_t>(to)] == row;
    };
    for (auto row = static_cast<std::int64_t>(target.size()) - 1; row >= 0; --row)
        if (target[static_cast<std::size_t>(row)] >= 0 && !is_preferred(row)) put_first(row);
    for (std::int64_t row = 0; row < static_cast<std::int64_t>(target.size()); ++row)
        if (target[static_cast<std::size_t>(row)] >= 0 && is_preferred(row)) put_first(row);
    return chains;
}

template <class Value>
auto of_tracks(const halo::CatalogueLinks& links, Value value)
{
    std::vector<decltype(value(links.tracks[0]))> values;
    values.reserve(links.tracks.size());
    for (const halo::HaloTrack& track : links.tracks) values.push_back(value(track));
    return values;
}

}  // namespace

Table progenitor_table(const halo::CatalogueLinks& links)
{
    using halo::HaloTrack;
    const std::size_t n = links.tracks.size(), n_before = links.descendant.size();
    Table table{n, {}};
    add(table, "SubhaloNr", "Row in this catalogue.", rows_from_zero(n));
    add(table, "ProgSubhaloNr", "Row in the catalogue before of what had most of the core; -1 for none.",
        links.progenitor);
    add(table, "FirstProgSubhaloNr",
        "Row in the catalogue before of the first of those that descend to here.",
        chains_of(links.descendant, n, links.main).first);
    add(table, "NextDescSubhaloNr", "Row in this catalogue of the next with the same progenitor.",
        chains_of(links.progenitor, n_before, links.goes_on).next);
    add(table, "TrackId", "Number of the halo for life: by the catalogue of its birth, in it by row.",
        of_tracks(links, [](const HaloTrack& t) { return t.id; }));
    add(table, "MainProgSubhaloNr", "Row of the same halo in the catalogue before.", links.main);
    add(table, "SkipProgSubhaloNr", "Row of the same halo two catalogues before, where one missed it.",
        links.skip);
    add(table, "Split", "1 for a fragment of ProgSubhaloNr.",
        Integers(links.split.begin(), links.split.end()));
    add(table, "SnapNumOfBirth", "Number of the first catalogue with this halo.",
        of_tracks(links, [](const HaloTrack& t) { return std::int64_t{t.birth}; }));
    add(table, "SnapNumOfInfall", "Number of the first in which it was not the first of its group; -1: none.",
        of_tracks(links, [](const HaloTrack& t) { return std::int64_t{t.infall}; }));
    add(table, "TrackOfOrigin", "TrackId of what it broke off; -1 for none.",
        of_tracks(links, [](const HaloTrack& t) { return t.origin; }));
    add(table, "MassHistory", "Sum of the masses of the halo in all catalogues up to this one.", {0, 1, 0},
        of_tracks(links, [](const HaloTrack& t) { return t.mass_history; }));
    add(table, "PeakMass", "Largest mass up to now.", {0, 1, 0},
        of_tracks(links, [](const HaloTrack& t) { return t.peak_mass; }));
    add(table, "VmaxAtPeakMass", "Largest circular velocity when the mass was largest.", {0, 0, 1},
        of_tracks(links, [](const HaloTrack& t) { return t.v_max_at_peak; }));
    return table;
}

Table descendant_table(const halo::CatalogueLinks& links)
{
    const std::size_t n = links.tracks.size(), n_before = links.descendant.size();
    Table table{n_before, {}};
    Integers ends;
    for (const halo::TrackEnd end : links.end) ends.push_back(static_cast<std::int64_t>(end));
    add(table, "SubhaloNr", "Row in this catalogue.", rows_from_zero(n_before));
    add(table, "DescSubhaloNr", "Row in the next catalogue of what has most of the core; -1 for none.",
        links.descendant);
    add(table, "FirstDescSubhaloNr", "Row in the next catalogue of the first of those that come from here.",
        chains_of(links.progenitor, n_before, links.goes_on).first);
    add(table, "NextProgSubhaloNr", "Row in this catalogue of the next with the same descendant.",
        chains_of(links.descendant, n, links.main).next);
    add(table, "TrackId", "Number of the halo for life.", links.track);
    add(table, "MainDescSubhaloNr", "Row of the same halo in the next catalogue.", links.goes_on);
    add(table, "MergedInto", "TrackId of the descendant where the track ends; -1 for none.",
        links.merged_into);
    add(table, "TrackEnd",
        "0: it goes on; 1: sunk, its core is at rest in that of the descendant; 2: disrupted. Where the "
        "catalogue after the next finds the halo again, it goes on nevertheless.",
        std::move(ends));
    return table;
}

void write_links(const std::filesystem::path& directory, const halo::CatalogueLinks& links,
                 const io::CatalogueContent& content)
{
    const auto number = [](std::int32_t n) { return std::int64_t{n}; };
    io::write_link_file(directory / io::progenitor_names.of(static_cast<std::uint64_t>(links.number)),
                        progenitor_table(links),
                        {{"SnapNum", number(links.number)},
                         {"PreviousSnapNum", number(links.previous)},
                         {"SnapNumBeforePrevious", number(links.before_previous)}},
                        content);
    if (links.previous < 0) return;
    io::write_link_file(directory / io::descendant_names.of(static_cast<std::uint64_t>(links.previous)),
                        descendant_table(links),
                        {{"SnapNum", number(links.previous)}, {"DescendantSnapNum", number(links.number)}},
                        content);
}

}  // namespace aureole::run
