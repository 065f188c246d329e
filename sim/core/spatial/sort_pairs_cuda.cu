// CUB's radix sort (onesweep, Adinets & Merrill 2022). The only file that includes it: it compiles slowly.
#include <cub/device/device_radix_sort.cuh>

#include "sim/core/cuda_check.cuh"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::detail {
namespace {

using Keys = cub::DoubleBuffer<std::uint64_t>;
using Values = cub::DoubleBuffer<Index>;

}  // namespace

std::size_t sort_pairs_cuda_scratch_bytes(std::size_t n)
{
    std::size_t bytes = 0;
    Keys keys(nullptr, nullptr);
    Values values(nullptr, nullptr);
    AUREOLE_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, n, 0, 64));
    return bytes;
}

void sort_pairs_cuda(CUstream_st* stream, std::size_t n, SortBuffers& pairs, int n_bits, std::byte* scratch,
                     std::size_t scratch_bytes)
{
    Keys keys(pairs.key, pairs.spare_key);
    Values values(pairs.value, pairs.spare_value);
    AUREOLE_CUDA_CHECK(
        cub::DeviceRadixSort::SortPairs(scratch, scratch_bytes, keys, values, n, 0, n_bits, stream));
    if (keys.Current() != pairs.key) pairs.swap_keys();
    if (values.Current() != pairs.value) pairs.swap_values();
}

}  // namespace aureole::detail
