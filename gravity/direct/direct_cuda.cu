// The CUDA direct sum behind direct_twins.hpp: which shape of which kernel serves a task.
#include "gravity/direct/direct_full.cuh"
#include "gravity/direct/direct_mixed.cuh"

namespace aureole::gravity {
namespace {

// measured on an H200 (tests/bench/RESULTS.md): tiles of 128 are more exact, and faster for fewer sources
using MixedSmall = MixedShape<2, 128, 8, 6>;
using MixedLarge = MixedShape<2, 256, 8, 6>;
constexpr Index large = (1u << 19) + 1;  ///< sources from which tiles of 256 pay
using Full = FullShape<2, 128, 4, 5>;

template <class Shape>
void run_mixed_shape(CUstream_st* stream, const DirectTask& task, std::byte* scratch)
{
    task.potential ? run_mixed<Shape, true>(stream, task, scratch)
                   : run_mixed<Shape, false>(stream, task, scratch);
}

}  // namespace

std::size_t direct_cuda_scratch_bytes(const DirectTask& task)
{
    if (task.precision == Precision::double_precision) return full_scratch_bytes<Full>(task);
    return task.sources.size() < large ? mixed_scratch_bytes<MixedSmall::tile>(task)
                                       : mixed_scratch_bytes<MixedLarge::tile>(task);
}

void direct_cuda(CUstream_st* stream, const DirectTask& task, std::byte* scratch)
{
    if (task.precision == Precision::double_precision)
        task.potential ? run_full<Full, true>(stream, task, scratch)
                       : run_full<Full, false>(stream, task, scratch);
    else if (task.sources.size() < large)
        run_mixed_shape<MixedSmall>(stream, task, scratch);
    else
        run_mixed_shape<MixedLarge>(stream, task, scratch);
}

}  // namespace aureole::gravity
