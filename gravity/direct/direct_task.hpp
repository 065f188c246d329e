// The two implementations behind Direct, which checks what they are given. Both work in two steps: the
// sources are brought into an order, then any number of evaluations follow.
#pragma once

#include "gravity/direct/direct_tiles.hpp"
#include "gravity/force_request.hpp"
#include "gravity/slice.hpp"
#include "gravity/softening.hpp"
#include "sim/core/precision.hpp"

namespace aureole {
struct Progress;
}

namespace aureole::gravity {

/// Selections are clipped and not empty, the box is open. For a preparation `targets` are those expected,
/// whose extent counts as well, and there are no outputs.
struct DirectTask {
    ConstParticlesView particles;
    Selection targets, sources;
    Softening softening;
    Precision precision;
    ForceOutputs outputs{};

    bool with_potential() const { return outputs.potential != nullptr; }
};

/// Bytes of scratch of the two steps; they depend on sizes alone. `base` of either step is aligned to 64
/// bytes (256 on the GPU) and uninitialised; that of the sources stays as it is until the next preparation.
struct DirectBytes {
    std::size_t sources = 0, evaluation = 0;
};
DirectBytes direct_cpu_bytes(const DirectTask& task);
DirectBytes direct_cuda_bytes(const DirectTask& task);

/// Orders the sources; the result has everything but targets and outputs.
DirectTiles prepare_direct_cpu(const DirectTask& task, std::byte* sources);
/// The slice is cut at tiles of targets.
void evaluate_direct_cpu(const DirectTask& task, Slice slice, DirectTiles tiles, std::byte* sources,
                         std::byte* evaluation, const Progress& progress);

/// The first bytes of the scratch of evaluations are a flag for each target, which have to be zero before an
/// evaluation. A preparation clears those of its expected targets. The slice is cut at rows of 256 targets.
void prepare_direct_cuda(CUstream_st* stream, const DirectTask& task, std::byte* sources,
                         std::byte* evaluation);
void evaluate_direct_cuda(CUstream_st* stream, const DirectTask& task, Slice slice, std::byte* sources,
                          std::byte* evaluation, bool flags_are_clear);

}  // namespace aureole::gravity
