// The CUDA direct sum behind direct_task.hpp: which shape of which kernel serves a task.
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
void evaluate_mixed_shape(CUstream_st* stream, const DirectTask& task, IndexRange rows, std::byte* sources,
                          std::byte* evaluation)
{
    task.with_potential() ? evaluate_mixed<Shape, true>(stream, task, rows, sources, evaluation)
                          : evaluate_mixed<Shape, false>(stream, task, rows, sources, evaluation);
}

/// The slice is cut at rows.
IndexRange rows_of(const DirectTask& task, Slice slice)
{
    const IndexRange places = slice.places(task.targets.size(), row_targets);
    return {places.begin / row_targets, divide_up(places.end, row_targets)};
}

}  // namespace

DirectBytes direct_cuda_bytes(const DirectTask& task)
{
    if (task.precision == Precision::double_precision) return {0, full_scratch_bytes<Full>(task)};
    return task.sources.size() < large ? mixed_bytes<MixedSmall::tile>(task)
                                       : mixed_bytes<MixedLarge::tile>(task);
}

/// The double sum takes its sources as they are.
void prepare_direct_cuda(CUstream_st* stream, const DirectTask& task, std::byte* sources,
                         std::byte* evaluation)
{
    if (task.precision == Precision::double_precision) return;
    if (task.sources.size() < large)
        prepare_mixed<MixedSmall::tile>(stream, task, sources, evaluation);
    else
        prepare_mixed<MixedLarge::tile>(stream, task, sources, evaluation);
}

void evaluate_direct_cuda(CUstream_st* stream, const DirectTask& task, Slice slice, std::byte* sources,
                          std::byte* evaluation, bool flags_are_clear)
{
    const IndexRange rows = rows_of(task, slice);
    if (rows.size() == 0) return;
    if (task.precision == Precision::double_precision)
        return task.with_potential() ? run_full<Full, true>(stream, task, rows, evaluation)
                                     : run_full<Full, false>(stream, task, rows, evaluation);
    if (!flags_are_clear) AUREOLE_CUDA_CHECK(cudaMemsetAsync(evaluation, 0, task.targets.size(), stream));
    if (task.sources.size() < large)
        evaluate_mixed_shape<MixedSmall>(stream, task, rows, sources, evaluation);
    else
        evaluate_mixed_shape<MixedLarge>(stream, task, rows, sources, evaluation);
}

}  // namespace aureole::gravity
