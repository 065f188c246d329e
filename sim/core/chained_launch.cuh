// Short kernels one after the other: the next is brought onto the device while the one before it ends, which
// saves some microseconds between them on devices of compute capability 9.0 and more (programmatic dependent
// launch). Elsewhere these are plain launches.
#pragma once

#include <utility>

#include "sim/core/cuda_check.cuh"

namespace aureole {

/// First of all in every kernel that launch_chained() starts: what earlier kernels wrote is there afterwards,
/// and the next kernel may be brought in. All threads have to call.
__device__ inline void follow_earlier_kernels()
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
}

namespace detail {
/// Whether kernels, of which this is one, wait for earlier ones themselves: those that run here were compiled
/// for a compute capability of 9.0 or more.
inline bool waits_itself(const void* kernel)
{
    static const bool waits = [kernel] {
        cudaFuncAttributes attributes{};
        AUREOLE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
        return attributes.ptxVersion >= 90;
    }();
    return waits;
}
}  // namespace detail

/// kernel<<<grid, block, shared, stream>>>(arguments...), for kernels that begin with
/// follow_earlier_kernels().
template <class... Params, class... Arguments>
void launch_chained(void (*kernel)(Params...), dim3 grid, dim3 block, std::size_t shared, CUstream_st* stream,
                    Arguments&&... arguments)
{
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = detail::waits_itself(reinterpret_cast<const void*>(kernel)) ? 1 : 0;
    AUREOLE_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
}

}  // namespace aureole
