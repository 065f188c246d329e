#include "sim/cli/find/find_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "halo/catalogue/external_groups.hpp"
#include "halo/needed_arrays.hpp"
#include "halo/ranks/ranked_finder.hpp"
#include "sim/analysis/halo_report.hpp"
#include "sim/analysis/ranked_catalogue.hpp"
#include "sim/cli/find/find_by_parts.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"

namespace aureole::cli {
namespace {

bool in_space(const halo::FofConfig& fof)
{
    return std::isinf(fof.linking_velocity) && fof.relative_linking_velocity == 0;
}

/// The finder of one process, or that of all ranks. Dispersions of groups are measured by one process alone.
std::unique_ptr<halo::Finder> make_finder(const Find& find)
{
    auto finder = find.search.make_finder();
    if (!find.ranks) return finder;
    if (find.search.fof.relative_linking_velocity > 0) {
        fmt::print("the first rank alone looks for friends: it measures dispersions of whole groups\n");
        return finder;
    }
    return std::make_unique<halo::RankedFinder>(find.ranks->all, finder->settings(), find.ranks->moves.get());
}

/// Groups of the given memberships, where the particles are.
halo::GroupsView given_groups(Find& find)
{
    find.groups =
        halo::groups_of_memberships(find.membership, find.host().id.host(), find.search.fof.min_members);
    halo::GroupsView view = halo::view_of(find.groups);
    if (!find.there) return view;
    const Backend where = find.there->where();
    find.given_labels = Buffer<std::int32_t>(where, std::span<const std::int32_t>(find.groups.label));
    find.given_sizes = Buffer<Index>(where, std::span<const Index>(find.groups.n_members));
    view.label = find.given_labels.data();
    view.n_members = find.given_sizes.data();
    return view;
}

/// Masses and velocities, which finding did without.
Particles motion_of_file(Find& find)
{
    io::Snapshot again = io::read_snapshot(find.command.snapshot, {false, false, false});
    if (again.particles.size() != find.n_in_file)
        throw IoError(fmt::format("{}: holds {} particles, expected {} as when it was read first",
                                  find.command.snapshot.string(), again.particles.size(), find.n_in_file));
    if (find.loaded.units.nbody) io::restore_nbody_numbers(again);
    if (!find.kept.empty()) again.particles = again.particles.gathered(find.kept);
    return std::move(again.particles);
}

/// Gives `to` its masses and velocities.
void take_motion(Find& find, Particles& to, Particles from)
{
    if (!std::ranges::equal(from.id.host(), to.id.host()))
        throw IoError(fmt::format("{}: holds other particles than when it was read first",
                                  find.command.snapshot.string()));
    to.mass = std::move(from.mass);
    to.velocity = std::move(from.velocity);
    if (find.command.subsample == 1) return;
    for (double& mass : to.mass.host()) mass *= static_cast<double>(find.command.subsample);
}

/// `n_parts` is 0 for all particles at once.
halo::GroupsView groups_on_cpu(Find& find, int n_parts)
{
    Particles& host = find.host();
    ConstParticlesView view = host.view();
    const bool alone = in_space(find.search.fof);
    if (alone) {
        host.mass = {};
        host.velocity = {};
        view.mass = nullptr;
        view.velocity = {};
    }
    const Exec exec = find.device.exec;
    if (n_parts > 0)
        find.groups = groups_by_parts(find, n_parts);
    else
        find.groups = halo::groups_on_host(exec, find.catalogue->find(exec, view, *find.finder));
    find.finder.reset();
    if (alone && !labels_alone(find.command)) take_motion(find, host, motion_of_file(find));
    return halo::view_of(find.groups);
}

/// What the search reads on a device, and the catalogue after it.
halo::NeededArrays needed_on_device(const Find& find)
{
    const bool catalogue = !labels_alone(find.command);
    const bool motion_links = find.command.members.empty() && !in_space(find.search.fof);
    return {.mass = catalogue, .velocity = catalogue || motion_links};
}

}  // namespace

bool labels_alone(const FindCommand& command) { return !command.labels.empty() && command.csv.empty(); }

void expect_possible_on_ranks(const FindCommand& command, const run::HalosConfig& halos)
{
    const auto refuse = [](const std::string& what) {
        throw ConfigError(what +
                          " on one process alone, and there are several ranks: start it without mpirun");
    };
    if (command.parts > 0) refuse("--parts: particles are searched by parts");
    if (!command.dendrogram.empty()) refuse("--dendrogram: spanning trees are built");
    constexpr std::string_view methods[] = {"fastest", "kd_tree", "brute_force", "grid", "dbscan"};
    if (std::ranges::find(methods, halos.method) == std::end(methods))
        refuse(fmt::format("halos.method: {} works", halos.method));
}

bool reads_motion_later(const FindCommand& command, const run::Config& config,
                        const run::DeviceChoice& device)
{
    return (device.exec.backend == Backend::cpu || labels_alone(command)) && command.members.empty() &&
           !config.halos.linking_velocity && !config.halos.relative_linking_velocity;
}

std::unique_ptr<run::KernelLoading> load_kernels_while_reading(const FindCommand& command,
                                                               const run::Config& config,
                                                               const run::DeviceChoice& device)
{
    if (device.exec.backend == Backend::cpu || !run::takes_long_to_read(command.snapshot)) return nullptr;
    // the sample would count beside what the user lets the file take
    if (!memory::available(Backend::cpu).limit.empty()) return nullptr;
    return std::make_unique<run::KernelLoading>(device.exec, config.halos, !labels_alone(command));
}

namespace {

/// From host memory to the GPUs of all ranks, where the catalogue is made of it group by group.
halo::GroupsView groups_on_devices(Find& find)
{
    const Exec exec = std::exchange(find.device.exec, {});
    find.finder = make_finder(find);
    find.groups = halo::groups_on_host(exec, find.finder->find_on_device(exec, find.host().view()));
    find.finder.reset();
    return halo::view_of(find.groups);
}

}  // namespace

halo::GroupsView groups_of(Find& find)
{
    if (find.ranks && find.device.exec.backend != Backend::cpu) {
        if (find.command.members.empty() && find.search.fof.relative_linking_velocity == 0)
            return groups_on_devices(find);
        find.device.exec = {};  // the first rank alone has these groups, in host memory
    }
    const Exec exec = find.device.exec;
    const int n_parts = find.command.members.empty() && !find.ranks ? parts_of_search(find) : 0;
    if (n_parts > 0 && exec.backend != Backend::cpu) {
        find.groups = groups_by_parts(find, n_parts);
        return halo::view_of(find.groups);
    }
    if (exec.backend != Backend::cpu)
        find.there = halo::copy_needed(exec.backend, find.host(), needed_on_device(find));
    if (!find.command.members.empty()) return given_groups(find);
    find.finder = make_finder(find);
    if (exec.backend == Backend::cpu) return groups_on_cpu(find, n_parts);
    return find.catalogue->find(exec, find.view(), *find.finder);
}

run::HaloCatalogue catalogue_of(Find& find, const halo::GroupsView& groups)
{
    const run::HaloInput input{find.device.exec, find.view(), groups};
    const run::WantedParticles wanted{.order = find.command.labels.empty()};
    if (!find.ranks) {
        run::HaloCatalogue found = find.catalogue->make(input, find.config.halos, find.context, wanted);
        fmt::print("halos: {}\n", text_of(find.catalogue->times()));
        return found;
    }
    const int n_ranks = find.ranks->all.size();
    const std::string note = run::uneven_groups_text({groups.n_members, groups.n_groups}, n_ranks);
    if (!note.empty()) fmt::print("{}\n", note);
    const auto start = std::chrono::steady_clock::now();
    run::HaloCatalogue found = run::make_ranked_catalogue(find.ranks->all, input, find.config, find.context,
                                                          find.ranks->device.exec, wanted);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    fmt::print("halos: on {} ranks in {:.1f} ms\n", n_ranks, time.count());
    return found;
}

void serve_find(run::RunRanks& ranks)
{
    halo::serve_searches(ranks.all, ranks.moves.get(), [&](std::span<const std::byte> task) {
        run::serve_catalogue(ranks.all, ranks.device.exec, task);
    });
}

std::pair<Particles, halo::Groups> largest_groups(Find& find)
{
    halo::Groups groups;
    groups.n_members = find.groups.n_members;
    groups.n_members.resize(std::min(groups.n_members.size(), run::most_printed_groups));
    std::vector<Index> members;
    const std::size_t n = std::reduce(groups.n_members.begin(), groups.n_members.end(), std::size_t{0});
    members.reserve(n);
    groups.label.reserve(n);
    for (std::size_t i = 0; i < find.groups.label.size(); ++i) {
        const std::int32_t label = find.groups.label[i];
        if (label < 0 || static_cast<std::size_t>(label) >= groups.n_members.size()) continue;
        members.push_back(static_cast<Index>(i));
        groups.label.push_back(label);
    }
    Particles particles = find.host().gathered(members);
    if (particles.velocity.x.size() == particles.size()) return {std::move(particles), std::move(groups)};
    find.host() = {};
    find.groups.label = {};
    take_motion(find, particles, motion_of_file(find).gathered(members));
    return {std::move(particles), std::move(groups)};
}

}  // namespace aureole::cli
