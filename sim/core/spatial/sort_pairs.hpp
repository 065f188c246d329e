// Stable sort of (key, value) pairs on either backend: what trees and catalogues are ordered with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "sim/core/backend.hpp"

namespace aureole {

/// The pairs and equally large spare arrays, all in the memory of the backend that sorts.
struct SortBuffers {
    std::uint64_t *key, *spare_key;
    Index *value, *spare_value;

    void swap_keys() { std::swap(key, spare_key); }
    void swap_values() { std::swap(value, spare_value); }
};

/// Sorts the first `n` pairs by the low `n_bits` bits of their keys; equal keys keep their order. On return
/// `key` and `value` point at the result, wherever it ended, and the spare arrays hold nothing of use.
/// `scratch` is 256-byte aligned and as large as sort_pairs_scratch_bytes() says. Cost: n * n_bits / 8.
void sort_pairs(Exec exec, std::size_t n, SortBuffers& pairs, int n_bits, std::byte* scratch);

std::size_t sort_pairs_scratch_bytes(Backend where, std::size_t n);

/// How many pairs sort_near_order() takes: fewer are sorted as fast without it, and so are more.
inline constexpr std::size_t fewest_near_order = std::size_t{1} << 15, most_near_order = std::size_t{1} << 18;

/// Sorts `n` pairs on a GPU whose keys are not far from those of the last sort, which `spare_key` still holds
/// in their order: all 64 bits of the keys, pairs of equal keys in any order. Where too many come between two
/// old keys it adds to *n_failed (device memory), and the result is no permutation; its values are those
/// given or what was in `spare_value`. `scratch` is 256-byte aligned and has 32 n bytes. On return as
/// sort_pairs().
void sort_near_order(Exec exec, std::size_t n, SortBuffers& pairs, std::byte* scratch, Index* n_failed);

namespace detail {

void sort_pairs_cpu(std::size_t n, SortBuffers& pairs, int n_bits, std::byte* scratch);
std::size_t sort_pairs_cpu_scratch_bytes();

void sort_pairs_cuda(CUstream_st* stream, std::size_t n, SortBuffers& pairs, int n_bits, std::byte* scratch,
                     std::size_t scratch_bytes);
std::size_t sort_pairs_cuda_scratch_bytes(std::size_t n);
void sort_near_order_cuda(CUstream_st* stream, Index n, SortBuffers& pairs, std::byte* scratch,
                          Index* n_failed);

}  // namespace detail

}  // namespace aureole
