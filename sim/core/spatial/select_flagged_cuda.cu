// CUB's stream compaction (decoupled look-back, Merrill & Garland 2016).
#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_select.cuh>

#include "sim/core/cuda_check.cuh"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::detail {

std::size_t select_flagged_cuda_scratch_bytes(std::size_t n)
{
    std::size_t bytes = 0;
    const std::uint8_t* flags = nullptr;
    Index* none = nullptr;
    AUREOLE_CUDA_CHECK(cub::DeviceSelect::Flagged(nullptr, bytes, thrust::counting_iterator<Index>(0), flags,
                                                  none, none, static_cast<std::int64_t>(n)));
    return bytes;
}

void select_flagged_cuda(CUstream_st* stream, std::size_t n, const std::uint8_t* flags, Index* selected,
                         Index* n_selected, std::byte* scratch, std::size_t scratch_bytes)
{
    AUREOLE_CUDA_CHECK(cub::DeviceSelect::Flagged(scratch, scratch_bytes, thrust::counting_iterator<Index>(0),
                                                  flags, selected, n_selected, static_cast<std::int64_t>(n),
                                                  stream));
}

}  // namespace aureole::detail
