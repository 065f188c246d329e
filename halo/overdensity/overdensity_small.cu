// Spheres of few particles: a small block lists them in shared memory, sorts them and sweeps.
#include "halo/overdensity/overdensity_start.cuh"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo {
namespace {

constexpr int small_threads = 64;  ///< of a block, and nodes of a batch
constexpr int small_capacity =
    512;  ///< particles of a sphere that a small block sorts; 1024 took 0.1 ms of 1.8 more
constexpr int small_level = 6;                                ///< 64 nodes to start from
constexpr std::uint32_t most_looked_at = 8 * small_capacity;  ///< at once: more will not fit

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

/// Lists all points of the first count; *sum is that of their masses. False: there are too many.
__device__ bool list_points(const SphereSearch& search, SmallMemory& m, MassSum* sum)
{
    if (threadIdx.x == 0) {
        m.listed = 0;
        aim_walk(m.query, search.tree, m.progress.centre, 0, small_level);
        add_shell(m.query, search.tree, 0, m.progress.radius * m.progress.radius);
    }
    MassSum own{0, 0};
    const bool all = for_each_near<small_threads>(
        search.tree, m.query, m.walk, m.progress.centre, most_looked_at,
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
            own = own + to_sum(mass, search.tree.mass_exponent);
        },
        [&] { return m.listed <= small_capacity; });
    *sum = sum_of_block<small_threads>(own, m.sweep.of_warp);
    return all;
}

/// The outermost crossings of a centre, from the sorted list of `n` points whose mass is `all`.
__device__ void sweep_outermost_list(const SphereSearch& search, SmallMemory& m, int n, MassSum all)
{
    for (int k = 0; k < search.n_thresholds; ++k) {
        if (beyond_the_box(search, m.progress, all, search.density[k])) continue;  // NaN stays
        double* const result = &search.found_mass[m.progress.place * search.n_thresholds + k];
        const SweepTask task{n, {0, 0}, search.density[k], false, 0, search.tree.mass_exponent};
        const bool found = sweep_outermost<small_threads>(
            task, m.sweep, [&](int i) { return m.distance[i]; },
            [&](int i) { return to_sum(search.tree.point[m.point[i]].mass, search.tree.mass_exponent); },
            result);
        if (!found && threadIdx.x == 0) *result = 0;
    }
}

/// All spheres about a centre, from the list of points whose mass is `all_mass`.
__device__ void sweep_list(const SphereSearch& search, SmallMemory& m, MassSum all_mass)
{
    const int n = static_cast<int>(m.listed);
    int length = 1;
    while (length < n) length *= 2;
    for (int i = n + threadIdx.x; i < length; i += small_threads) m.distance[i] = ~std::uint64_t{0};
    sort_lists<small_threads>(m.distance, m.point, 1, length);
    if (search.crossing == Crossing::outermost) {
        sweep_outermost_list(search, m, n, all_mass);
        return;
    }
    for (int k = 0; k < search.n_thresholds; ++k) {
        MassSum all;
        const SweepTask task{
            n, {0, 0}, search.density[k], false, m.progress.limit_squared, search.tree.mass_exponent};
        sweep<small_threads>(
            task, m.sweep, [&](int i) { return m.distance[i]; },
            [&](int i) { return to_sum(search.tree.point[m.point[i]].mass, search.tree.mass_exponent); },
            &search.found_mass[m.progress.place * search.n_thresholds + k], &all);
        __syncthreads();
    }
}

/// A block owns one centre; those whose particles do not fit into its memory are handed on.
__global__ void __launch_bounds__(small_threads) small_kernel(SphereSearch search)
{
    __shared__ SmallMemory m;
    const double radius = search.crossing == Crossing::outermost ? search.radius[blockIdx.x] : 0;
    if (threadIdx.x == 0) start(search, blockIdx.x, radius, m.progress);
    MassSum sum;
    while (true) {
        __syncthreads();
        if (!list_points(search, m, &sum)) {
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
    sweep_list(search, m, sum);
}

}  // namespace

void search_small_spheres(CUstream_st* stream, const SphereSearch& search)
{
    // all bits set are a NaN: not known
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(
        search.found_mass, 0xff,
        sizeof(double) * search.n_centres * static_cast<std::size_t>(search.n_thresholds), stream));
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(search.counters, 0, sizeof *search.counters, stream));
    small_kernel<<<search.n_centres, small_threads, 0, stream>>>(search);
    AUREOLE_CUDA_LAUNCHED("small_kernel");
}

}  // namespace aureole::halo
