#include "sim/analysis/halo_catalogue.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "halo/catalogue/catalogue_loops.hpp"
#include "halo/catalogue/member_order.hpp"
#include "halo/centres/poisson/poisson_grids.hpp"
#include "halo/copy_bytes.hpp"
#include "halo/device_members.hpp"
#include "halo/needed_arrays.hpp"
#include "halo/substructure/substructure.hpp"
#include "sim/analysis/catalogue_plan.hpp"
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

/// What the catalogue tells of how the centres were found.
void add_centre_columns(Table& table, const HaloInput& input, halo::GroupCatalogue& groups,
                        const HalosConfig& halos, halo::CatalogueQuery query, const Progress& progress)
{
    CentreFacts facts{.value = groups.centres().value};
    if (halos.centre == halo::Centre::most_connected)
        for (std::size_t group = 0; group < groups.rows().size(); ++group)
            facts.ties.push_back(static_cast<std::int64_t>(groups.centres().ties.size(group)));
    for (const halo::HaloProperties& row : groups.rows())
        facts.lengths.push_back(static_cast<std::uint64_t>(row.n_members));
    facts.checked = groups_to_check(facts.lengths, halos);
    if (!facts.checked.empty()) {
        query.centre.method = halo::Centre::most_bound;
        halo::DeviceMembers lists;
        lists.take(input.exec, groups.members(), facts.checked);
        const halo::Centres best =
            groups.centres_of(input.exec, input.particles, lists.view(), query, progress);
        for (std::size_t k = 0; k < facts.checked.size(); ++k)
            facts.is_most_bound.push_back(
                best.particle[k] == groups.centres().particle[facts.checked[k]] ? 1 : 0);
    }
    add_centre_columns(table, halos, std::move(facts));
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
    const halo::CatalogueQuery query = catalogue_query(halos, context, thresholds);
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
