// The positions of raised flags, in rising order, on either backend: how lists are compacted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/core/backend.hpp"

namespace aureole {

/// Writes every i < n with flags[i] != 0 to `selected` (room for n) in rising order and their number to
/// `n_selected`. All pointers, `scratch` (256-byte aligned, as large as select_flagged_scratch_bytes() says)
/// too, are in the memory of the backend; nothing is waited for. Cost O(n).
void select_flagged(Exec exec, std::size_t n, const std::uint8_t* flags, Index* selected, Index* n_selected,
                    std::byte* scratch);

std::size_t select_flagged_scratch_bytes(Backend where, std::size_t n);

namespace detail {

void select_flagged_cpu(std::size_t n, const std::uint8_t* flags, Index* selected, Index* n_selected,
                        std::byte* scratch);
std::size_t select_flagged_cpu_scratch_bytes();

void select_flagged_cuda(CUstream_st* stream, std::size_t n, const std::uint8_t* flags, Index* selected,
                         Index* n_selected, std::byte* scratch, std::size_t scratch_bytes);
std::size_t select_flagged_cuda_scratch_bytes(std::size_t n);

}  // namespace detail

}  // namespace aureole
