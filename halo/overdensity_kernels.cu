#include <algorithm>
#include <limits>

#include "halo/overdensity_kernels.hpp"
#include "halo/overdensity_walk.cuh"
#include "halo/overdensity_windows.cuh"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo {
namespace {

constexpr int small_threads = 64;     ///< of a block, and nodes of a batch
constexpr int small_capacity = 1024;  ///< particles of a sphere that a small block sorts
constexpr int small_level = 6;        ///< 64 nodes to start from
constexpr int large_threads = 512;
constexpr int large_batch = 128;
constexpr int large_level = 7;
constexpr Index large_leaf = 64;       ///< a large sphere does not look at smaller nodes
constexpr Index huge_size = 1u << 16;  ///< points to look at that are worth several blocks
constexpr Index huge_part = 1u << 14;  ///< points for each of these
constexpr Index most_parts = 512;
constexpr double guess_headroom = 1.15;  ///< of the first radius over that of the expected mass
constexpr double headroom = 1.3;         ///< of a search radius over one that is certainly too small
constexpr double infinity = std::numeric_limits<double>::infinity();

__device__ double lowest_density(const SphereSearch& search)
{
    return search.density[search.n_thresholds - 1];
}

/// From `centre` to the farthest corner of the box around all points, in open space.
__device__ double farthest(const ResidentMassTree& tree, Vec3 centre)
{
    const MassNode root = tree.node[KdTree::root];
    const double per_length = 1 / tree.frame.scale;
    const auto along = [&](double x, double middle, float low, float high) {
        return fmax(fabs(x - (middle + per_length * low)), fabs(middle + per_length * high - x));
    };
    const Vec3 d{along(centre.x, tree.frame.centre.x, root.low.x, root.high.x),
                 along(centre.y, tree.frame.centre.y, root.low.y, root.high.y),
                 along(centre.z, tree.frame.centre.z, root.low.z, root.high.z)};
    return sqrt(dot(d, d)) * (1 + 1e-9);
}

/// The size of a leaf near the centre: how far apart particles are there.
__device__ double local_scale(const ResidentMassTree& tree, Vec3 centre)
{
    const Vec3f c = tree.frame.to_frame(centre);
    const auto side = static_cast<float>(tree.box.side * tree.frame.scale);
    const auto reach = [&](Index k) {
        const MassNode node = tree.node[k];
        NodeReach r{0, 0};
        r.include(c.x, node.low.x, node.high.x, side);
        r.include(c.y, node.low.y, node.high.y, side);
        r.include(c.z, node.low.z, node.high.z, side);
        return r;
    };
    Index k = KdTree::root;
    const double whole = sqrt(static_cast<double>(reach(k).far));
    while (!tree.numbering.is_leaf(k)) {
        const NodeReach a = reach(2 * k), b = reach(2 * k + 1);
        k = a.near < b.near || (a.near == b.near && a.far <= b.far) ? 2 * k : 2 * k + 1;
    }
    // a leaf can straddle a jump of the curve: no more than where points were uniform
    return fmin(sqrt(static_cast<double>(reach(k).far)),
                whole / cbrt(static_cast<double>(tree.numbering.n))) /
           tree.frame.scale;
}

/// Distances that the survey of the present radius takes.
__device__ void set_limits(const SphereSearch& search, SphereProgress& progress)
{
    const bool everything = !search.tree.box.periodic() && progress.radius >= progress.widest;
    progress.limit_end = to_bits(progress.radius * progress.radius) + 1;
    progress.limit_squared = everything ? infinity : progress.radius * progress.radius;
    progress.stage = SphereProgress::survey;
    for (int k = 0; k < search.n_thresholds; ++k) {
        SphereWindow& window = progress.window[k];
        window = {0, progress.limit_end, 0, progress.limit_end, {0, 0}, 0, SphereWindow::histogram, 0, 0};
        lay_bins(window, table_bins);
    }
}

/// Nothing known but the centre; `radius`: of the first survey, or 0 for a guess.
__device__ void start(const SphereSearch& search, Index c, double radius, SphereProgress& progress)
{
    const ResidentMassTree& tree = search.tree;
    progress.place = c;
    progress.centre = tree.box.wrap(search.centre[c]);
    progress.widest = tree.box.periodic() ? tree.box.side / 2 : farthest(tree, progress.centre);
    if (radius == 0) {
        const double expected = search.expected_mass ? search.expected_mass[c] : 0;
        radius = expected > 0 ? guess_headroom * radius_of(expected, lowest_density(search))
                              : 2 * local_scale(tree, progress.centre);
    }
    progress.radius = fmin(radius, progress.widest);
    if (!(progress.radius > 0)) progress.radius = progress.widest;
    set_limits(search, progress);
}

/// Whether the sphere of the lowest density ends inside the present radius, or that cannot grow; grows it
/// otherwise.
__device__ bool wide_enough(const SphereSearch& search, double mass, SphereProgress& progress)
{
    const double density = lowest_density(search), radius = progress.radius;
    if (mass > 0 && mass < density * volume(radius * radius) * digits_kept) return true;
    if (radius >= progress.widest) return true;
    const double step = mass > 0 ? headroom : 2.0;
    progress.radius = fmin(step * fmax(radius, radius_of(mass, density)), progress.widest);
    set_limits(search, progress);
    return false;
}

struct SmallMemory {
    WalkMemory<small_threads> walk;
    WalkQuery query;
    SphereProgress progress;
    SweepMemory sweep;
    std::uint64_t distance[small_capacity];
    Index point[small_capacity];
    std::uint32_t listed;
    bool enough;
};

/// Lists all points of the survey; returns the sum of their masses. More than the capacity: stops early.
__device__ MassSum list_points(const SphereSearch& search, SmallMemory& m)
{
    if (threadIdx.x == 0) {
        m.listed = 0;
        aim_walk(m.query, search.tree, m.progress.centre, 0, small_level);
        add_shell(m.query, search.tree, 0, m.progress.radius * m.progress.radius);
    }
    MassSum sum{0, 0};
    for_each_near<small_threads>(
        search.tree, m.query, m.walk, m.progress.centre,
        [&](bool with_mass, std::uint64_t bits, Index index, double mass) {
            const bool take = with_mass && bits < m.progress.limit_end;
            const unsigned takers = __ballot_sync(~0u, take);
            if (takers == 0) return;
            const int lane = threadIdx.x % 32;
            std::uint32_t place = 0;
            if (lane == 0) place = atomicAdd(&m.listed, __popc(takers));
            place = __shfl_sync(~0u, place, 0) + __popc(takers & ((1u << lane) - 1));
            if (!take || place >= small_capacity) return;
            m.distance[place] = bits;
            m.point[place] = index;
            sum = sum + to_sum(mass, search.tree.mass_exponent);
        },
        [&] { return m.listed <= small_capacity; });
    return sum_of_block<small_threads>(sum, m.sweep.of_warp);
}

/// All spheres about a centre, from the list.
__device__ void sweep_list(const SphereSearch& search, SmallMemory& m)
{
    const int n = static_cast<int>(m.listed);
    int length = 1;
    while (length < n) length *= 2;
    for (int i = n + threadIdx.x; i < length; i += small_threads) m.distance[i] = ~std::uint64_t{0};
    sort_lists<small_threads>(m.distance, m.point, 1, length);
    for (int k = 0; k < search.n_thresholds; ++k) {
        MassSum all;
        const SweepTask task{
            n, {0, 0}, search.density[k], false, m.progress.limit_squared, search.tree.mass_exponent};
        sweep<small_threads>(
            task, m.sweep, [&](int i) { return m.distance[i]; },
            [&](int i) { return to_sum(search.tree.point[m.point[i]].mass, search.tree.mass_exponent); },
            &search.result[m.progress.place * search.n_thresholds + k], &all);
        __syncthreads();
    }
}

/// A block owns one centre; those whose particles do not fit into its memory are handed on.
__global__ void __launch_bounds__(small_threads) small_kernel(SphereSearch search)
{
    __shared__ SmallMemory m;
    if (threadIdx.x == 0) start(search, blockIdx.x, 0, m.progress);
    while (true) {
        __syncthreads();
        const MassSum sum = list_points(search, m);
        if (m.listed > small_capacity) {
            if (threadIdx.x > 0) return;
            search.radius[blockIdx.x] = m.progress.radius;
            search.large[atomicAdd(&search.counters->n_large, 1)] = blockIdx.x;
            return;
        }
        if (threadIdx.x == 0)
            m.enough = wide_enough(search, to_mass(sum, search.tree.mass_exponent), m.progress);
        __syncthreads();
        if (m.enough) break;
    }
    sweep_list(search, m);
}

struct LargeMemory {
    WalkMemory<large_batch> walk;
    WalkQuery query;
    SphereProgress progress;
    SphereTable table;
    SweepMemory sweep;
    int first_may, first_sure;
    std::uint32_t count;
    bool flag;
};

__device__ void clear(SphereTable& table)
{
    for (int b = threadIdx.x; b < table_bins; b += large_threads) {
        table.count[b] = 0;
        set_bin(table, b, {0, 0});
    }
    if (threadIdx.x < max_thresholds) table.listed[threadIdx.x] = 0;
    if (threadIdx.x == 0) table.nearest = ~std::uint64_t{0};
}

/// One thread: shells around all that this pass wants to see.
__device__ void aim_pass(const SphereSearch& search, LargeMemory& m)
{
    aim_walk(m.query, search.tree, m.progress.centre, large_leaf, large_level);
    if (m.progress.stage == SphereProgress::survey) {
        add_shell(m.query, search.tree, 0, m.progress.radius * m.progress.radius);
        return;
    }
    for (int k = 0; k < search.n_thresholds; ++k) {
        const SphereWindow& window = m.progress.window[k];
        if (window.stage != SphereWindow::done)
            add_shell(m.query, search.tree, from_bits(window.begin), from_bits(window.end));
    }
}

/// Puts the points of the survey into the bins of the table.
__device__ void survey_points(const SphereSearch& search, LargeMemory& m)
{
    const SphereWindow window = m.progress.window[0];
    std::uint64_t nearest = ~std::uint64_t{0};
    for_each_near<large_threads>(
        search.tree, m.query, m.walk, m.progress.centre,
        [&](bool with_mass, std::uint64_t bits, Index, double mass) {
            if (!with_mass || bits >= window.end) return;
            nearest = bits < nearest ? bits : nearest;
            add_to_bin(m.table, bin_in(window, bits), to_sum(mass, search.tree.mass_exponent), 1);
        },
        [] { return true; });
    atomicMin(reinterpret_cast<unsigned long long*>(&m.table.nearest), nearest);
    __syncthreads();
}

/// Puts the points of the windows into their bins or lists.
__device__ void fill_windows(const SphereSearch& search, LargeMemory& m)
{
    for_each_near<large_threads>(
        search.tree, m.query, m.walk, m.progress.centre,
        [&](bool with_mass, std::uint64_t bits, Index index, double mass) {
            if (!with_mass) return;
            for (int k = 0; k < search.n_thresholds; ++k) {
                const SphereWindow& window = m.progress.window[k];
                if (window.stage == SphereWindow::done || bits < window.begin || bits >= window.end) continue;
                if (window.stage == SphereWindow::histogram) {
                    add_to_bin(m.table, k * window_bins + bin_in(window, bits),
                               to_sum(mass, search.tree.mass_exponent), 1);
                    continue;
                }
                const std::uint32_t place = atomicAdd(&m.table.listed[k], 1u);
                if (place >= list_capacity) continue;  // never: they were counted
                m.table.distance[k][place] = bits;
                m.table.point[k][place] = index;
            }
        },
        [] { return true; });
}

__device__ void pass(const SphereSearch& search, LargeMemory& m)
{
    if (m.progress.stage == SphereProgress::survey)
        survey_points(search, m);
    else
        fill_windows(search, m);
}

/// Replaces the masses of bins by sums up to and with each; the whole sum for all.
__device__ MassSum sum_bins(LargeMemory& m)
{
    MassSum sum{0, 0};
    for (int base = 0; base < table_bins; base += large_threads) {
        const int b = base + threadIdx.x;
        const MassSum through = sum + inclusive_sum<large_threads>(mass_of_bin(m.table, b), m.sweep.of_warp);
        set_bin(m.table, b, through);
        sum = of_last_thread<large_threads>(through, m.sweep.of_warp);
    }
    return sum;
}

__device__ double squared_at(const SphereProgress& progress, std::uint64_t bits)
{
    return bits == progress.limit_end ? progress.limit_squared : from_bits(bits);
}

/// Where threshold k is read from the sums of the table.
struct Bins {
    const SphereTable& table;
    const SphereWindow& window;
    int first;  ///< bin of the table

    __device__ MassSum sum(int b) const
    {
        const MassSum at = b + first > 0 ? mass_of_bin(table, b + first - 1) : MassSum{0, 0};
        const MassSum start = first > 0 ? mass_of_bin(table, first - 1) : MassSum{0, 0};
        return window.before + (at - start);  // nearer than bin b begins
    }
};

/// The bins that must hold the end of sphere k.
__device__ void choose(const SphereSearch& search, LargeMemory& m, int k)
{
    SphereWindow& window = m.progress.window[k];
    const Bins bins{m.table, window, m.progress.stage == SphereProgress::survey ? 0 : k * window_bins};
    const int n = bins_of(window), exponent = search.tree.mass_exponent;
    if (threadIdx.x == 0) {
        m.first_may = m.first_sure = n;
        m.count = 0;
    }
    __syncthreads();
    for (int b = threadIdx.x; b < n; b += large_threads) {
        const MassSum before = bins.sum(b), through = bins.sum(b + 1);
        const double needed = search.density[k] * volume(squared_at(m.progress, edge(window, b + 1)));
        const bool last_call = b == n - 1 && window.sure != 0;
        if (last_call || (!is_zero(through) && to_mass(through, exponent) < needed * digits_kept))
            atomicMin(&m.first_sure, b);
        if (last_call || fmax(to_mass(before, exponent), m.progress.first_mass) * digits_kept < needed)
            atomicMin(&m.first_may, b);
    }
    __syncthreads();
    const int first = m.first_may, last = m.first_sure < n ? m.first_sure : n - 1;
    std::uint32_t count = 0;
    for (int b = first + threadIdx.x; b <= last; b += large_threads) count += m.table.count[bins.first + b];
    if (count > 0) atomicAdd(&m.count, count);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (first == n)
            move_on(window, bins.sum(n));
        else
            narrow(window, first, last, m.first_sure < n, bins.sum(first), m.count);
    }
    __syncthreads();
}

/// One sweep of threshold k; what it did not find is looked for farther out.
template <class Bits, class Mass>
__device__ void sweep_window(const SphereSearch& search, LargeMemory& m, int k, int n, Bits bits, Mass mass)
{
    SphereWindow& window = m.progress.window[k];
    const SweepTask task{n,
                         window.before,
                         search.density[k],
                         window.sure != 0,
                         squared_at(m.progress, window.end),
                         search.tree.mass_exponent};
    MassSum all{0, 0};
    const bool found = sweep<large_threads>(task, m.sweep, bits, mass,
                                            &search.result[m.progress.place * search.n_thresholds + k], &all);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (found)
            window.stage = SphereWindow::done;
        else
            move_on(window, all);
    }
    __syncthreads();
}

/// The mass of the nearest particles, in all threads.
__device__ double mass_at_nearest(const SphereSearch& search, LargeMemory& m)
{
    const std::uint64_t nearest = m.table.nearest;
    __syncthreads();
    if (threadIdx.x == 0) {
        aim_walk(m.query, search.tree, m.progress.centre, large_leaf, large_level);
        add_shell(m.query, search.tree, from_bits(nearest), from_bits(nearest));
    }
    MassSum sum{0, 0};
    for_each_near<large_threads>(
        search.tree, m.query, m.walk, m.progress.centre,
        [&](bool with_mass, std::uint64_t bits, Index, double mass) {
            if (with_mass && bits == nearest) sum = sum + to_sum(mass, search.tree.mass_exponent);
        },
        [] { return true; });
    return to_mass(sum_of_block<large_threads>(sum, m.sweep.of_warp), search.tree.mass_exponent);
}

/// After a survey: a larger radius, or windows for all thresholds.
__device__ void read_survey(const SphereSearch& search, LargeMemory& m)
{
    const MassSum sum = sum_bins(m);
    if (threadIdx.x == 0) m.flag = wide_enough(search, to_mass(sum, search.tree.mass_exponent), m.progress);
    __syncthreads();
    if (!m.flag) return;
    if (is_zero(sum)) {
        if (threadIdx.x == 0) m.progress.stage = SphereProgress::done;
        return;
    }
    const double first_mass = mass_at_nearest(search, m), squared = from_bits(m.table.nearest);
    if (threadIdx.x == 0) m.progress.first_mass = first_mass;
    __syncthreads();
    for (int k = 0; k < search.n_thresholds; ++k) {
        if (first_mass < search.density[k] * volume(squared)) {  // no sphere
            if (threadIdx.x == 0) {
                search.result[m.progress.place * search.n_thresholds + k] = {0, 0};
                m.progress.window[k].stage = SphereWindow::done;
            }
            continue;
        }
        choose(search, m, k);
    }
    __syncthreads();
    if (threadIdx.x == 0) m.progress.stage = SphereProgress::windows;
}

/// After a pass through windows.
__device__ void read_windows(const SphereSearch& search, LargeMemory& m)
{
    const SphereWindow* const windows = m.progress.window;
    const std::uint32_t listed = m.table.listed[threadIdx.x % max_thresholds];
    if (__syncthreads_or(static_cast<int>(threadIdx.x < max_thresholds && listed > 0))) {
        for (int i = threadIdx.x; i < max_thresholds * list_capacity; i += large_threads)
            if (i % list_capacity >= static_cast<int>(m.table.listed[i / list_capacity]))
                m.table.distance[i / list_capacity][i % list_capacity] = ~std::uint64_t{0};
        sort_lists<large_threads>(m.table.distance[0], m.table.point[0], max_thresholds, list_capacity);
    }
    sum_bins(m);
    for (int k = 0; k < search.n_thresholds; ++k) {
        const SphereWindow::Stage stage = windows[k].stage;
        __syncthreads();
        if (stage == SphereWindow::list) {
            sweep_window(
                search, m, k, static_cast<int>(m.table.listed[k]),
                [&](int i) { return m.table.distance[k][i]; },
                [&](int i) {
                    return to_sum(search.tree.point[m.table.point[k][i]].mass, search.tree.mass_exponent);
                });
        } else if (stage == SphereWindow::histogram && windows[k].shift == 0 &&
                   windows[k].base == windows[k].begin) {  // a bin for every distance there is
            const Bins bins{m.table, windows[k], k * window_bins};
            const std::uint64_t begin = windows[k].begin;
            sweep_window(
                search, m, k, bins_of(windows[k]),
                [=](int i) { return begin + static_cast<std::uint64_t>(i); },
                [&](int i) { return bins.sum(i + 1) - bins.sum(i); });
        } else if (stage == SphereWindow::histogram) {
            choose(search, m, k);
        }
    }
    __syncthreads();
    bool all_done = true;
    for (int k = 0; k < search.n_thresholds; ++k)
        all_done = all_done && windows[k].stage == SphereWindow::done;
    if (threadIdx.x == 0 && all_done) m.progress.stage = SphereProgress::done;
}

/// What the table says, in sums that do not depend on who added; the next aim or the end.
__device__ void read_table(const SphereSearch& search, LargeMemory& m)
{
    if (m.progress.stage == SphereProgress::survey)
        read_survey(search, m);
    else
        read_windows(search, m);
    __syncthreads();
}

/// Points that the present pass looks at.
__device__ std::uint64_t points_to_see(const SphereSearch& search, LargeMemory& m)
{
    std::uint64_t n = 0;
    walk(search.tree, m.query, m.walk, [&](std::uint32_t batch) {
        n += batch;
        return true;
    });
    return n;
}

/// False: too many points for one block; the centre is handed on.
__device__ bool search_large(const SphereSearch& search, LargeMemory& m)
{
    while (m.progress.stage != SphereProgress::done) {
        __syncthreads();
        if (threadIdx.x == 0) aim_pass(search, m);
        clear(m.table);
        __syncthreads();
        if (m.progress.stage == SphereProgress::survey) {
            const std::uint64_t n = points_to_see(search, m);
            if (n > huge_size) {
                if (threadIdx.x > 0) return false;
                const std::uint64_t parts = n / huge_part < most_parts ? n / huge_part : most_parts;
                search.radius[m.progress.place] = m.progress.radius;
                search.huge[atomicAdd(&search.counters->n_huge, 1)] = {m.progress.place,
                                                                       static_cast<Index>(parts)};
                return false;
            }
        }
        pass(search, m);
        __syncthreads();
        read_table(search, m);
    }
    return true;
}

/// A block owns one centre after the other.
__global__ void __launch_bounds__(large_threads) large_kernel(SphereSearch search)
{
    __shared__ LargeMemory m;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) m.count = atomicAdd(&search.counters->next_large, 1);
        __syncthreads();
        const Index next = m.count;
        if (next >= search.counters->n_large) return;
        const Index c = search.large[next];
        __syncthreads();
        if (threadIdx.x == 0) start(search, c, search.radius[c], m.progress);
        __syncthreads();
        search_large(search, m);
    }
}

/// A thread owns one huge sphere.
__global__ void start_kernel(SphereSearch search, HugeSearch huge, Index first_huge)
{
    const Index i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= huge.n_spheres) return;
    const Index c = search.huge[first_huge + i].centre;
    start(search, c, search.radius[c], huge.progress[i]);
    huge.table[i].nearest = ~std::uint64_t{0};
    if (i == 0) search.counters->n_unfinished = huge.n_spheres;
}

/// Adds the table of a block to that of its sphere.
__device__ void give(SphereTable& from, SphereTable& to)
{
    for (int b = threadIdx.x; b < table_bins; b += large_threads)
        if (from.count[b] > 0) add_to_bin(to, b, mass_of_bin(from, b), from.count[b]);
    if (threadIdx.x == 0)
        atomicMin(reinterpret_cast<unsigned long long*>(&to.nearest),
                  static_cast<unsigned long long>(from.nearest));
    __shared__ std::uint32_t place[max_thresholds];
    if (threadIdx.x < max_thresholds)
        place[threadIdx.x] = atomicAdd(&to.listed[threadIdx.x], from.listed[threadIdx.x]);
    __syncthreads();
    for (int i = threadIdx.x; i < max_thresholds * list_capacity; i += large_threads) {
        const int k = i / list_capacity, j = i % list_capacity;
        if (j >= static_cast<int>(from.listed[k])) continue;
        to.distance[k][place[k] + j] = from.distance[k][j];
        to.point[k][place[k] + j] = from.point[k][j];
    }
}

/// Takes the table of a sphere, past any cache, and leaves it as new.
__device__ void take(SphereTable& from, SphereTable& to)
{
    auto* const source = reinterpret_cast<std::uint32_t*>(&from);
    auto* const target = reinterpret_cast<std::uint32_t*>(&to);
    for (int i = threadIdx.x; i < static_cast<int>(sizeof(SphereTable) / sizeof(std::uint32_t));
         i += large_threads) {
        target[i] = __ldcg(source + i);
        source[i] = 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) from.nearest = ~std::uint64_t{0};
}

/// A block owns one part of one huge sphere; the last of a sphere to arrive reads its table.
__global__ void __launch_bounds__(large_threads) huge_kernel(SphereSearch search, HugeSearch huge)
{
    __shared__ LargeMemory m;
    const HugePart part = huge.part[blockIdx.x];
    if (threadIdx.x == 0) m.progress = huge.progress[part.sphere];
    __syncthreads();
    if (m.progress.stage == SphereProgress::done) return;
    if (threadIdx.x == 0) {
        aim_pass(search, m);
        int level = large_level - 1;
        for (Index parts = 1; parts < part.n_parts; parts *= 2) ++level;
        m.query.level = level < search.tree.numbering.depth ? level : search.tree.numbering.depth;
        m.query.part = part.part;
        m.query.n_parts = part.n_parts;
    }
    clear(m.table);
    __syncthreads();
    pass(search, m);
    __syncthreads();
    give(m.table, huge.table[part.sphere]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) m.count = atomicAdd(&huge.arrived[part.sphere], 1);
    __syncthreads();
    if (m.count + 1 < part.n_parts) return;
    __threadfence();
    take(huge.table[part.sphere], m.table);
    if (threadIdx.x == 0) huge.arrived[part.sphere] = 0;
    __syncthreads();
    read_table(search, m);
    if (threadIdx.x > 0) return;
    huge.progress[part.sphere] = m.progress;
    if (m.progress.stage == SphereProgress::done) atomicSub(&search.counters->n_unfinished, 1);
}

}  // namespace

void search_spheres(CUstream_st* stream, const SphereSearch& search)
{
    // all bits set are a NaN: not known
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(
        search.result, 0xff,
        sizeof(FoundSphere) * search.n_centres * static_cast<std::size_t>(search.n_thresholds), stream));
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(search.counters, 0, sizeof *search.counters, stream));
    small_kernel<<<search.n_centres, small_threads, 0, stream>>>(search);
    AUREOLE_CUDA_LAUNCHED("small_kernel");
    int device = 0, multiprocessors = 0, blocks = 0;
    AUREOLE_CUDA_CHECK(cudaGetDevice(&device));
    AUREOLE_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    AUREOLE_CUDA_CHECK(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, large_kernel, large_threads, 0));
    const auto most = static_cast<Index>(multiprocessors * blocks);
    const Index n_blocks = std::min(search.n_centres, most);
    large_kernel<<<n_blocks, large_threads, 0, stream>>>(search);
    AUREOLE_CUDA_LAUNCHED("large_kernel");
}

void start_huge_spheres(CUstream_st* stream, const SphereSearch& search, const HugeSearch& huge,
                        Index first_huge)
{
    constexpr Index block = 64;
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(huge.table, 0, sizeof *huge.table * huge.n_spheres, stream));
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(huge.arrived, 0, sizeof *huge.arrived * huge.n_spheres, stream));
    start_kernel<<<(huge.n_spheres - 1) / block + 1, block, 0, stream>>>(search, huge, first_huge);
    AUREOLE_CUDA_LAUNCHED("start_kernel");
}

void continue_huge_spheres(CUstream_st* stream, const SphereSearch& search, const HugeSearch& huge)
{
    huge_kernel<<<huge.n_parts, large_threads, 0, stream>>>(search, huge);
    AUREOLE_CUDA_LAUNCHED("huge_kernel");
}

}  // namespace aureole::halo
