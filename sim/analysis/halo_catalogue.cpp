#include "sim/analysis/halo_catalogue.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <span>

#include "halo/catalogue/catalogue_loops.hpp"
#include "halo/catalogue/member_order.hpp"
#include "halo/centres/poisson/poisson_grids.hpp"
#include "halo/copy_bytes.hpp"
#include "halo/device_members.hpp"
#include "halo/needed_arrays.hpp"
#include "halo/substructure/substructure.hpp"
#include "sim/analysis/halo_search.hpp"
#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

constexpr double mpc_cm = 1e3 * kpc_cm;

/// 100 h km/s/Mpc in the numbers of a file; where these carry 1/h, h drops out.
double hubble_constant(const io::SnapshotHeader& header, const UnitSystem& units)
{
    const double per_length = 1e7 / units.velocity_cm_per_s * units.length_cm / mpc_cm;
    return header.comoving && header.h_exponent != 0 ? per_length : header.hubble * per_length;
}

halo::CentreConfig centre_config(const HalosConfig& halos, const HaloContext& context)
{
    halo::CentreConfig config;
    config.method = halos.centre;
    config.softening = context.softening;
    config.linking_length = context.linking_length;
    config.own = halos.centres;
    return config;
}

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

/// Of each list's first member, on the host.
std::vector<std::uint64_t> ids_of_first(Exec exec, const ConstParticlesView& particles,
                                        const halo::MembersView& members)
{
    Buffer<std::uint64_t> there(exec.backend, members.n_lists);
    halo::first_ids(exec, particles, members, there.data());
    std::vector<std::uint64_t> ids(there.size());
    halo::copy_bytes(exec, ids.data(), there.data(), ids.size() * sizeof ids[0]);
    return ids;
}

Table table_of_subhalos(const HaloInput& input, const halo::SubhaloLists& subhalos,
                        const halo::CatalogueQuery& query, halo::GroupCatalogue& groups,
                        const Progress& progress)
{
    const halo::MembersView members = subhalos.members();
    const halo::ListRows rows = groups.rows_of(input.exec, input.particles, members, query, progress);
    std::vector<halo::PerType> types;
    for (const halo::HaloProperties& row : groups.rows()) types.push_back(row.n_members_by_type);
    const std::vector<std::uint64_t> most_bound = ids_of_first(input.exec, input.particles, members);
    const halo::SubhaloSpheres spheres = halo::subhalo_spheres(input.exec,
                                                               {.particles = input.particles,
                                                                .members = members,
                                                                .parent = subhalos.rows.parent,
                                                                .rows = rows.rows,
                                                                .thresholds = query.thresholds,
                                                                .box = query.box,
                                                                .crossing = query.crossing},
                                                               progress);
    return halo::subhalo_table({.rows = rows.rows,
                                .subhalos = subhalos.rows,
                                .types_of_groups = types,
                                .most_bound_id = most_bound,
                                .thresholds = query.thresholds,
                                .spheres = spheres,
                                .potentials = true,
                                .gravitational_constant = query.gravitational_constant});
}

halo::CatalogueQuery query_of(const HalosConfig& halos, const HaloContext& context,
                              std::span<const halo::DensityThreshold> thresholds)
{
    return {.box = context.box,
            .centre = centre_config(halos, context),
            .thresholds = thresholds,
            .crossing = halos.overdensity_crossing,
            .gravitational_constant = context.gravitational_constant};
}

void add_column(Table& groups, const char* name, std::string description, std::vector<std::int64_t> values)
{
    groups.columns.push_back({name, std::move(description), {}, 1, std::move(values)});
}

/// Of centre most_connected: GroupCentreFriends, the number of friends of the particle at the centre, and
/// GroupCentreTies, the number of members that have as many, 1 where it is the only one.
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

/// At most `checked_groups` of the groups that the grid searched, the first one among them.
std::vector<std::size_t> groups_to_check(std::span<const std::uint64_t> lengths,
                                         const halo::PoissonConfig& config)
{
    std::vector<std::size_t> on_grid, chosen;
    for (std::size_t group = 0; group < lengths.size(); ++group)
        if (lengths[group] >= config.least_members) on_grid.push_back(group);
    const std::size_t n = std::min<std::size_t>(on_grid.size(), config.checked_groups);
    for (std::size_t k = 0; k < n; ++k) chosen.push_back(on_grid[k * on_grid.size() / n]);
    return chosen;
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
/// another one is, -1 where it was not checked. Smaller groups were searched exactly; of the others
/// `checked_groups` are searched once more, spread evenly over them from the first on, by `most_bound`, which
/// gives the most bound members of the groups that it is told. The column's description tells the fraction.
/// `lengths`: numbers of members.
void add_exactness(Table& groups, std::span<const std::uint64_t> lengths, const halo::Centres& centres,
                   const halo::PoissonConfig& config,
                   const std::function<halo::Centres(std::span<const std::size_t>)>& most_bound)
{
    std::vector<std::int64_t> exact(lengths.size(), 1);
    std::size_t searched = 0;
    for (std::size_t group = 0; group < lengths.size(); ++group) {
        if (lengths[group] < config.least_members) continue;
        exact[group] = -1;
        ++searched;
    }
    const std::vector<std::size_t> chosen = groups_to_check(lengths, config);
    const halo::Centres best = chosen.empty() ? halo::Centres{} : most_bound(chosen);
    std::size_t found = 0;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        const bool same = best.particle[k] == centres.particle[chosen[k]];
        exact[chosen[k]] = same;
        found += same;
    }
    add_column(
        groups, "GroupCentreExact",
        fmt::format(
            "1: GroupPos is the member of least potential; 0: another one is; -1: not checked. {}; smaller "
            "groups are searched exactly.",
            success_of_grid(searched, config.least_members, chosen.size(), found)),
        std::move(exact));
}

/// What the catalogue tells of how the centres were found.
void add_centre_columns(Table& table, const HaloInput& input, halo::GroupCatalogue& groups,
                        const HalosConfig& halos, halo::CatalogueQuery query, const Progress& progress)
{
    if (halos.centre == halo::Centre::most_connected) add_ties(table, groups.centres());
    if (halos.centre != halo::Centre::poisson) return;
    std::vector<std::uint64_t> lengths;
    for (const halo::HaloProperties& row : groups.rows())
        lengths.push_back(static_cast<std::uint64_t>(row.n_members));
    query.centre.method = halo::Centre::most_bound;
    add_exactness(table, lengths, groups.centres(), halos.centres.get<halo::PoissonConfig>(),
                  [&](std::span<const std::size_t> chosen) {
                      halo::DeviceMembers lists;
                      lists.take(input.exec, groups.members(), chosen);
                      return groups.centres_of(input.exec, input.particles, lists.view(), query, progress);
                  });
}

/// What was asked for, in the order of the catalogue; of one with subhalos, or null, the host finds it.
void add_sorted(HaloCatalogue& found, const HaloInput& input, const halo::MembersView& members,
                const halo::SubhaloLists* subhalos, WantedParticles wanted)
{
    Buffer<Index> order;
    if (subhalos) {
        found.order = halo::member_order(halo::groups_on_host(input.exec, input.groups),
                                         halo::subhalos_on_host(input.exec, *subhalos));
        if (wanted.particles) order = Buffer<Index>(input.exec.backend, std::span<const Index>(found.order));
    } else {
        order = halo::order_by_group(input.exec, input.groups, members);
        if (wanted.order) found.order = order.to_vector();
    }
    if (!wanted.particles) return;
    found.sorted = halo::gathered_on_host(input.exec, input.particles, order);
    found.labels = halo::labels_on_host(input.exec, input.groups, order);
}

}  // namespace

HaloContext halo_context(const io::SnapshotHeader& header, const UnitSystem& units, const HalosConfig& halos)
{
    HaloContext context;
    const double g = units.gravitational_constant();
    const double a = header.comoving ? 1 / (1 + header.redshift) : 1;
    context.gravitational_constant = g / std::pow(a, 1 + 2 * header.velocity_a_exponent);
    context.velocity_factor = std::pow(a, header.velocity_a_exponent);
    if (halos.reference_density) {
        context.densities = halo::reference_densities(*halos.reference_density);
    } else if (header.omega0 > 0) {
        const halo::Cosmology cosmology{.omega_m = header.omega0,
                                        .omega_lambda = header.omega_lambda,
                                        .hubble = hubble_constant(header, units),
                                        .scale_factor = a,
                                        .comoving = header.comoving};
        context.densities = halo::reference_densities(cosmology, g);
    }
    return context;
}

void scale_velocities(Table& table, double factor)
{
    if (factor == 1) return;
    for (Column& column : table.columns) {
        auto* const numbers = std::get_if<std::vector<double>>(&column.values);
        if (!numbers || column.dimension.velocity == 0) continue;
        const double scale = std::pow(factor, column.dimension.velocity);
        for (double& x : *numbers) x *= scale;
    }
}

std::vector<halo::DensityThreshold> overdensity_thresholds(const HalosConfig& halos,
                                                           const halo::ReferenceDensities& densities)
{
    const bool known = std::isfinite(densities.critical);
    if (halos.overdensities.empty())
        return known ? halo::usual_thresholds(densities) : std::vector<halo::DensityThreshold>{};
    std::vector<halo::DensityThreshold> thresholds;
    for (const std::string& name : halos.overdensities) {
        thresholds.push_back(halo::density_threshold(name, densities));
        if (!std::isfinite(thresholds.back().density))
            throw ConfigError(
                fmt::format("halos.overdensities: found {}, expected a density to multiply: there is no "
                            "cosmology here; halos.reference_density (find --reference-density) gives one",
                            name));
    }
    return thresholds;
}

HaloCatalogue CatalogueMaker::make(const HaloInput& input, const HalosConfig& halos,
                                   const HaloContext& context, WantedParticles wanted,
                                   const Progress& progress)
{
    const Progress stop{{}, progress.stop};  // without reports: how the work divides is not known
    const std::vector<halo::DensityThreshold> thresholds = overdensity_thresholds(halos, context.densities);
    const halo::CatalogueQuery query = query_of(halos, context, thresholds);
    catalogue_.compute(input.exec, input.particles, input.groups, query, stop);
    HaloCatalogue found;
    std::optional<halo::SubhaloLists> subhalos;
    const auto start = std::chrono::steady_clock::now();
    if (halos.substructure) {
        subhalos = halo::find_subhalo_lists(input.exec, input.particles, catalogue_.members(),
                                            subhalo_config(halos, context), stop);
        found.subhalos = table_of_subhalos(input, *subhalos, query, catalogue_, stop);
    }
    const std::chrono::duration<double> substructure = std::chrono::steady_clock::now() - start;
    found.table = catalogue_.table(subhalos ? &subhalos->rows : nullptr);
    add_centre_columns(found.table, input, catalogue_, halos, query, stop);
    scale_velocities(found.table, context.velocity_factor);
    if (found.subhalos) scale_velocities(*found.subhalos, context.velocity_factor);
    times_ = catalogue_.times();
    times_.substructure = halos.substructure ? substructure.count() : 0;
    if (wanted.members)
        found.members = subhalos
                            ? halo::members_by_binding(input.exec, input.particles.n, subhalos->members())
                            : halo::members_by_distance(input.exec, input.particles, catalogue_.members(),
                                                        catalogue_.centres().position, context.box);
    stop.at(0, "particles in the order of the groups");
    if (wanted.particles || wanted.order)
        add_sorted(found, input, catalogue_.members(), subhalos ? &*subhalos : nullptr, wanted);
    return found;
}

memory::Part catalogue_memory(const HalosConfig& halos, Backend where, std::size_t n, bool links)
{
    const auto finder = halo::make_finder(halos.method, finder_settings(halos, {}), halos.finders);
    memory::Part part{.what = "halos", .knob = "output.halos.every: 0"};
    part.kept = finder->scratch_bytes(where, n);
    if (links) part.kept += 3 * n * sizeof(std::int32_t);  // the halo of each particle in three catalogues
    // the particles in the order of the groups are more than any part of a catalogue takes before them
    const std::size_t sorted = n * Particles::bytes_per_particle();
    const std::size_t subhalos = halos.substructure ? halo::subhalo_scratch_bytes(where, n) : 0;
    if (where == Backend::cpu) {
        part.passing = sorted + subhalos;  // the largest group is at most all particles
        return part;
    }
    part.kept += halo::GroupCatalogue::scratch_bytes(n) + subhalos;
    if (halos.centre == halo::Centre::poisson) {
        const auto& poisson = halos.centres.get<halo::PoissonConfig>();
        part.kept += halo::poisson::PoissonGrids::device_bytes(static_cast<int>(poisson.grid),
                                                               n / poisson.least_members);
    }
    part.host = sorted;
    return part;
}

HaloCatalogue make_halo_catalogue(const Particles& host, const halo::Groups& groups, const HalosConfig& halos,
                                  const HaloContext& context, WantedParticles wanted,
                                  const Progress& progress)
{
    const HaloInput input{{Backend::cpu}, host.view(), halo::view_of(groups)};
    return CatalogueMaker().make(input, halos, context, wanted, progress);
}

}  // namespace aureole::run
