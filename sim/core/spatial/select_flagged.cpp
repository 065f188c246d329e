// Counts per block, their prefix sum, then each block writes its own: two passes over the flags.
#include "sim/core/spatial/select_flagged.hpp"

#include <algorithm>
#include <utility>

namespace aureole {

namespace detail {
namespace {

constexpr std::size_t most_counts = 1024;
constexpr std::size_t fewest_flags = 4096;

}  // namespace

std::size_t select_flagged_cpu_scratch_bytes() { return most_counts * sizeof(std::uint64_t); }

void select_flagged_cpu(std::size_t n, const std::uint8_t* flags, Index* selected, Index* n_selected,
                        std::byte* scratch)
{
    auto* const offset = reinterpret_cast<std::uint64_t*>(scratch);
    const std::size_t n_blocks = std::clamp<std::size_t>(n / fewest_flags, 1, most_counts);
#pragma omp parallel for if (n_blocks > 1)
    for (std::size_t b = 0; b < n_blocks; ++b) {
        std::uint64_t count = 0;
        for (std::size_t i = b * n / n_blocks; i < (b + 1) * n / n_blocks; ++i) count += flags[i] != 0;
        offset[b] = count;
    }
    std::uint64_t sum = 0;
    for (std::size_t b = 0; b < n_blocks; ++b) sum += std::exchange(offset[b], sum);
    *n_selected = static_cast<Index>(sum);
#pragma omp parallel for if (n_blocks > 1)
    for (std::size_t b = 0; b < n_blocks; ++b) {
        Index* to = selected + offset[b];
        for (std::size_t i = b * n / n_blocks; i < (b + 1) * n / n_blocks; ++i)
            if (flags[i]) *to++ = static_cast<Index>(i);
    }
}

}  // namespace detail

void select_flagged(Exec exec, std::size_t n, const std::uint8_t* flags, Index* selected, Index* n_selected,
                    std::byte* scratch)
{
    if (exec.backend == Backend::cpu)
        return detail::select_flagged_cpu(n, flags, selected, n_selected, scratch);
    if constexpr (with_cuda)
        detail::select_flagged_cuda(exec.stream, n, flags, selected, n_selected, scratch,
                                    select_flagged_scratch_bytes(exec.backend, n));
    else
        throw_not_built(exec.backend);
}

std::size_t select_flagged_scratch_bytes(Backend where, [[maybe_unused]] std::size_t n)
{
    if (where == Backend::cpu) return detail::select_flagged_cpu_scratch_bytes();
    if constexpr (with_cuda)
        return detail::select_flagged_cuda_scratch_bytes(n);
    else
        throw_not_built(where);
}

}  // namespace aureole
