// The two implementations behind sort_pairs().
#pragma once

#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::detail {

void sort_pairs_cpu(std::size_t n, SortBuffers& pairs, int n_bits, std::byte* scratch);
std::size_t sort_pairs_cpu_scratch_bytes();

void sort_pairs_cuda(CUstream_st* stream, std::size_t n, SortBuffers& pairs, int n_bits, std::byte* scratch,
                     std::size_t scratch_bytes);
std::size_t sort_pairs_cuda_scratch_bytes(std::size_t n);

}  // namespace aureole::detail
