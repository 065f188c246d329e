// A sort in two kernels for pairs whose keys have changed little since they were sorted last. The old keys
// tell where to cut: with every 512th of them as a border a pair goes into its bucket at once, and a block
// sorts each bucket. Any old keys give the right order; where they are far from the new ones a bucket
// overflows, which the caller is told.
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_reduce.cuh>

#include "sim/core/chained_launch.cuh"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::detail {
namespace {

constexpr int threads = 256, items = 4;
constexpr Index usual_size = 512, bucket_size = threads * items;
/// Counts lie apart, since atomics on one line of cache wait for each other.
constexpr Index count_stride = 32;

struct Buckets {
    std::uint64_t* key;
    Index *value, *count;
    Index n;
};

Buckets carve(std::size_t n, std::byte* scratch)
{
    const std::size_t n_buckets = (n - 1) / usual_size + 1, places = n_buckets * bucket_size;
    Buckets buckets{reinterpret_cast<std::uint64_t*>(scratch), nullptr, nullptr,
                    static_cast<Index>(n_buckets)};
    buckets.value = reinterpret_cast<Index*>(buckets.key + places);
    buckets.count = buckets.value + places;
    return buckets;
}

__global__ void empty_buckets_kernel(Index* count, Index n)
{
    follow_earlier_kernels();
    for (Index b = blockIdx.x * blockDim.x + threadIdx.x; b < n; b += gridDim.x * blockDim.x)
        count[b * count_stride] = 0;
}

/// Which pair comes first into a bucket is a matter of chance.
__global__ void __launch_bounds__(threads)
    fill_buckets_kernel(const std::uint64_t* key, const Index* value, Index n, const std::uint64_t* old_key,
                        const __grid_constant__ Buckets to)
{
    extern __shared__ std::uint64_t border[];  // the first key of each bucket but the first
    follow_earlier_kernels();
    for (Index b = threadIdx.x; b + 1 < to.n; b += threads) border[b] = old_key[(b + 1) * usual_size];
    __syncthreads();
    const Index i = blockIdx.x * threads + threadIdx.x;
    if (i >= n) return;
    const std::uint64_t mine = key[i];
    Index bucket = 0, above = to.n;  // borders up to `bucket` are not above the key
    while (above - bucket > 1) {
        const Index middle = (bucket + above) / 2;
        (border[middle - 1] <= mine ? bucket : above) = middle;
    }
    const Index place = atomicAdd(to.count + bucket * count_stride, 1u);
    if (place >= bucket_size) return;
    to.key[bucket * bucket_size + place] = mine;
    to.value[bucket * bucket_size + place] = value[i];
}

__global__ void __launch_bounds__(threads)
    sort_buckets_kernel(const __grid_constant__ Buckets from, std::uint64_t* key, Index* value,
                        Index* n_failed)
{
    using Sort = cub::BlockMergeSort<std::uint64_t, threads, items, Index>;
    using Sum = cub::BlockReduce<Index, threads>;
    __shared__ union {
        typename Sort::TempStorage sort;
        typename Sum::TempStorage sum;
    } storage;
    __shared__ Index begin;
    follow_earlier_kernels();
    Index before = 0;
    for (Index b = threadIdx.x; b < blockIdx.x; b += threads) before += from.count[b * count_stride];
    before = Sum(storage.sum).Sum(before);
    if (threadIdx.x == 0) begin = before;
    __syncthreads();
    const Index found = from.count[blockIdx.x * count_stride],
                count = found < bucket_size ? found : bucket_size;
    if (found > bucket_size && threadIdx.x == 0) atomicAdd(n_failed, 1u);
    const Index first = threadIdx.x * items, bucket = blockIdx.x * bucket_size;
    std::uint64_t own_key[items];
    Index own_value[items];
    for (int k = 0; k < items; ++k) {
        own_key[k] = first + k < count ? from.key[bucket + first + k] : ~std::uint64_t{0};
        own_value[k] = first + k < count ? from.value[bucket + first + k] : 0;
    }
    Sort(storage.sort)
        .Sort(
            own_key, own_value, [](std::uint64_t a, std::uint64_t b) { return a < b; },
            static_cast<int>(count), ~std::uint64_t{0});
    for (int k = 0; k < items; ++k)
        if (first + k < count) {
            key[begin + first + k] = own_key[k];
            value[begin + first + k] = own_value[k];
        }
}

}  // namespace

void sort_near_order_cuda(CUstream_st* stream, Index n, SortBuffers& pairs, std::byte* scratch,
                          Index* n_failed)
{
    const Buckets buckets = carve(n, scratch);
    launch_chained(empty_buckets_kernel, dim3(1), dim3(1024), 0, stream, buckets.count, buckets.n);
    AUREOLE_CUDA_LAUNCHED("empty_buckets_kernel");
    launch_chained(fill_buckets_kernel, dim3((n - 1) / threads + 1), dim3(threads),
                   buckets.n * sizeof(std::uint64_t), stream, pairs.key, pairs.value, n, pairs.spare_key,
                   buckets);
    AUREOLE_CUDA_LAUNCHED("fill_buckets_kernel");
    launch_chained(sort_buckets_kernel, dim3(buckets.n), dim3(threads), 0, stream, buckets, pairs.spare_key,
                   pairs.spare_value, n_failed);
    AUREOLE_CUDA_LAUNCHED("sort_buckets_kernel");
    pairs.swap_keys();
    pairs.swap_values();
}

}  // namespace aureole::detail
