#include "sim/analysis/centre_columns.hpp"

#include <algorithm>

#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

void add_column(Table& groups, const char* name, std::string description, std::vector<std::int64_t> values)
{
    groups.columns.push_back({name, std::move(description), {}, 1, std::move(values)});
}

/// At most `most` of the groups that the grid searched, the first one among them.
std::vector<std::size_t> groups_to_check(std::span<const std::uint64_t> lengths, const PoissonCheck& check)
{
    std::vector<std::size_t> on_grid, chosen;
    for (std::size_t group = 0; group < lengths.size(); ++group)
        if (lengths[group] >= check.least_members) on_grid.push_back(group);
    const std::size_t n = std::min(on_grid.size(), check.groups);
    for (std::size_t k = 0; k < n; ++k) chosen.push_back(on_grid[k * on_grid.size() / n]);
    return chosen;
}

}  // namespace

void add_ties(Table& groups, const halo::Centres& centres)
{
    std::vector<std::int64_t> friends, ties;
    for (std::size_t group = 0; group < centres.value.size(); ++group) {
        friends.push_back(static_cast<std::int64_t>(centres.value[group]));
        ties.push_back(static_cast<std::int64_t>(centres.ties.size(group)));
    }
    add_column(groups, "GroupCentreFriends",
               "Number of friends within the linking length of the particle at GroupPos.",
               std::move(friends));
    add_column(
        groups, "GroupCentreTies",
        "Number of members that have as many friends as the particle at GroupPos, itself included; it is "
        "the one of smallest id.",
        std::move(ties));
}

void add_exactness(Table& groups, std::span<const std::uint64_t> lengths, const halo::Centres& centres,
                   const PoissonCheck& check,
                   const std::function<halo::Centres(std::span<const std::size_t>)>& most_bound)
{
    std::vector<std::int64_t> exact(lengths.size(), 1);
    std::size_t searched = 0;
    for (std::size_t group = 0; group < lengths.size(); ++group) {
        if (lengths[group] < check.least_members) continue;
        exact[group] = -1;
        ++searched;
    }
    const std::vector<std::size_t> chosen = groups_to_check(lengths, check);
    const halo::Centres best = chosen.empty() ? halo::Centres{} : most_bound(chosen);
    std::size_t found = 0;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        const bool same = best.particle[k] == centres.particle[chosen[k]];
        exact[chosen[k]] = same;
        found += same;
    }
    add_column(
        groups, "GroupCentreExact",
        fmt::format("1: GroupPos is the member of least potential; 0: another one is; -1: not checked. Of "
                    "{} groups of at least {} members, searched on a grid, {} were checked, and the grid "
                    "found the exact centre of {} (fraction {:.4g}); smaller groups are searched exactly.",
                    searched, check.least_members, chosen.size(), found,
                    chosen.empty() ? 1.0 : static_cast<double>(found) / static_cast<double>(chosen.size())),
        std::move(exact));
}

}  // namespace aureole::run
