// Where a sphere ends: the sweep outward over sorted masses, and the choice of the part of a histogram that
// must hold the first fall below a density, or its outermost crossing. A bin that still suffices at its far
// edge with the mass before it alone cannot hold the end; the first whose mass does not suffice there
// certainly ends the sphere. Blocks of a GPU add exact sums of masses.
#pragma once

#include "halo/overdensity/overdensity_kernels.hpp"

namespace aureole::halo {

__device__ inline MassSum shuffled_up(MassSum value, int step)
{
    return {__shfl_up_sync(~0u, value.high, step), __shfl_up_sync(~0u, value.low, step)};
}

/// Of the threads of a block up to this one. `of_warp`: shared, one for each warp. All threads call.
template <int threads>
__device__ MassSum inclusive_sum(MassSum value, MassSum* of_warp)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int step = 1; step < 32; step *= 2) {
        const MassSum other = shuffled_up(value, step);
        if (lane >= step) value = value + other;
    }
    if (lane == 31) of_warp[warp] = value;
    __syncthreads();
    for (int w = 0; w < warp; ++w) value = value + of_warp[w];
    __syncthreads();
    return value;
}

/// What the last thread of the block holds, for all.
template <int threads>
__device__ MassSum of_last_thread(MassSum value, MassSum* shared)
{
    if (threadIdx.x == threads - 1) *shared = value;
    __syncthreads();
    const MassSum result = *shared;
    __syncthreads();
    return result;
}

/// The sum over all threads of a block, for all.
template <int threads>
__device__ MassSum sum_of_block(MassSum value, MassSum* of_warp)
{
    return of_last_thread<threads>(inclusive_sum<threads>(value, of_warp), of_warp);
}

/// Adds to a bin of a table, in shared or global memory: limb by limb, each atomic, carries at once.
__device__ inline void add_to_bin(SphereTable& table, int bin, MassSum mass, std::uint32_t count)
{
    atomicAdd(&table.count[bin], count);
    const std::uint32_t part[3] = {static_cast<std::uint32_t>(mass.low),
                                   static_cast<std::uint32_t>(mass.low >> 32),
                                   static_cast<std::uint32_t>(mass.high)};
    std::uint32_t carry = 0;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        const std::uint32_t term = part[k] + carry;
        if (term == 0) continue;  // nothing to add, or a carry that passes through a limb of ones
        const std::uint32_t old = atomicAdd(&table.limb[k][bin], term);
        carry = old + term < old ? 1 : 0;
    }
}

__device__ inline MassSum mass_of_bin(const SphereTable& table, int bin)
{
    return {table.limb[2][bin], std::uint64_t{table.limb[1][bin]} << 32 | table.limb[0][bin]};
}

__device__ inline void set_bin(SphereTable& table, int bin, MassSum mass)
{
    table.limb[0][bin] = static_cast<std::uint32_t>(mass.low);
    table.limb[1][bin] = static_cast<std::uint32_t>(mass.low >> 32);
    table.limb[2][bin] = static_cast<std::uint32_t>(mass.high);
}

constexpr double digits_kept = 1 - 0x1p-48;  ///< sums are exact, volumes rounded: closer calls are looked at

__device__ inline double from_bits(std::uint64_t bits)
{
    return __longlong_as_double(static_cast<long long>(bits));
}
__device__ inline std::uint64_t to_bits(double x)
{
    return static_cast<std::uint64_t>(__double_as_longlong(x));
}

struct SweepMemory {
    MassSum of_warp[32];
    int first;  ///< or last
};

/// What a sweep starts from.
struct SweepTask {
    int n;           ///< masses
    MassSum before;  ///< nearer than all of them
    double density;
    bool sure;           ///< the sphere ends behind the last if not before
    double end_squared;  ///< no other particle is nearer than this
    int mass_exponent;
};

/// Whether mass that stays as it is up to `next_squared` has fallen below the density there.
__device__ inline bool falls_below(const SweepTask& task, MassSum mass, double next_squared)
{
    return !is_zero(mass) && to_mass(mass, task.mass_exponent) < task.density * volume(next_squared);
}

/// Masses mass(i) at rising distances bits(i), i < task.n: a thread owns every (threads)-th. True when the
/// sphere ends among them, then *result is its mass; else *all is the mass of all. All threads call.
template <int threads, class Bits, class Mass>
__device__ bool sweep(const SweepTask& task, SweepMemory& memory, Bits bits, Mass mass, double* result,
                      MassSum* all)
{
    const int t = threadIdx.x;
    const bool last_call = task.n == 0 && task.sure && !is_zero(task.before);
    if (last_call || falls_below(task, task.before, task.n > 0 ? from_bits(bits(0)) : task.end_squared)) {
        if (t == 0) *result = to_mass(task.before, task.mass_exponent);
        return true;
    }
    MassSum sum = task.before;
    for (int base = 0; base < task.n; base += threads) {
        const int i = base + t;
        const MassSum through =
            sum + inclusive_sum<threads>(i < task.n ? mass(i) : MassSum{0, 0}, memory.of_warp);
        bool ends = false;
        if (i + 1 < task.n)
            ends = bits(i + 1) != bits(i) && falls_below(task, through, from_bits(bits(i + 1)));
        else if (i < task.n)
            ends = (task.sure && !is_zero(through)) || falls_below(task, through, task.end_squared);
        if (__syncthreads_or(ends)) {
            if (t == 0) memory.first = task.n;
            __syncthreads();
            if (ends) atomicMin(&memory.first, i);
            __syncthreads();
            if (i == memory.first) {
                // the nearest particles alone: they must reach the density themselves
                const bool nearest = is_zero(task.before) && bits(i) == bits(0);
                *result = nearest && falls_below(task, through, from_bits(bits(i)))
                              ? 0
                              : to_mass(through, task.mass_exponent);
            }
            __syncthreads();
            return true;
        }
        sum = of_last_thread<threads>(through, memory.of_warp);
    }
    *all = sum;
    return false;
}

/// Masses as for sweep(): finds the last distance at which all mass up to there reaches the density. True
/// when there is one, then *result is its mass. All threads call.
template <int threads, class Bits, class Mass>
__device__ bool sweep_outermost(const SweepTask& task, SweepMemory& memory, Bits bits, Mass mass,
                                double* result)
{
    MassSum sum = task.before;
    bool found = false;
    for (int base = 0; base < task.n; base += threads) {
        const int i = base + threadIdx.x;
        const MassSum through =
            sum + inclusive_sum<threads>(i < task.n ? mass(i) : MassSum{0, 0}, memory.of_warp);
        const bool here = i < task.n && (i + 1 == task.n || bits(i + 1) != bits(i)) && !is_zero(through) &&
                          reaches(to_mass(through, task.mass_exponent), task.density, from_bits(bits(i)));
        if (__syncthreads_or(here)) {
            found = true;
            if (threadIdx.x == 0) memory.first = -1;
            __syncthreads();
            if (here) atomicMax(&memory.first, i);
            __syncthreads();
            if (i == memory.first) *result = to_mass(through, task.mass_exponent);
        }
        sum = of_last_thread<threads>(through, memory.of_warp);
    }
    __syncthreads();
    return found;
}

/// Sorts `lists` lists of `length` (a power of two) pairs in shared memory by distance: bitonic networks side
/// by side. A thread owns every (threads)-th exchange. All threads call.
template <int threads>
__device__ void sort_lists(std::uint64_t* distance, Index* point, int lists, int length)
{
    for (int run = 2; run <= length; run *= 2)
        for (int step = run / 2; step > 0; step /= 2) {
            __syncthreads();
            for (int e = threadIdx.x; e < lists * length / 2; e += threads) {
                const int i = 2 * e - (e & (step - 1)), j = i + step;
                const bool rising = (i & (length - 1) & run) == 0;
                const std::uint64_t a = distance[i], b = distance[j];
                if ((a > b) != rising || a == b) continue;
                distance[i] = b;
                distance[j] = a;
                const Index p = point[i];
                point[i] = point[j];
                point[j] = p;
            }
        }
    __syncthreads();
}

/// The bins of a window: at most `bins`, fine near its end; bin 0 also takes what is far nearer.
__device__ inline void lay_bins(SphereWindow& window, int bins)
{
    constexpr std::uint64_t reach = std::uint64_t{16} << 52;  // 16 factors of two in the square
    const std::uint64_t from = window.end > reach ? window.end - reach : 0;
    window.base = window.begin > from ? window.begin : from;
    window.shift = 0;
    while ((window.end - 1 - window.base) >> window.shift >= static_cast<std::uint64_t>(bins)) ++window.shift;
}

__device__ inline int bins_of(const SphereWindow& window)
{
    return static_cast<int>((window.end - 1 - window.base) >> window.shift) + 1;
}

__device__ inline int bin_in(const SphereWindow& window, std::uint64_t bits)
{
    return bits > window.base ? static_cast<int>((bits - window.base) >> window.shift) : 0;
}

/// Where bin b begins; bins_of(window) gives the end of the window.
__device__ inline std::uint64_t edge(const SphereWindow& window, int b)
{
    if (b == 0) return window.begin;
    const std::uint64_t at = window.base + (static_cast<std::uint64_t>(b) << window.shift);
    return at < window.end ? at : window.end;
}

/// The sphere does not end in the window: on to what is left, if there is any.
__device__ inline void move_on(SphereWindow& window, MassSum through)
{
    window.before = through;
    window.begin = window.end;
    window.end = window.limit;
    window.sure = window.limit_sure;
    window.stage = window.begin < window.end ? SphereWindow::histogram : SphereWindow::done;
    if (window.stage == SphereWindow::histogram) lay_bins(window, window_bins);
}

/// The outermost crossing is not in the window: inward to what is left, if there is anything.
__device__ inline void move_inward(SphereWindow& window)
{
    window.end = window.begin;
    window.begin = 0;
    window.before = {0, 0};
    window.stage = window.end > 0 ? SphereWindow::histogram : SphereWindow::done;
    if (window.stage == SphereWindow::histogram) lay_bins(window, window_bins);
}

/// Bins [first, last] of the window, with `count` particles, are where the outermost crossing is looked for.
__device__ inline void narrow_to_outermost(SphereWindow& window, int first, int last, MassSum before,
                                           std::uint32_t count)
{
    const std::uint64_t begin = edge(window, first), end = edge(window, last + 1);
    window.begin = begin;
    window.end = end;
    window.before = before;
    window.stage = count <= list_capacity ? SphereWindow::list : SphereWindow::histogram;
    if (window.stage == SphereWindow::histogram) lay_bins(window, window_bins);
}

/// Bins [first, last] of the window must hold the end when `sure`, and hold it unless no later bin does when
/// not. A window that did not shrink much is cut, so that its bins become finer all the same.
__device__ inline void narrow(SphereWindow& window, int first, int last, bool sure, MassSum before,
                              std::uint32_t count)
{
    const std::uint64_t begin = edge(window, first), end = edge(window, last + 1);
    const std::uint64_t span = window.end - window.base, from = begin > window.base ? begin : window.base;
    if (sure) {
        window.limit = end;
        window.limit_sure = 1;
    }
    window.begin = begin;
    window.end = end;
    window.before = before;
    window.sure = sure ? 1 : 0;
    window.stage = SphereWindow::list;
    if (count <= list_capacity) return;
    window.stage = SphereWindow::histogram;
    if (end - from > span / 8 && span >= 16) {
        window.end = from + span / 8;
        if (window.end < end) window.sure = 0;
    }
    lay_bins(window, window_bins);
}

}  // namespace aureole::halo
