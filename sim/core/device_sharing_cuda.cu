#include "sim/core/cuda_check.cuh"
#include "sim/core/device_sharing.hpp"

namespace aureole::device::cuda {

int selected()
{
    int device = 0;
    AUREOLE_CUDA_CHECK(cudaGetDevice(&device));
    return device;
}

int number_of(const void* p)
{
    cudaPointerAttributes attributes{};
    AUREOLE_CUDA_CHECK(cudaPointerGetAttributes(&attributes, p));
    const bool on_device =
        attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
    return on_device ? attributes.device : -1;
}

void order_after(CUstream_st* later, CUstream_st* earlier)
{
    cudaEvent_t event = nullptr;
    AUREOLE_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    const cudaError_t recorded = cudaEventRecord(event, earlier);
    const cudaError_t ordered = recorded == cudaSuccess ? cudaStreamWaitEvent(later, event, 0) : recorded;
    static_cast<void>(cudaEventDestroy(event));  // released when the streams have passed it
    AUREOLE_CUDA_CHECK(ordered);
}

std::string why_no_device()
{
    int n = 0, driver = 0, runtime = 0;
    const cudaError_t status = cudaGetDeviceCount(&n);
    if (status == cudaSuccess && n > 0) return {};
    static_cast<void>(cudaGetLastError());  // "no device" is a result here, not an error of the next launch
    static_cast<void>(cudaDriverGetVersion(&driver));
    static_cast<void>(cudaRuntimeGetVersion(&runtime));
    const auto text = [](int version) {
        return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    };
    if (driver == 0) return "no driver of CUDA was found";
    if (driver < runtime)
        return "a driver for CUDA " + text(runtime) + " is wanted, found one for CUDA " + text(driver);
    return status == cudaSuccess ? "there is none" : cudaGetErrorString(status);
}

}  // namespace aureole::device::cuda
