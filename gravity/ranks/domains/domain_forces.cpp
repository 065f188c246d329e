#include "gravity/ranks/domains/domain_forces.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "gravity/ranks/domains/shared_calls.hpp"
#include "gravity/tree/tree.hpp"
#include "sim/core/progress.hpp"

namespace aureole::gravity::domains {
namespace {

using comm::Parts;
using comm::Reduction;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// One part's walk: results, what is told about groups, and what was sent to whom.
struct PartWalk {
    Untouched<double> ax, ay, az, potential;
    Array<std::uint32_t> work;
    Array<std::uint8_t> is_incomplete;
    std::vector<Index> missing;
    std::atomic<std::size_t> n_missing{0};
    tree::WalkRecord record;
    std::vector<Index> again;  ///< groups
    std::vector<Essential> sent;

    void prepare(Index n, Index group_targets, bool with_potential, int n_parts)
    {
        const std::size_t groups = (n + group_targets - 1) / group_targets;
        for (Untouched<double>* array : {&ax, &ay, &az}) array->resize(n);
        potential.resize(with_potential ? n : 0);
        work.assign(groups, 0);
        is_incomplete.assign(groups, 0);
        missing.resize(4 * groups + 1024);
        again.clear();
        sent.assign(at(n_parts), {});
        record = {work.data(), is_incomplete.data(), &n_missing, missing.data(), missing.size()};
        n_missing = 0;
    }

    /// Slots of nodes that were missed, each once.
    std::vector<Index> missed() const
    {
        std::vector<Index> slots(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                        n_missing.load(), missing.size())));
        std::ranges::sort(slots);
        slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
        return slots;
    }
};

}  // namespace

/// All walks of one evaluation over the trees of the parts held here.
struct DomainForces::Walks {
    Parts& parts;
    const gravity::Config& config;
    const EntryParams& params;
    const Whole& whole;
    std::vector<OrderedDomain>& domains;
    std::vector<DomainTree>& trees;
    bool potential;
    DomainReport& report;
    DeviceWalk* on_device;  ///< or nullptr: on the CPU
    PhaseClock& clock;
    std::vector<PartWalk> walks = std::vector<PartWalk>(domains.size());

    tree::WalkTask task_of(int k, bool by_previous);
    void walk(bool by_previous);
    void walk_groups(int k, bool by_previous, std::span<const Index> groups);
    std::vector<Essential> missing_at_owners(int k) const;
    void first_round(bool by_previous);
    bool further_round(bool by_previous);
    void take(const Parts::Boxes& in);
    void keep_results();
};

tree::WalkTask DomainForces::Walks::task_of(int k, bool by_previous)
{
    const DomainTree& own = trees[at(k)];
    const DomainParticles& p = domains[at(k)].particles;
    PartWalk& to = walks[at(k)];
    tree::WalkTask task{};
    task.tree = own.view(whole.frame);
    task.particles = p.view();
    task.particles.n = task.tree.n_bodies;
    task.particles.type = own.type.data();  // of imported bodies, too
    if (by_previous) task.previous_acceleration = p.acceleration();
    task.outputs = {{to.ax.data(), to.ay.data(), to.az.data()}, potential ? to.potential.data() : nullptr};
    task.targets = own.order.data();
    task.n_targets = own.n;
    task.softening = tree::type_softening(config.softening);
    task.precision = config.precision;
    task.rule = params.rule;
    task.plan = config.plugins.get<tree::Config>().plan;
    task.record = &to.record;
    return task;
}

void DomainForces::Walks::take(const Parts::Boxes& in)
{
    for_each_together(at(parts.held()), parts.held() > 1, [&](std::size_t k) {
        const int part = parts.first() + static_cast<int>(k);
        reserve_for(in[k], trees[k]);
        for (int owner = 0; owner < parts.size(); ++owner) {
            if (in[k][at(owner)].empty()) continue;
            Reader from(in[k][at(owner)]);
            take_essential(from, owner, whole.size_of(owner), whole.neighbour(part, -1) == owner, trees[k]);
        }
        join_remote(trees[k]);
    });
}

/// Entries to all, nodes to those who may open them.
void DomainForces::Walks::first_round(bool by_previous)
{
    std::vector<Parts::Box> mine(at(parts.held()));
    parts.phase([&](int, int k) {
        trees[at(k)].drop_imports();
        walks[at(k)].prepare(trees[at(k)].n, params.group_targets, potential, parts.size());
        if (parts.size() > 1) Writer(mine[at(k)]).put(entries_of(task_of(k, by_previous), params));
    });
    clock.end("entries");
    if (parts.size() == 1) return;
    std::vector<std::vector<Entry>> entries;
    for (const Parts::Box& box : parts.all_gather(mine)) entries.push_back(Reader(box).take<Entry>());
    clock.end("messages");
    Parts::Boxes out = parts.boxes();
    const std::size_t n_parts = at(parts.size());
    const std::size_t n_tasks = at(parts.held()) * n_parts;
    const bool share = n_tasks >= 2 * static_cast<std::size_t>(omp_get_max_threads());
    for_each_together(n_tasks, share, [&](std::size_t task) {
        const std::size_t k = task / n_parts, to = task % n_parts;
        if (to == at(parts.first()) + k) return;
        Essential& nodes = walks[k].sent[to] = essential_nodes(trees[k], entries[to], params);
        if (nodes.pairs.empty() && nodes.leaves.empty()) return;
        Writer box(out[k][to]);
        put_essential(trees[k], nodes, box);
    });
    clock.end("essential");
    take(parts.exchange(std::move(out)));
    clock.end("take");
}

/// Walks of some groups, or of all where there are none.
void DomainForces::Walks::walk_groups(int k, bool by_previous, std::span<const Index> groups)
{
    const tree::WalkTask task = task_of(k, by_previous);
    if (on_device)
        on_device->walk(task, trees[at(k)], whole.n, groups, clock);
    else if (groups.empty())
        walk_cpu(task, {}, {});
    else
        walk_groups_cpu(task, groups);
}

/// Nodes that walks met without their children or bodies, by owner. A GPU does not tell them.
std::vector<Essential> DomainForces::Walks::missing_at_owners(int k) const
{
    std::vector<Essential> asked(at(parts.size()));
    const std::vector<Index> missed = walks[at(k)].missed();
    for (const RemoteNode& node : trees[at(k)].remote) {
        if (!std::ranges::binary_search(missed, node.slot)) continue;
        Essential& of_owner = asked[at(node.owner)];
        (trees[at(k)].tails[node.slot].count > 0 ? of_owner.leaves : of_owner.pairs).push_back(node.first);
    }
    for (Essential& of_owner : asked) {
        std::ranges::sort(of_owner.pairs);
        std::ranges::sort(of_owner.leaves);
    }
    return asked;
}

/// What groups missed comes, with all that they may ask for at all; then they walk again. False where none
/// did, or nothing came: then forces that are no numbers are so.
bool DomainForces::Walks::further_round(bool by_previous)
{
    std::vector<std::vector<std::uint64_t>> n_again;
    parts.phase([&](int, int k) {
        PartWalk& own = walks[at(k)];
        own.again.clear();
        for (std::size_t g = 0; g < own.is_incomplete.size(); ++g)
            if (own.is_incomplete[g]) own.again.push_back(static_cast<Index>(g));
        n_again.push_back({own.again.size()});
    });
    const std::uint64_t all_again = parts.all_reduce(n_again, Reduction::sum)[0];
    if (all_again == 0) return false;
    report.n_again += all_again;
    ++report.n_rounds;

    Parts::Boxes out = parts.boxes();
    parts.phase([&](int, int k) {
        const PartWalk& own = walks[at(k)];
        const std::vector<Essential> asked = missing_at_owners(k);
        std::vector<Entry> entries;
        const tree::WalkTask task = task_of(k, by_previous);
        for (const Index group : own.again) append_entries_of(task, group, params, entries);
        for (int owner = 0; owner < parts.size(); ++owner) {
            const Essential& of_owner = asked[at(owner)];
            const bool is_told = !of_owner.pairs.empty() || !of_owner.leaves.empty();
            if (owner == parts.first() + k) continue;  // what it asks of itself is here
            if (on_device ? entries.empty() : !is_told) continue;
            Writer box(out[at(k)][at(owner)]);
            box.put(of_owner.pairs);
            box.put(of_owner.leaves);
            box.put(entries);
        }
    });
    const Parts::Boxes asked = parts.exchange(std::move(out));
    Parts::Boxes answers = parts.boxes();
    EntryParams exact = params;
    exact.margin = EntryParams{}.margin;
    std::vector<std::vector<std::uint64_t>> n_sent;
    parts.phase([&](int, int k) {
        std::uint64_t& n = n_sent.emplace_back(1)[0];
        for (int to = 0; to < parts.size(); ++to) {
            if (asked[at(k)][at(to)].empty()) continue;
            Reader from(asked[at(k)][at(to)]);
            Essential wanted;
            from.take(wanted.pairs);
            from.take(wanted.leaves);
            const std::vector<Entry> entries = from.take<Entry>();
            Essential& sent = walks[at(k)].sent[at(to)];
            const Essential nodes =
                difference(both(wanted, essential_nodes(trees[at(k)], entries, exact)), sent);
            Writer box(answers[at(k)][at(to)]);
            put_essential(trees[at(k)], nodes, box);
            n += nodes.pairs.size() + nodes.leaves.size();
            sent = both(sent, nodes);
        }
    });
    take(parts.exchange(std::move(answers)));
    if (parts.all_reduce(n_sent, Reduction::sum)[0] == 0) return false;
    parts.phase([&](int, int k) {
        walks[at(k)].n_missing = 0;
        if (!walks[at(k)].again.empty()) walk_groups(k, by_previous, walks[at(k)].again);
    });
    return true;
}

/// Results become previous accelerations, and the work of a group that of its targets.
void DomainForces::Walks::keep_results()
{
    parts.phase([&](int, int k) {
        DomainParticles& p = domains[at(k)].particles;
        PartWalk& own = walks[at(k)];
        p.ax.swap(own.ax);
        p.ay.swap(own.ay);
        p.az.swap(own.az);
        if (potential) p.potential.swap(own.potential);
        const std::size_t n_own = p.size();
#pragma omp parallel for if (n_own > parallel_threshold)
        for (std::size_t i = 0; i < n_own; ++i) {
            const std::size_t size = params.group_targets, g = i / size, first = g * size;
            const auto n = static_cast<std::uint32_t>(std::min(size, p.size() - first));
            p.work[i] = own.work[g] / n + (i == first ? own.work[g] % n : 0);
        }
    });
}

void DomainForces::Walks::walk(bool by_previous)
{
    ++report.n_walks;
    ++report.n_rounds;
    first_round(by_previous);
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    parts.phase([&](int, int k) { walk_groups(k, by_previous, {}); });
    clock.end("walk");
    report.walk_seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    while (further_round(by_previous)) {
    }
    clock.end("again");
    keep_results();
    clock.end("keep");
}

double DomainReport::imbalance() const
{
    const double sum = static_cast<double>(std::accumulate(work.begin(), work.end(), std::uint64_t{0}));
    return sum > 0 ? static_cast<double>(std::ranges::max(work)) * static_cast<double>(work.size()) / sum : 1;
}

DomainForces::DomainForces(Parts& parts, const gravity::Config& config, const CutRule& rule,
                           const EntryParams& entries, Backend walked_on)
    : parts_(parts), config_(config), rule_(rule), entries_(entries), walked_on_(walked_on)
{
    static_cast<void>(tree::Tree(config));  // its checks
    entries_.rule = tree::acceptance_criterion(config);
    entries_.group_targets = tree::group_targets(walked_on);
    entries_.opened_within = walked_on == Backend::cuda ? cells_opened_within : 0;
}

void DomainForces::evaluate(std::vector<DomainParticles>& held, bool potential)
{
    report_ = {};
    PhaseClock clock;
    std::vector<OrderedDomain> domains;
    whole_ = distribute(parts_, held, rule_, whole_, domains, clock);
    report_.is_recut = whole_.is_recut;
    const tree::Config& own = config_.plugins.get<tree::Config>();
    std::vector<DomainTree> trees = build_trees(
        parts_, whole_, domains, {tree::type_softening(config_.softening), own.leaf_size, walked_on_}, clock);
    DeviceWalk* const on_device = walked_on_ == Backend::cuda ? &device_walk_ : nullptr;
    Walks walks{parts_, config_, entries_, whole_, domains, trees, potential, report_, on_device, clock};
    // as the tree solver: where no acceleration is known, one walk by angle and one by its results come first
    const bool starts = own.force_accuracy > 0 && !whole_.any_acceleration;
    if (whole_.n > 0)
        for (int k = 0; k < (starts ? 3 : 1); ++k) walks.walk(k > 0 || whole_.any_acceleration);

    std::vector<std::vector<std::uint64_t>> counts;
    const std::size_t n = at(parts_.size());
    parts_.phase([&](int part, int k) {
        std::vector<std::uint64_t>& of = counts.emplace_back(3 * n);
        const DomainParticles& p = domains[at(k)].particles;
        of[at(part)] = p.size();
        of[n + at(part)] = std::accumulate(p.work.begin(), p.work.end(), std::uint64_t{0});
        of[2 * n + at(part)] = counted_bytes(trees[at(k)]);
        held[at(k)] = std::move(domains[at(k)].particles);
    });
    const std::vector<std::uint64_t> all = parts_.all_reduce(counts, Reduction::sum);
    const auto third = [&](std::size_t k) {
        return std::vector<std::uint64_t>(all.begin() + static_cast<std::ptrdiff_t>(k * n),
                                          all.begin() + static_cast<std::ptrdiff_t>((k + 1) * n));
    };
    report_.particles = third(0);
    report_.work = third(1);
    report_.essential_bytes = third(2);
    clock.end("report");
    report_.phases = clock.phases();
}

void send_home(Parts& parts, std::vector<DomainParticles>& held)
{
    std::vector<std::vector<std::uint64_t>> sizes;
    parts.phase([&](int, int k) { sizes.push_back({held[at(k)].size()}); });
    const std::uint64_t n = parts.all_reduce(sizes, Reduction::sum)[0];
    std::vector<std::uint64_t> ends;
    for (int p = 0; p < parts.size(); ++p)
        ends.push_back(comm::piece_of(n, cut_unit, at(p), at(parts.size())).end);
    Parts::Boxes out = parts.boxes();
    parts.phase([&](int, int k) {
        DomainParticles& own = held[at(k)];
        std::vector<std::vector<Index>> to(at(parts.size()));
        for (std::size_t i = 0; i < own.size(); ++i) {
            AUREOLE_EXPECT(own.serial[i] < n, "a particle with the serial number {} among {}", own.serial[i],
                           n);
            const auto part = std::ranges::upper_bound(ends, own.serial[i]) - ends.begin();
            to[static_cast<std::size_t>(part)].push_back(static_cast<Index>(i));
        }
        for (int part = 0; part < parts.size(); ++part) {
            const std::vector<Index>& movers = to[at(part)];
            if (movers.empty()) continue;
            Writer box(out[at(k)][at(part)]);
            const DomainParticles moved = gathered(own, movers);
            put_particles(box, moved, 0, moved.size());
            std::vector<double> potential;
            if (!own.potential.empty())
                for (const Index i : movers) potential.push_back(own.potential[i]);
            box.put(potential);
        }
        own = {};
    });
    const Parts::Boxes in = parts.exchange(std::move(out));
    parts.phase([&](int, int k) {
        DomainParticles all;
        for (const Parts::Box& box : in[at(k)]) {
            if (box.empty()) continue;
            Reader from(box);
            take_particles(from, all);
            from.take(all.potential);
        }
        std::vector<Index> order(all.size());
        std::iota(order.begin(), order.end(), Index{0});
        std::ranges::sort(order, {}, [&](Index i) { return all.serial[i]; });
        held[at(k)] = gathered(all, order);
        for (const Index i : order)
            if (!all.potential.empty()) held[at(k)].potential.push_back(all.potential[i]);
    });
}

}  // namespace aureole::gravity::domains
