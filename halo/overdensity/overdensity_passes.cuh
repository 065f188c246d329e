// Spheres of many particles: a block passes through them again and again, first by distance into the bins of
// one histogram, then, for every threshold, into finer bins of the window that must hold the end of its
// sphere, at last into a list that is sorted. Between passes it reads the table and narrows the windows.
#pragma once

#include "halo/overdensity/overdensity_start.cuh"

namespace aureole::halo {

constexpr int large_threads = 512;
constexpr int large_batch = 128;  ///< nodes
constexpr int large_level = 7;    ///< 128 nodes to start from
constexpr Index large_leaf = 64;  ///< smaller nodes are not looked at

struct LargeMemory {
    WalkMemory<large_batch> walk;
    WalkQuery query;
    SphereProgress progress;
    SphereTable table;
    SweepMemory sweep;
    int first_may, first_sure;  ///< bins, of innermost crossings
    int last, last_sure;        ///< bins, of outermost ones
    std::uint32_t count;
    bool flag;
};

__device__ inline void clear(SphereTable& table)
{
    for (int b = threadIdx.x; b < table_bins; b += large_threads) {
        table.count[b] = 0;
        set_bin(table, b, {0, 0});
    }
    if (threadIdx.x < max_thresholds) table.listed[threadIdx.x] = 0;
    if (threadIdx.x == 0) table.nearest = ~std::uint64_t{0};
}

/// One thread: shells around all that this pass wants to see.
__device__ inline void aim_pass(const SphereSearch& search, LargeMemory& m)
{
    aim_walk(m.query, search.tree, m.progress.centre, large_leaf, large_level);
    if (m.progress.stage == SphereProgress::count) {
        add_shell(m.query, search.tree, 0, m.progress.radius * m.progress.radius);
        return;
    }
    for (int k = 0; k < search.n_thresholds; ++k) {
        const SphereWindow& window = m.progress.window[k];
        if (window.stage != SphereWindow::done)
            add_shell(m.query, search.tree, from_bits(window.begin), from_bits(window.end));
    }
}

/// Puts the points of the first count into the bins of the table.
__device__ inline void count_points(const SphereSearch& search, LargeMemory& m)
{
    const SphereWindow window = m.progress.window[0];
    std::uint64_t nearest = ~std::uint64_t{0};
    for_each_near<large_threads>(search.tree, m.query, m.walk, m.progress.centre,
                                 [&](bool with_mass, std::uint64_t bits, Index, double mass) {
                                     if (!with_mass || bits >= window.end) return;
                                     nearest = bits < nearest ? bits : nearest;
                                     add_to_bin(m.table, bin_in(window, bits),
                                                to_sum(mass, search.tree.mass_exponent), 1);
                                 });
    atomicMin(reinterpret_cast<unsigned long long*>(&m.table.nearest), nearest);
    __syncthreads();
}

/// Puts the points of the windows into their bins or lists.
__device__ inline void fill_windows(const SphereSearch& search, LargeMemory& m)
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
        });
}

__device__ inline void pass(const SphereSearch& search, LargeMemory& m)
{
    if (m.progress.stage == SphereProgress::count)
        count_points(search, m);
    else
        fill_windows(search, m);
}

/// Replaces the masses of bins by sums up to and with each; the whole sum for all.
__device__ inline MassSum sum_bins(LargeMemory& m)
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

__device__ inline double squared_at(const SphereProgress& progress, std::uint64_t bits)
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
__device__ inline void choose(const SphereSearch& search, LargeMemory& m, int k)
{
    SphereWindow& window = m.progress.window[k];
    const Bins bins{m.table, window, m.progress.stage == SphereProgress::count ? 0 : k * window_bins};
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

/// The outermost bins that may hold the crossing of threshold k: up to the last one in which some particle
/// reaches the density if all mass of the bin lies at its inner edge, from the last one whose outermost
/// particle certainly reaches it, which holds the crossing or lies nearer. Bins before these are added as
/// long as all fit into the list.
__device__ inline void choose_outermost(const SphereSearch& search, LargeMemory& m, int k)
{
    constexpr int most_bins = 32;
    SphereWindow& window = m.progress.window[k];
    const Bins bins{m.table, window, m.progress.stage == SphereProgress::count ? 0 : k * window_bins};
    const int n = bins_of(window), exponent = search.tree.mass_exponent;
    if (threadIdx.x == 0) m.last = m.last_sure = -1;
    __syncthreads();
    for (int b = threadIdx.x; b < n; b += large_threads) {
        if (m.table.count[bins.first + b] == 0) continue;
        const double mass = to_mass(bins.sum(b + 1), exponent);
        if (!reaches(mass, search.density[k], from_bits(edge(window, b)))) continue;
        atomicMax(&m.last, b);
        if (reaches(mass * digits_kept, search.density[k], squared_at(m.progress, edge(window, b + 1))))
            atomicMax(&m.last_sure, b);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const int last = m.last, sure = m.last_sure;
        if (last < 0) {
            move_inward(window);
        } else {
            int first = last;
            std::uint32_t count = m.table.count[bins.first + last];
            const auto fits = [&] { return count + m.table.count[bins.first + first - 1] <= list_capacity; };
            while (first > 0 && (first > sure || fits()) && last - first < most_bins)
                count += m.table.count[bins.first + --first];
            narrow_to_outermost(window, first, last, bins.sum(first), count);
        }
    }
    __syncthreads();
}

/// No particle reaches the density of threshold k once its window has nothing left.
__device__ inline void end_without_crossing(const SphereSearch& search, LargeMemory& m, int k)
{
    if (threadIdx.x == 0 && m.progress.window[k].stage == SphereWindow::done)
        search.found_mass[m.progress.place * search.n_thresholds + k] = 0;
    __syncthreads();
}

/// One sweep of threshold k; what it did not find is looked for farther out.
template <class Bits, class Mass>
__device__ inline void sweep_window(const SphereSearch& search, LargeMemory& m, int k, int n, Bits bits,
                                    Mass mass)
{
    SphereWindow& window = m.progress.window[k];
    const SweepTask task{n,
                         window.before,
                         search.density[k],
                         window.sure != 0,
                         squared_at(m.progress, window.end),
                         search.tree.mass_exponent};
    if (search.crossing == Crossing::outermost) {
        const bool found = sweep_outermost<large_threads>(
            task, m.sweep, bits, mass, &search.found_mass[m.progress.place * search.n_thresholds + k]);
        if (threadIdx.x == 0) {
            if (found)
                window.stage = SphereWindow::done;
            else
                move_inward(window);
        }
        __syncthreads();
        if (!found) end_without_crossing(search, m, k);
        return;
    }
    MassSum all{0, 0};
    const bool found = sweep<large_threads>(
        task, m.sweep, bits, mass, &search.found_mass[m.progress.place * search.n_thresholds + k], &all);
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
__device__ inline double mass_at_nearest(const SphereSearch& search, LargeMemory& m)
{
    const std::uint64_t nearest = m.table.nearest;
    __syncthreads();
    if (threadIdx.x == 0) {
        aim_walk(m.query, search.tree, m.progress.centre, large_leaf, large_level);
        add_shell(m.query, search.tree, from_bits(nearest), from_bits(nearest));
    }
    MassSum sum{0, 0};
    for_each_near<large_threads>(search.tree, m.query, m.walk, m.progress.centre,
                                 [&](bool with_mass, std::uint64_t bits, Index, double mass) {
                                     if (with_mass && bits == nearest)
                                         sum = sum + to_sum(mass, search.tree.mass_exponent);
                                 });
    return to_mass(sum_of_block<large_threads>(sum, m.sweep.of_warp), search.tree.mass_exponent);
}

/// After the count within the bound of outermost crossings, `sum` of all masses there: windows for all
/// thresholds.
__device__ inline void read_outermost_counts(const SphereSearch& search, LargeMemory& m, MassSum sum)
{
    for (int k = 0; k < search.n_thresholds; ++k) {
        if (beyond_the_box(search, m.progress, sum, search.density[k])) {  // NaN stays
            if (threadIdx.x == 0) m.progress.window[k].stage = SphereWindow::done;
            continue;
        }
        choose_outermost(search, m, k);
        end_without_crossing(search, m, k);
    }
    __syncthreads();
    if (threadIdx.x == 0) m.progress.stage = SphereProgress::windows;
}

/// After a first count: a larger radius, or windows for all thresholds.
__device__ inline void read_counts(const SphereSearch& search, LargeMemory& m)
{
    const MassSum sum = sum_bins(m);
    if (search.crossing == Crossing::outermost) {
        read_outermost_counts(search, m, sum);
        return;
    }
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
                search.found_mass[m.progress.place * search.n_thresholds + k] = 0;
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
__device__ inline void read_windows(const SphereSearch& search, LargeMemory& m)
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
        } else if (stage == SphereWindow::histogram && search.crossing == Crossing::outermost) {
            choose_outermost(search, m, k);
            end_without_crossing(search, m, k);
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

/// What the table says, in sums that do not depend on the order of additions: the next radius, or the end.
__device__ inline void read_table(const SphereSearch& search, LargeMemory& m)
{
    if (m.progress.stage == SphereProgress::count)
        read_counts(search, m);
    else
        read_windows(search, m);
    __syncthreads();
}

}  // namespace aureole::halo
