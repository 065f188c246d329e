#include "sim/core/spatial/sort_pairs.hpp"

#include "sim/core/error.hpp"

namespace aureole {

void sort_pairs(Exec exec, std::size_t n, SortBuffers& pairs, int n_bits, std::byte* scratch)
{
    AUREOLE_EXPECT(n_bits > 0 && n_bits <= 64, "sort by {} bits, expected 1 to 64", n_bits);
    if (n < 2) return;
    if (exec.backend == Backend::cpu) return detail::sort_pairs_cpu(n, pairs, n_bits, scratch);
    if constexpr (with_cuda)
        detail::sort_pairs_cuda(exec.stream, n, pairs, n_bits, scratch,
                                sort_pairs_scratch_bytes(exec.backend, n));
    else
        throw_not_built(exec.backend);
}

std::size_t sort_pairs_scratch_bytes(Backend where, [[maybe_unused]] std::size_t n)
{
    if (where == Backend::cpu) return detail::sort_pairs_cpu_scratch_bytes();
    if constexpr (with_cuda)
        return detail::sort_pairs_cuda_scratch_bytes(n);
    else
        throw_not_built(where);
}

}  // namespace aureole
