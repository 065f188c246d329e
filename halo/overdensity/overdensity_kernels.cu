// Spheres of many particles, each searched by one block, or by many when it is huge.
#include <algorithm>

#include "halo/overdensity/overdensity_passes.cuh"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo {
namespace {

constexpr Index huge_size = 1u << 16;  ///< points to look at that are worth several blocks
constexpr Index huge_part = 1u << 14;  ///< points for each of these
constexpr Index most_parts = 512;
constexpr Index counted_leaf = 512;  ///< smaller nodes are counted whole

/// About the points that the present pass looks at.
__device__ std::uint64_t points_to_see(const SphereSearch& search, LargeMemory& m)
{
    if (threadIdx.x == 0) m.query.small = counted_leaf;
    __syncthreads();
    std::uint64_t n = 0;
    walk(search.tree, m.query, m.walk, [&](std::uint32_t batch) {
        n += batch;
        return true;
    });
    if (threadIdx.x == 0) m.query.small = large_leaf;
    __syncthreads();
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
        if (m.progress.stage == SphereProgress::count) {
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
        m.query.level = level < search.tree.depth ? level : search.tree.depth;
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

void search_large_spheres(CUstream_st* stream, const SphereSearch& search)
{
    const Index n_blocks = std::min(search.n_centres, blocks_that_fit(large_kernel, large_threads));
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
