#include "halo/substructure/phase_kernels.hpp"

#include "sim/core/simd/cpu_path.hpp"

namespace aureole::halo {

const PhaseKernels& phase_kernels()
{
    return for_path(chosen_cpu_path(), phase_kernels_baseline, phase_kernels_avx2, phase_kernels_avx512)();
}

void find_potentials(Exec exec, const ForceLists& lists)
{
    if (lists.targets.lists.n_members == 0) return;
    build_force_nodes(exec, lists);
    if constexpr (with_cuda)
        if (exec.backend == Backend::cuda) return find_potentials_cuda(exec.stream, lists);
    const PhaseKernels& kernels = phase_kernels();
    const auto n_buckets = static_cast<Index>(segments::most_segments(lists.targets.lists, force_bucket));
#pragma omp parallel for schedule(dynamic, 4) if (lists.targets.lists.n_members > parallel_threshold)
    for (Index bucket = 0; bucket < n_buckets; ++bucket) kernels.bucket_potentials(lists, bucket);
}

}  // namespace aureole::halo
