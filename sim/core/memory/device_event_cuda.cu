#include "sim/core/cuda_check.cuh"
#include "sim/core/memory/device_event.hpp"

namespace aureole::device::cuda {

void* create_event()
{
    cudaEvent_t event = nullptr;
    AUREOLE_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return event;
}

void release_event(void* event) noexcept
{
    static_cast<void>(cudaEventDestroy(static_cast<cudaEvent_t>(event)));
}

void record_event(void* event, CUstream_st* stream)
{
    AUREOLE_CUDA_CHECK(cudaEventRecord(static_cast<cudaEvent_t>(event), stream));
}

void wait_for_event(void* event)
{
    AUREOLE_CUDA_CHECK(cudaEventSynchronize(static_cast<cudaEvent_t>(event)));
}

}  // namespace aureole::device::cuda
