// What moves between GPUs ask of CUDA beyond sim/core/device.hpp. In a build without CUDA both throw.
#pragma once

#include <string>

#include "sim/core/backend.hpp"

namespace aureole::comm::gpu {

/// A text that no other GPU of any host has: the universal identifier of the selected one.
std::string identity();

/// Whether all work that was put into the stream is done; throws CudaError when some of it failed.
bool is_done(CUstream_st* stream);

/// Defined with CUDA (gpu_cuda.cu).
std::string identity_cuda();
bool is_done_cuda(CUstream_st* stream);

}  // namespace aureole::comm::gpu
