#include "sim/comm/gpu.hpp"
#include "sim/core/cuda_check.cuh"

namespace aureole::comm::gpu {

std::string identity_cuda()
{
    int device = 0;
    cudaDeviceProp properties{};
    AUREOLE_CUDA_CHECK(cudaGetDevice(&device));
    AUREOLE_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    return std::string(properties.uuid.bytes, sizeof properties.uuid.bytes);
}

bool is_done_cuda(CUstream_st* stream)
{
    const cudaError_t state = cudaStreamQuery(stream);
    if (state == cudaErrorNotReady) return false;
    AUREOLE_CUDA_CHECK(state);
    return true;
}

}  // namespace aureole::comm::gpu
