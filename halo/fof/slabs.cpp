// Particles are ordered by slab, and inside it by three parts: within a linking length above its lower face,
// the rest, and for the last slab of a periodic box within a linking length below the upper face. A pair of
// friends lies in one slab, or its lower particle (in x) in one and the other in the first part of the next:
// so each slab is searched together with that part, which follows it in the order. In a periodic box a last
// search takes the parts at both faces. Every thread takes one slab after the other, and all join sets of
// places in the order, so that a slab keeps nothing. Cost: that of cells, and two passes over x. Memory: 12
// bytes a particle, 8 of them while slabs are linked, and 92 for each in the slabs that are searched at one
// time.
#include "halo/fof/slabs.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "halo/fof/fof_workspace.hpp"
#include "halo/fof/slab_order.hpp"
#include "halo/union_find.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/counted_vector.hpp"
#include "sim/core/particles.hpp"

namespace aureole::halo {
namespace {

std::size_t n_threads() { return static_cast<std::size_t>(omp_get_max_threads()); }

constexpr Index least_members = 2;  ///< groups of one can be as many as particles, which takes memory

bool all_link(const ConstParticlesView& host, std::uint8_t linking_types)
{
    if (!host.type) return type_links(linking_types, host.type_of(0));
    bool all = true;
#pragma omp parallel for reduction(&& : all)
    for (Index i = 0; i < host.n; ++i) all = all && type_links(linking_types, host.type[i]);
    return all;
}

/// Places in the order from `begin` on, and the same from `other_begin` on.
struct Places {
    Index begin, n, other_begin = 0, n_other = 0;

    Index size() const { return n + n_other; }
    Index operator[](Index k) const { return k < n ? begin + k : other_begin + (k - n); }
};

/// What one thread searches one slab after the other in.
struct SlabMemory {
    Vec3Buffer position;
    Buffer<std::byte> block;
};

/// One search: a slab and the part above it, or both faces of a periodic box.
struct SlabTask {
    Places places;
    FofExtent extent;
    double left_out_above = std::numeric_limits<double>::infinity();  ///< the next slab links friends there
    Index first_alone = 0, end_alone = 0;                             ///< places that no other search knows
};

/// Links slabs into sets of places, each by one thread.
class SlabSearch {
public:
    SlabSearch(const ConstParticlesView& host, const FofConfig& config, const Index* order, Index* set)
        : host_(host), config_(config), order_(order), sets_{set}
    {
        config_.method = Method::grid;
#pragma omp parallel for
        for (Index p = 0; p < host_.n; ++p) sets_.parent[p] = p;
    }

    /// Whether all slabs could be cut into cells.
    bool link(const std::vector<SlabTask>& tasks, const Progress& progress)
    {
        std::atomic<bool> fits = true, ends = false;
        std::atomic<std::size_t> n_done = 0;
        std::exception_ptr failure;
        for (const SlabTask& task : tasks) largest_ = std::max(largest_, task.places.size());
#pragma omp parallel
        {
            SlabMemory memory;
#pragma omp for schedule(dynamic, 1)
            for (std::size_t t = 0; t < tasks.size(); ++t) {
                if (ends) continue;
                try {
                    const double share = static_cast<double>(n_done++) / static_cast<double>(tasks.size());
                    if (omp_get_thread_num() == 0) progress.at(0.1 + 0.8 * share, "linking friends");
                    if (!link_places(tasks[t], memory)) fits = false, ends = true;
                } catch (...) {
#pragma omp critical(fof_slab_failure)
                    failure = std::current_exception();
                    ends = true;
                }
            }
        }
        if (failure) std::rethrow_exception(failure);
        return fits;
    }

private:
    /// Particles of a slab lie anywhere in the input, which is asked for some time before it is needed.
    ConstParticlesView gathered(const Places& places, Vec3Buffer& position) const
    {
        constexpr Index ahead = 32;
        const ConstVec3View& from = host_.position;
        for (auto* axis : {&position.x, &position.y, &position.z}) axis->require(Backend::cpu, largest_);
        const Vec3View to = position.view();
        for (Index k = 0; k < places.size(); ++k) {
            if (k + ahead < places.size()) {
                const Index next = order_[places[k + ahead]];
                for (const double* axis : {from.x, from.y, from.z}) __builtin_prefetch(axis + next);
            }
            to.store(k, from.load(order_[places[k]]));
        }
        ConstParticlesView view{};
        view.n = places.size();
        view.where = Backend::cpu;
        view.position = position.view();
        return view;
    }

    bool link_places(const SlabTask& task, SlabMemory& memory)
    {
        if (task.places.size() == 0) return true;
        const ConstParticlesView slab = gathered(task.places, memory.position);
        memory.block.require(Backend::cpu, FofMemory(Backend::cpu, {largest_, 0, false, true}).bytes);
        FofWorkspace workspace({}, slab, config_, memory.block);
        workspace.set_extent(task.extent);
        workspace.leave_out_above(task.left_out_above);
        const std::unique_ptr<Linker> linker = make_cell_linker(workspace);
        if (!linker) return false;
        linker->order(slab.n);
        linker->build(slab.n);
        linker->link();
        join(task, workspace.order(), workspace.set(), workspace.wide_part(0));
        return true;
    }

    /// Joins the sets of all particles by those of a slab. Places that no other search knows, and to which
    /// therefore nothing points yet, are pointed at the lowest of their set at once. `lowest`: memory for
    /// each point.
    void join(const SlabTask& task, const Index* order, const Index* set, Index* lowest)
    {
        const Places& places = task.places;
        for (Index k = 0; k < places.size(); ++k) lowest[k] = ~Index{0};
        for (Index k = 0; k < places.size(); ++k) lowest[set[k]] = std::min(lowest[set[k]], places[order[k]]);
        for (Index k = 0; k < places.size(); ++k) {
            const Index place = places[order[k]], to = lowest[set[k]];
            if (place == to) continue;
            if (task.first_alone <= place && place < task.end_alone)
                sets_.parent[place] = to;
            else
                sets_.unite(place, to);
        }
    }

    const ConstParticlesView& host_;
    FofConfig config_;
    const Index* order_;
    UnionFind sets_;
    Index largest_ = 0;  ///< of the tasks, so that a thread takes memory once
};

std::vector<SlabTask> tasks_of(Index n, const Box& box, const Slabs& slabs, const PartBeginnings& begin)
{
    const FofExtent whole{{0, 0, 0}, {box.side, box.side, box.side}, {}, {}};
    const Index upper_face = begin[2 * slabs.size()];
    std::vector<SlabTask> tasks;
    for (std::size_t s = 0; s < slabs.size(); ++s) {
        const bool is_last = s + 1 == slabs.size();
        const Index first = begin[2 * s], with_margin = (is_last ? n : begin[2 * s + 3]) - first;
        SlabTask task{{first, with_margin}, whole};
        if (!box.periodic()) {
            task.extent.low = {slabs.low[s], slabs.y.low, slabs.z.low};
            task.extent.high = {is_last ? slabs.range.high : slabs.low[s + 1] + slabs.margin, slabs.y.high,
                                slabs.z.high};
        }
        if (!is_last) task.left_out_above = slabs.low[s + 1] + slabs.rounding;
        task.first_alone = begin[2 * s + 1];
        task.end_alone = is_last ? upper_face : begin[2 * s + 2];
        tasks.push_back(task);
    }
    if (box.periodic()) tasks.push_back({{begin[0], begin[1], upper_face, n - upper_face}, whole});
    return tasks;
}

/// Counts of the sets that one thread met last, so that threads seldom add to one number.
class RecentCounts {
public:
    explicit RecentCounts(Index* count) : count_(count) {}
    RecentCounts(const RecentCounts&) = delete;
    RecentCounts& operator=(const RecentCounts&) = delete;
    ~RecentCounts()
    {
        for (const Recent& one : recent_) add(one);
    }

    void count(Index root)
    {
        Recent& one = recent_[root % recent_.size()];
        if (one.root != root) add(std::exchange(one, {root, 0}));
        ++one.n;
    }

private:
    struct Recent {
        Index root, n;
    };

    void add(const Recent& one)
    {
        if (one.n > 0) std::atomic_ref(count_[one.root]).fetch_add(one.n, std::memory_order_relaxed);
    }

    Index* count_;
    std::array<Recent, 1024> recent_{};
};

/// Every place at its root, and the number of places in its set there.
void count_members(Index n, Index* set, Index* count)
{
    const UnionFind sets{set};
#pragma omp parallel for
    for (Index p = 0; p < n; ++p) {
        sets.flatten(p);
        count[p] = set[p] == p ? 1 : 0;
    }
#pragma omp parallel
    {
        RecentCounts counts(count);
#pragma omp for
        for (Index p = 0; p < n; ++p)
            if (set[p] != p) counts.count(set[p]);
    }
}

struct Group {
    std::uint64_t smallest_id;
    Index n_members, root;
    Index first;  ///< its first particle, which decides between groups of repeated ids
};

using GroupList = memory::CountedVector<Group>;

constexpr Index no_group = 0xffffffffu;

/// The sets with enough members. Leaves count[root] = the place of its group in the list, no_group for
/// others.
GroupList groups_of(Index n, const Index* set, Index* count, Index min_members)
{
    const auto is_group = [=](Index p) { return set[p] == p && count[p] >= min_members; };
    const ParticleBlocks blocks{n};
    std::vector<Index> begin(blocks.size() + std::size_t{1});
#pragma omp parallel for
    for (Index b = 0; b < blocks.size(); ++b)
        for (Index p = blocks.begin(b); p < blocks.begin(b + 1); ++p) begin[b + 1] += is_group(p) ? 1 : 0;
    for (Index b = 0; b < blocks.size(); ++b) begin[b + 1] += begin[b];
    GroupList groups(begin.back());
#pragma omp parallel for
    for (Index b = 0; b < blocks.size(); ++b) {
        Index at = begin[b];
        for (Index p = blocks.begin(b); p < blocks.begin(b + 1); ++p) {
            const bool is_one = is_group(p);
            if (is_one) groups[at] = {~std::uint64_t{0}, count[p], p, no_group};
            count[p] = is_one ? at++ : no_group;
        }
    }
    return groups;
}

template <class T>
void lower_to(T& least, T value)
{
    const std::atomic_ref shared(least);
    T before = shared.load(std::memory_order_relaxed);
    while (value < before && !shared.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
    }
}

void find_smallest_ids(const ConstParticlesView& host, const Index* order, const Index* set,
                       const Index* group_of, GroupList& groups)
{
#pragma omp parallel for
    for (Index p = 0; p < host.n; ++p) {
        const Index group = group_of[set[p]], i = order[p];
        if (group == no_group) continue;
        lower_to(groups[group].smallest_id, host.id_of(i));
        lower_to(groups[group].first, i);
    }
}

bool suits(const ConstParticlesView& host, const FofConfig& config, const SlabFinder::Sizes& sizes)
{
    return host.n >= sizes.least_particles && host.n / sizes.least_in_slab >= n_threads() &&
           config.min_members >= least_members && config.min_friends <= 1 && !config.core_flags &&
           all_link(host, config.linking_types);
}

}  // namespace

std::optional<GroupsView> SlabFinder::find(const ConstParticlesView& host, const FofConfig& config,
                                           FofTimes& times, const Progress& progress)
{
    using Clock = std::chrono::steady_clock;
    Clock::time_point last = Clock::now();
    const auto clock = [&last](double& seconds) {
        seconds = std::chrono::duration<double>(Clock::now() - last).count();
        last = Clock::now();
    };
    count_or_label_ = {};
    if (!suits(host, config, sizes_)) return {};
    progress.at(0, "cutting space into slabs");
    const std::size_t in_slab = std::max(sizes_.least_in_slab, host.n / least_slabs(n_threads()));
    const auto slabs = cut(host.position, host.n, config.box, config.linking_length, in_slab);
    if (!slabs) return {};
    Buffer<Index> order(Backend::cpu, host.n);
    const PartBeginnings begin = order_by_slab(host.position.x, host.n, config.box, *slabs, order.data());
    clock(times.order);
    Buffer<Index> set(Backend::cpu, host.n);
    const std::vector<SlabTask> tasks = tasks_of(host.n, config.box, *slabs, begin);
    if (!SlabSearch(host, config, order.data(), set.data()).link(tasks, progress)) return {};
    clock(times.link);

    progress.at(0.9, "numbering groups");
    count_or_label_ = Buffer<Index>(Backend::cpu, host.n);
    count_members(host.n, set.data(), count_or_label_.data());
    number_groups(host, order.data(), set.data(), config.min_members);
    auto* const label = reinterpret_cast<std::int32_t*>(count_or_label_.data());
    static_assert(static_cast<std::int32_t>(no_group) == -1);
#pragma omp parallel for
    for (Index p = 0; p < host.n; ++p) label[order.data()[p]] = static_cast<std::int32_t>(set.data()[p]);
    clock(times.label);
    return GroupsView{host.n, static_cast<Index>(n_members_.size()), label, n_members_.data(), nullptr};
}

/// Leaves in `set` the row of each place's group.
void SlabFinder::number_groups(const ConstParticlesView& host, const Index* order, Index* set,
                               Index min_members)
{
    Index* const count = count_or_label_.data();
    GroupList groups = groups_of(host.n, set, count, min_members);
    AUREOLE_EXPECT(groups.size() <= std::numeric_limits<std::int32_t>::max(),
                   "{} groups are more than a label can number: ask for more members than {}", groups.size(),
                   min_members);
    find_smallest_ids(host, order, set, count, groups);
    std::ranges::sort(groups, [](const Group& a, const Group& b) {
        if (a.n_members != b.n_members) return a.n_members > b.n_members;
        return a.smallest_id != b.smallest_id ? a.smallest_id < b.smallest_id : a.first < b.first;
    });
    n_members_ = Buffer<Index>(Backend::cpu, groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
        n_members_.data()[g] = groups[g].n_members;
        count[groups[g].root] = static_cast<Index>(g);
    }
#pragma omp parallel for
    for (Index p = 0; p < host.n; ++p) set[p] = count[set[p]];
}

std::size_t SlabFinder::scratch_bytes(std::size_t n)
{
    const std::size_t largest = n / least_slabs(n_threads()) * 5 / 4;
    const FofMemory memory(Backend::cpu, {largest, 0, false, true});
    return 3 * n * sizeof(Index) + n_threads() * (largest * 3 * sizeof(double) + memory.bytes);
}

}  // namespace aureole::halo
