// CUB's radix sort (onesweep, Adinets & Merrill 2022), and for few pairs a merge sort: eight passes of the
// former are some twenty launches, each of few blocks. The only file that includes CUB's sorts: they compile
// slowly.
#include <cub/block/block_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "sim/core/chained_launch.cuh"
#include "sim/core/spatial/merged_rank.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::detail {
namespace {

using Keys = cub::DoubleBuffer<std::uint64_t>;
using Values = cub::DoubleBuffer<Index>;

constexpr int tile_block = 256, tile_items = 4;
constexpr Index tile = tile_block * tile_items;
constexpr std::size_t most_merged = std::size_t{1} << 18;
/// Runs that one pass merges: where one pass is enough, and where there are several, which take less time
/// the fewer searches each pair makes.
constexpr Index runs_at_once = 16, runs_in_turn = 4;

struct LessUnderMask {
    std::uint64_t mask;
    __device__ bool operator()(std::uint64_t a, std::uint64_t b) const { return (a & mask) < (b & mask); }
};

/// A block sorts a run of `tile` pairs.
__global__ void __launch_bounds__(tile_block)
    sort_tiles_kernel(const __grid_constant__ SortBuffers pairs, Index n, std::uint64_t mask)
{
    using Sort = cub::BlockMergeSort<std::uint64_t, tile_block, tile_items, Index>;
    __shared__ typename Sort::TempStorage storage;
    follow_earlier_kernels();
    const Index begin = blockIdx.x * tile, first = begin + threadIdx.x * tile_items;
    const Index count = n - begin < tile ? n - begin : tile;
    std::uint64_t key[tile_items];
    Index value[tile_items];
    for (int k = 0; k < tile_items; ++k) {
        key[k] = first + k < n ? pairs.key[first + k] : ~std::uint64_t{0};
        value[k] = first + k < n ? pairs.value[first + k] : 0;
    }
    Sort(storage).StableSort(key, value, LessUnderMask{mask}, static_cast<int>(count), ~std::uint64_t{0});
    for (int k = 0; k < tile_items; ++k)
        if (first + k < n) {
            pairs.spare_key[first + k] = key[k];
            pairs.spare_value[first + k] = value[k];
        }
}

/// merged_runs sorted runs become one, all such groups at once: each pair counts those before it.
constexpr int merge_block = 128;
template <Index merged_runs>
__global__ void __launch_bounds__(merge_block)
    merge_runs_kernel(const __grid_constant__ SortBuffers pairs, Index n, Index run, std::uint64_t mask)
{
    follow_earlier_kernels();
    const Index i = blockIdx.x * merge_block + threadIdx.x;
    if (i >= n) return;
    const Index to = merged_rank<merged_runs>(pairs.key, i, n, run, mask);
    pairs.spare_key[to] = pairs.key[i];
    pairs.spare_value[to] = pairs.value[i];
}

void swap(SortBuffers& pairs)
{
    pairs.swap_keys();
    pairs.swap_values();
}

template <Index merged_runs>
void merge_all(CUstream_st* stream, Index n, SortBuffers& pairs, std::uint64_t mask)
{
    for (Index run = tile; run < n; run *= merged_runs) {
        launch_chained(merge_runs_kernel<merged_runs>, dim3((n - 1) / merge_block + 1), dim3(merge_block), 0,
                       stream, pairs, n, run, mask);
        AUREOLE_CUDA_LAUNCHED("merge_runs_kernel");
        swap(pairs);
    }
}

void sort_by_merging(CUstream_st* stream, Index n, SortBuffers& pairs, int n_bits)
{
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - n_bits);
    launch_chained(sort_tiles_kernel, dim3((n - 1) / tile + 1), dim3(tile_block), 0, stream, pairs, n, mask);
    AUREOLE_CUDA_LAUNCHED("sort_tiles_kernel");
    swap(pairs);
    if (n <= tile * runs_at_once)
        merge_all<runs_at_once>(stream, n, pairs, mask);
    else
        merge_all<runs_in_turn>(stream, n, pairs, mask);
}

}  // namespace

std::size_t sort_pairs_cuda_scratch_bytes(std::size_t n)
{
    if (n <= most_merged) return 256;  // none is needed
    std::size_t bytes = 0;
    Keys keys(nullptr, nullptr);
    Values values(nullptr, nullptr);
    AUREOLE_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, n, 0, 64));
    return bytes;
}

void sort_pairs_cuda(CUstream_st* stream, std::size_t n, SortBuffers& pairs, int n_bits, std::byte* scratch,
                     std::size_t scratch_bytes)
{
    if (n <= most_merged) return sort_by_merging(stream, static_cast<Index>(n), pairs, n_bits);
    Keys keys(pairs.key, pairs.spare_key);
    Values values(pairs.value, pairs.spare_value);
    AUREOLE_CUDA_CHECK(
        cub::DeviceRadixSort::SortPairs(scratch, scratch_bytes, keys, values, n, 0, n_bits, stream));
    if (keys.Current() != pairs.key) pairs.swap_keys();
    if (values.Current() != pairs.value) pairs.swap_values();
}

}  // namespace aureole::detail
