// The CUDA direct sum behind direct_twins.hpp: which shape of which kernel serves a task.
#include "gravity/direct_full.cuh"
#include "gravity/direct_mixed.cuh"

namespace aureole::gravity {
namespace {

using MixedAcceleration = MixedShape<2, 256, 8, 6>;
using MixedPotential = MixedShape<2, 256, 8, 6>;
using Full = FullShape<2, 128, 4, 5>;

}  // namespace

std::size_t direct_cuda_scratch_bytes(const DirectTask& task)
{
    if (task.precision == Precision::full) return full_scratch_bytes<Full>(task);
    return task.potential ? mixed_scratch_bytes<MixedPotential::tile>(task)
                          : mixed_scratch_bytes<MixedAcceleration::tile>(task);
}

void direct_cuda(CUstream_st* stream, const DirectTask& task, std::byte* scratch)
{
    if (task.precision == Precision::full)
        task.potential ? run_full<Full, true>(stream, task, scratch)
                       : run_full<Full, false>(stream, task, scratch);
    else if (task.potential)
        run_mixed<MixedPotential, true>(stream, task, scratch);
    else
        run_mixed<MixedAcceleration, false>(stream, task, scratch);
}

}  // namespace aureole::gravity
