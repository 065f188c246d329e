#include "sim/analysis/catalogue_plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

halo::CentreConfig centre_config(const HalosConfig& halos, const HaloContext& context)
{
    halo::CentreConfig config;
    config.method = halos.centre;
    config.softening = context.softening;
    config.linking_length = context.linking_length;
    config.own = halos.centres;
    return config;
}

void add_column(Table& groups, const char* name, std::string description, std::vector<std::int64_t> values)
{
    groups.columns.push_back({name, std::move(description), {}, 1, std::move(values)});
}

/// Of centre most_connected: GroupCentreFriends, the number of friends of the particle at the centre, and
/// GroupCentreTies, the number of members that have as many, 1 where it is the only one.
void add_ties(Table& groups, std::span<const double> value, std::vector<std::int64_t> ties)
{
    std::vector<std::int64_t> friends;
    for (const double number : value) friends.push_back(static_cast<std::int64_t>(number));
    add_column(groups, "GroupCentreFriends",
               "Number of friends within the linking length of the particle at GroupPos.",
               std::move(friends));
    add_column(
        groups, "GroupCentreTies",
        "Number of members that have as many friends as the particle at GroupPos, itself included; it is "
        "the one of smallest id.",
        std::move(ties));
}

/// How often the grid was right, of `searched` groups; maybe none was checked.
std::string success_of_grid(std::size_t searched, std::size_t least, std::size_t checked, std::size_t found)
{
    const std::string of =
        fmt::format("Of {} groups of at least {} members, searched on a grid, ", searched, least);
    if (checked == 0) return of + "none was checked";
    return of + fmt::format("{} were checked, and the grid found the exact centre of {} (fraction {:.4g})",
                            checked, found, static_cast<double>(found) / static_cast<double>(checked));
}

/// Of centre poisson: GroupCentreExact is 1 where the centre is the member of least potential, 0 where
/// another one is, -1 where it was not checked. Smaller groups were searched exactly; of the others some were
/// checked. The column's description tells the fraction. `lengths`: numbers of members.
void add_exactness(Table& groups, std::span<const std::uint64_t> lengths, const halo::PoissonConfig& config,
                   std::span<const std::size_t> checked, std::span<const std::uint8_t> is_most_bound)
{
    std::vector<std::int64_t> exact(lengths.size(), 1);
    std::size_t searched = 0;
    for (std::size_t group = 0; group < lengths.size(); ++group) {
        if (lengths[group] < config.least_members) continue;
        exact[group] = -1;
        ++searched;
    }
    std::size_t found = 0;
    for (std::size_t k = 0; k < checked.size(); ++k) {
        exact[checked[k]] = is_most_bound[k];
        found += is_most_bound[k];
    }
    add_column(
        groups, "GroupCentreExact",
        fmt::format(
            "1: GroupPos is the member of least potential; 0: another one is; -1: not checked. {}; smaller "
            "groups are searched exactly.",
            success_of_grid(searched, config.least_members, checked.size(), found)),
        std::move(exact));
}

}  // namespace

halo::SubhaloConfig subhalo_config(const HalosConfig& halos, const HaloContext& context)
{
    halo::SubhaloConfig config;
    config.min_members = halos.subhalo_min_members;
    config.box = context.box;
    config.softening = context.softening;
    config.gravitational_constant = context.gravitational_constant;
    const double reach =
        context.gravitational_constant * halo::density_threshold("200c", context.densities).density;
    if (std::isfinite(reach)) config.reach_density = reach;
    return config;
}

halo::CatalogueQuery catalogue_query(const HalosConfig& halos, const HaloContext& context,
                                     std::span<const halo::DensityThreshold> thresholds)
{
    return {.box = context.box,
            .centre = centre_config(halos, context),
            .thresholds = thresholds,
            .crossing = halos.overdensity_crossing,
            .gravitational_constant = context.gravitational_constant};
}

std::vector<std::size_t> groups_to_check(std::span<const std::uint64_t> lengths, const HalosConfig& halos)
{
    if (halos.centre != halo::Centre::poisson) return {};
    const auto& config = halos.centres.get<halo::PoissonConfig>();
    std::vector<std::size_t> on_grid, chosen;
    for (std::size_t group = 0; group < lengths.size(); ++group)
        if (lengths[group] >= config.least_members) on_grid.push_back(group);
    const std::size_t n = std::min<std::size_t>(on_grid.size(), config.checked_groups);
    for (std::size_t k = 0; k < n; ++k) chosen.push_back(on_grid[k * on_grid.size() / n]);
    return chosen;
}

void add_centre_columns(Table& table, const HalosConfig& halos, CentreFacts facts)
{
    if (halos.centre == halo::Centre::most_connected) add_ties(table, facts.value, std::move(facts.ties));
    if (halos.centre == halo::Centre::poisson)
        add_exactness(table, facts.lengths, halos.centres.get<halo::PoissonConfig>(), facts.checked,
                      facts.is_most_bound);
}

}  // namespace aureole::run
