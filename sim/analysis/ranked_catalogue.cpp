#include "sim/analysis/ranked_catalogue.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <numeric>
#include <type_traits>
#include <utility>

#include "halo/catalogue/member_order.hpp"
#include "halo/device_members.hpp"
#include "halo/ranks/described_groups.hpp"
#include "halo/ranks/group_shares.hpp"
#include "halo/ranks/ranked_finder.hpp"
#include "sim/analysis/catalogue_plan.hpp"
#include "sim/comm/agreed.hpp"
#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

/// What all ranks have to know.
struct Task {
    HaloContext context;
    std::vector<std::uint64_t> n_members;
    Config config;

    std::vector<std::byte> bytes() const
    {
        static_assert(std::is_trivially_copyable_v<HaloContext>);
        std::vector<std::byte> all{halo::catalogue_task};
        const auto add = [&](std::span<const std::byte> more) {
            all.insert(all.end(), more.begin(), more.end());
        };
        const std::string yaml = to_yaml(config);
        const std::uint64_t n_groups = n_members.size();
        add(comm::bytes_of(context));
        add(comm::bytes_of(n_groups));
        add(std::as_bytes(std::span(n_members)));
        add(std::as_bytes(std::span(yaml)));
        return all;
    }

    /// Of what follows the kind of task.
    static Task of(std::span<const std::byte> bytes)
    {
        Task task;
        std::uint64_t n_groups = 0;
        const auto take = [&](void* to, std::size_t n) {
            if (n > 0) std::memcpy(to, bytes.data(), n);
            bytes = bytes.subspan(n);
        };
        take(&task.context, sizeof task.context);
        take(&n_groups, sizeof n_groups);
        task.n_members.resize(n_groups);
        take(task.n_members.data(), n_groups * sizeof task.n_members[0]);
        std::string yaml(bytes.size(), ' ');
        take(yaml.data(), yaml.size());
        task.config = parse_config(yaml, "settings of rank 0", {});
        return task;
    }
};

/// The work of all ranks together.
halo::DescribedGroups describe(comm::Communicator& ranks, Exec exec, const Task& task,
                               std::span<const halo::DensityThreshold> thresholds,
                               std::span<const std::size_t> checked, const ConstParticlesView& particles,
                               const std::vector<std::int32_t>& label)
{
    const HalosConfig& halos = task.config.halos;
    halo::DescriptionQuery query;
    query.exec = exec;
    query.catalogue = catalogue_query(halos, task.context, thresholds);
    query.spheres = halos.overdensity_crossing == halo::Crossing::outermost;
    query.checked = checked;
    if (halos.substructure) query.subhalos = subhalo_config(halos, task.context);
    comm::Parts parts(ranks, 1);
    const halo::PartParticles own{particles};
    return comm::ending_together(
        ranks,
        [&] {
            return halo::describe_over_parts(parts, std::span(&own, 1), std::span(&label, 1), task.n_members,
                                             query);
        },
        "memory is exhausted while groups are described: take more ranks, or hosts with more memory");
}

/// Positions and masses where `exec` works.
class PointsThere {
public:
    PointsThere(Exec exec, const ConstParticlesView& host) : view_(host)
    {
        if (exec.backend == host.where) return;
        const auto copy = [&](const double* values) {
            copies_.emplace_back(exec.backend, std::span(values, host.n));
            return static_cast<const double*>(copies_.back().data());
        };
        view_ = {};
        view_.n = host.n;
        view_.where = exec.backend;
        view_.position = {copy(host.position.x), copy(host.position.y), copy(host.position.z)};
        view_.mass = copy(host.mass);
    }
    const ConstParticlesView& view() const { return view_; }

private:
    std::vector<Buffer<double>> copies_;
    ConstParticlesView view_;
};

/// Of innermost crossings, whose masses are sums in the order of one rank's tree.
void add_innermost_spheres(Exec exec, halo::DescribedGroups& found, const HaloInput& input,
                           std::span<const halo::DensityThreshold> thresholds, const HaloContext& context)
{
    std::vector<Vec3> centre;
    std::vector<double> mass, density;
    for (const halo::HaloProperties& row : found.rows) {
        centre.push_back(row.centre);
        mass.push_back(row.mass);
    }
    for (const halo::DensityThreshold& threshold : thresholds) density.push_back(threshold.density);
    const PointsThere there(exec, input.particles);
    found.spheres = halo::OverdensitySearch().spheres(
        exec, {there.view(), context.box, centre, density, mass, halo::Crossing::innermost});
}

Table table_of_groups(const halo::DescribedGroups& found, std::span<const halo::DensityThreshold> thresholds,
                      const HalosConfig& halos, const HaloContext& context, CentreFacts facts)
{
    Table table = halo::group_table({.rows = found.rows,
                                     .thresholds = thresholds,
                                     .spheres = found.spheres,
                                     .potentials = true,
                                     .subhalos = found.subhalos ? &found.subhalos->lists : nullptr,
                                     .gravitational_constant = context.gravitational_constant});
    add_centre_columns(table, halos, std::move(facts));
    scale_velocities(table, context.velocity_factor);
    return table;
}

Table table_of_subhalos(const halo::DescribedGroups& found,
                        std::span<const halo::DensityThreshold> thresholds, const HaloContext& context)
{
    std::vector<halo::PerType> types;
    for (const halo::HaloProperties& row : found.rows) types.push_back(row.n_members_by_type);
    Table table = halo::subhalo_table({.rows = found.subhalos->rows,
                                       .subhalos = found.subhalos->lists,
                                       .types_of_groups = types,
                                       .most_bound_id = found.subhalos->most_bound_id,
                                       .thresholds = thresholds,
                                       .spheres = found.subhalos->spheres,
                                       .potentials = true,
                                       .gravitational_constant = context.gravitational_constant});
    scale_velocities(table, context.velocity_factor);
    return table;
}

/// Particles in the order of the catalogue.
std::vector<Index> order_of(const HaloInput& input, const halo::DescribedGroups& found)
{
    if (found.subhalos)
        return halo::member_order(halo::groups_on_host(input.exec, input.groups), found.subhalos->lists);
    halo::DeviceMembers members;
    members.fill(input.exec, input.groups);
    return halo::order_by_group(input.exec, input.groups, members.view()).to_vector();
}

}  // namespace

HaloCatalogue make_ranked_catalogue(comm::Communicator& ranks, const HaloInput& input, const Config& config,
                                    const HaloContext& context, Exec exec, WantedParticles wanted)
{
    AUREOLE_EXPECT(
        input.exec.backend == Backend::cpu && !wanted.particles && !wanted.members,
        "a catalogue of several ranks of particles on a {} with more than their order, expected the "
        "host and the order alone",
        name_of(input.exec.backend));
    const HalosConfig& halos = config.halos;
    const std::vector<halo::DensityThreshold> thresholds = overdensity_thresholds(halos, context.densities);
    const std::span<const Index> sizes(input.groups.n_members, input.groups.n_groups);
    Task task{context, {sizes.begin(), sizes.end()}, config};
    // memory is taken before the others begin, who would wait for a rank that has none
    CentreFacts facts{.lengths = task.n_members, .checked = groups_to_check(task.n_members, halos)};
    const std::vector<std::int32_t> label(input.groups.label, input.groups.label + input.groups.n);
    std::vector<std::byte> bytes = task.bytes();
    ranks.broadcast_any(bytes, 0);
    halo::DescribedGroups found =
        describe(ranks, exec, task, thresholds, facts.checked, input.particles, label);
    if (halos.overdensity_crossing == halo::Crossing::innermost)
        add_innermost_spheres(exec, found, input, thresholds, context);
    facts.value = found.centre_value;
    facts.ties = found.centre_ties;
    facts.is_most_bound = found.is_most_bound;
    HaloCatalogue catalogue;
    catalogue.table = table_of_groups(found, thresholds, halos, context, std::move(facts));
    if (found.subhalos) catalogue.subhalos = table_of_subhalos(found, thresholds, context);
    if (wanted.order) catalogue.order = order_of(input, found);
    return catalogue;
}

void serve_catalogue(comm::Communicator& ranks, Exec exec, std::span<const std::byte> task)
{
    ConstParticlesView nothing{};
    nothing.where = Backend::cpu;
    Task all;
    std::vector<halo::DensityThreshold> thresholds;
    try {
        all = Task::of(task);
        thresholds = overdensity_thresholds(all.config.halos, all.context.densities);
    } catch (const std::exception& error) {  // rank 0 had none, and goes on
        ranks.abort(error.what());
    }
    const HalosConfig& halos = all.config.halos;
    try {
        describe(ranks, exec, all, thresholds, groups_to_check(all.n_members, halos), nothing, {});
    } catch (const std::exception&) {  // of all ranks: rank 0 tells it
    }
}

std::string uneven_groups_text(std::span<const Index> n_members, int n_ranks)
{
    const std::vector<std::uint64_t> lengths(n_members.begin(), n_members.end());
    if (!halo::GroupShares::is_uneven(lengths, static_cast<std::size_t>(n_ranks))) return "";
    const auto all = static_cast<double>(std::reduce(lengths.begin(), lengths.end(), std::uint64_t{0}));
    return fmt::format(
        "note: group 0 has {:.3g} % of all {:.0f} members; one rank describes it whole, and the others wait",
        100 * static_cast<double>(lengths[0]) / all, all);
}

}  // namespace aureole::run
