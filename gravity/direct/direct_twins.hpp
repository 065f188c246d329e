// The two implementations behind Direct. No checks here: Direct::accelerate has made them.
#pragma once

#include <cstddef>

#include "gravity/solver.hpp"

namespace aureole::gravity {

/// One evaluation: ranges are clipped and not empty, the box is open.
struct DirectTask {
    ParticlesView particles;
    IndexRange targets, sources;
    Softening softening;
    Precision precision;
    bool potential;
};

/// Bytes of scratch an evaluation needs; reads sizes of the task only, no pointer.
std::size_t direct_cpu_scratch_bytes(const DirectTask& task);
std::size_t direct_cuda_scratch_bytes(const DirectTask& task);

/// `scratch` is 64-byte aligned (256 on the GPU), uninitialised, at least as large as asked for.
void direct_cpu(const DirectTask& task, std::byte* scratch);
void direct_cuda(CUstream_st* stream, const DirectTask& task, std::byte* scratch);

}  // namespace aureole::gravity
