// Particles are ordered by slab, and inside it by three parts: within a linking length above its lower face,
// the rest, and for the last slab of a periodic box within a linking length below the upper face. A pair of
// friends lies in one slab, or its lower particle (in x) in one and the other in the first part of the next:
// so each slab is searched together with that part, which follows it in the order. In a periodic box a last
// search takes the parts at both faces. Every thread takes one slab after the other, and all join sets of
// places in the order, so that a slab keeps nothing. Cost: that of cells, and two passes over x. Memory: 12
// bytes a particle, and 68 for each in the slabs that are searched at one time.
#include "halo/fof/slabs.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>

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
    Index n_own;  ///< the first ones, which no other search counts
    FofExtent extent;
};

/// Links slabs into sets of places, each by one thread.
class SlabSearch {
public:
    SlabSearch(const ConstParticlesView& host, const FofConfig& config, const SlabOrder& order, Index* set,
               Index* weight)
        : host_(host), config_(config), order_(order), sets_{set}, weight_(weight)
    {
        config_.method = Method::grid;
#pragma omp parallel for
        for (Index p = 0; p < host_.n; ++p) {
            sets_.parent[p] = p;
            weight_[p] = 0;
        }
    }

    /// Whether all slabs could be cut into cells.
    bool link(const std::vector<SlabTask>& tasks, const Progress& progress)
    {
        std::atomic<bool> fits = true, ends = false;
        std::atomic<std::size_t> n_done = 0;
        std::exception_ptr failure;
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
    ConstParticlesView gathered(const Places& places, Vec3Buffer& position) const
    {
        for (auto* axis : {&position.x, &position.y, &position.z}) axis->require(Backend::cpu, places.size());
        const Vec3View to = position.view();
        for (Index k = 0; k < places.size(); ++k)
            to.store(k, host_.position.load(order_.particle.data()[places[k]]));
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
        FofWorkspace workspace({}, slab, config_, memory.block);
        workspace.set_extent(task.extent);
        const std::unique_ptr<Linker> linker = make_cell_linker(workspace);
        if (!linker) return false;
        linker->order(slab.n);
        linker->build(slab.n);
        linker->link();
        join(task, workspace.order(), workspace.set());
        return true;
    }

    /// Joins the sets of all particles by those of a slab, and adds the numbers of its own particles, in runs
    /// of one set, to the root that the slab knows.
    void join(const SlabTask& task, const Index* order, const Index* set)
    {
        const Places& places = task.places;
        for (Index k = 0; k < places.size();) {
            const Index root = set[k], to = places[order[root]];
            Index own = 0;
            for (; k < places.size() && set[k] == root; ++k) {
                own += order[k] < task.n_own ? 1 : 0;
                if (const Index place = places[order[k]]; place != to) sets_.unite(place, to);
            }
            if (own > 0) std::atomic_ref(weight_[to]).fetch_add(own, std::memory_order_relaxed);
        }
    }

    const ConstParticlesView& host_;
    FofConfig config_;
    const SlabOrder& order_;
    UnionFind sets_;
    Index* weight_;
};

std::vector<SlabTask> tasks_of(Index n, const Box& box, const Slabs& slabs, const SlabOrder& order)
{
    const auto& begin = order.begin;
    const FofExtent whole{{0, 0, 0}, {box.side, box.side, box.side}, {}, {}};
    std::vector<SlabTask> tasks;
    for (std::size_t s = 0; s < slabs.size(); ++s) {
        const bool is_last = s + 1 == slabs.size();
        const Index first = begin[2 * s], own = (is_last ? n : begin[2 * s + 2]) - first;
        const Index with_margin = (is_last ? n : begin[2 * s + 3]) - first;
        FofExtent extent = whole;
        if (!box.periodic()) {
            extent.low = {slabs.low[s], slabs.y.low, slabs.z.low};
            extent.high = {is_last ? slabs.range.high : slabs.low[s + 1] + slabs.margin, slabs.y.high,
                           slabs.z.high};
        }
        tasks.push_back({{first, with_margin}, own, extent});
    }
    const Index upper_face = begin[2 * slabs.size()];
    if (box.periodic()) tasks.push_back({{begin[0], begin[1], upper_face, n - upper_face}, 0, whole});
    return tasks;
}

/// Every place at its root, and all weights there.
void gather_weights(Index n, Index* set, Index* weight)
{
    const UnionFind sets{set};
#pragma omp parallel for
    for (Index p = 0; p < n; ++p) sets.flatten(p);
#pragma omp parallel for
    for (Index p = 0; p < n; ++p) {
        if (set[p] == p || weight[p] == 0) continue;
        std::atomic_ref(weight[set[p]]).fetch_add(weight[p], std::memory_order_relaxed);
    }
}

struct Group {
    std::uint64_t smallest_id;
    Index n_members, root;
    Index first;  ///< its first particle, which decides between groups of repeated ids
};

using GroupList = memory::CountedVector<Group>;

constexpr Index no_group = 0xffffffffu;

/// The sets with enough members. Leaves weight[root] = the place of its group in the list, no_group for
/// others.
GroupList groups_of(Index n, const Index* set, Index* weight, Index min_members)
{
    const auto is_group = [=](Index p) { return set[p] == p && weight[p] >= min_members; };
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
            if (is_one) groups[at] = {~std::uint64_t{0}, weight[p], p, no_group};
            weight[p] = is_one ? at++ : no_group;
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
    progress.at(0, "cutting space into slabs");
    if (!suits(host, config, sizes_)) return {};
    const auto slabs = cut(host.position, host.n, config.box, config.linking_length, sizes_.least_in_slab);
    if (!slabs) return {};
    label_ = {};
    const SlabOrder order = order_by_slab(host.position.x, host.n, config.box, *slabs);
    clock(times.order);
    Buffer<Index> set(Backend::cpu, host.n), weight(Backend::cpu, host.n);
    const std::vector<SlabTask> tasks = tasks_of(host.n, config.box, *slabs, order);
    if (!SlabSearch(host, config, order, set.data(), weight.data()).link(tasks, progress)) return {};
    clock(times.link);

    progress.at(0.9, "numbering groups");
    gather_weights(host.n, set.data(), weight.data());
    number_groups(host, order.particle.data(), set.data(), weight.data(), config.min_members);
    weight = {};
    label_ = Buffer<std::int32_t>(Backend::cpu, host.n);
    static_assert(static_cast<std::int32_t>(no_group) == -1);
#pragma omp parallel for
    for (Index p = 0; p < host.n; ++p)
        label_.data()[order.particle.data()[p]] = static_cast<std::int32_t>(set.data()[p]);
    clock(times.label);
    return GroupsView{host.n, static_cast<Index>(n_members_.size()), label_.data(), n_members_.data(),
                      nullptr};
}

/// Leaves in `set` the row of each place's group.
void SlabFinder::number_groups(const ConstParticlesView& host, const Index* order, Index* set, Index* weight,
                               Index min_members)
{
    GroupList groups = groups_of(host.n, set, weight, min_members);
    AUREOLE_EXPECT(groups.size() <= std::numeric_limits<std::int32_t>::max(),
                   "{} groups are more than a label can number: ask for more members than {}", groups.size(),
                   min_members);
    find_smallest_ids(host, order, set, weight, groups);
    std::ranges::sort(groups, [](const Group& a, const Group& b) {
        if (a.n_members != b.n_members) return a.n_members > b.n_members;
        return a.smallest_id != b.smallest_id ? a.smallest_id < b.smallest_id : a.first < b.first;
    });
    n_members_ = Buffer<Index>(Backend::cpu, groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
        n_members_.data()[g] = groups[g].n_members;
        weight[groups[g].root] = static_cast<Index>(g);
    }
#pragma omp parallel for
    for (Index p = 0; p < host.n; ++p) set[p] = weight[set[p]];
}

std::size_t SlabFinder::scratch_bytes(std::size_t n)
{
    const std::size_t largest = n / least_slabs(n_threads()) * 5 / 4;
    const FofMemory memory(Backend::cpu, {largest, 0, false, true});
    return 3 * n * sizeof(Index) + n_threads() * (largest * 3 * sizeof(double) + memory.bytes);
}

}  // namespace aureole::halo
