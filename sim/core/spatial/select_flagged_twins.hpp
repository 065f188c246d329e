// The two implementations behind select_flagged().
#pragma once

#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::detail {

void select_flagged_cpu(std::size_t n, const std::uint8_t* flags, Index* selected, Index* n_selected,
                        std::byte* scratch);
std::size_t select_flagged_cpu_scratch_bytes();

void select_flagged_cuda(CUstream_st* stream, std::size_t n, const std::uint8_t* flags, Index* selected,
                         Index* n_selected, std::byte* scratch, std::size_t scratch_bytes);
std::size_t select_flagged_cuda_scratch_bytes(std::size_t n);

}  // namespace aureole::detail
