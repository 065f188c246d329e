#include "sim/core/spatial/select_flagged.hpp"

namespace aureole {

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
