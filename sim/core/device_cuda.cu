#include "sim/core/cuda_check.cuh"
#include "sim/core/device.hpp"
#include "sim/core/memory/available_memory.hpp"
#include "sim/core/memory/device_event.hpp"
#include "sim/core/memory/transfers.hpp"

namespace aureole::device::cuda {

int count() noexcept
{
    int n = 0;
    if (cudaGetDeviceCount(&n) == cudaSuccess) return n;
    static_cast<void>(cudaGetLastError());  // "no device" is a result here, not an error of the next launch
    return 0;
}

namespace {
/// 12040 is 12.4.
std::string version_text(int version)
{
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}
}  // namespace

std::string driver()
{
    int driver = 0, runtime = 0;
    AUREOLE_CUDA_CHECK(cudaDriverGetVersion(&driver));
    AUREOLE_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    return "CUDA driver " + version_text(driver) + ", runtime " + version_text(runtime);
}

Info info(int device)
{
    cudaDeviceProp properties{};
    AUREOLE_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    int current = 0;
    AUREOLE_CUDA_CHECK(cudaGetDevice(&current));
    AUREOLE_CUDA_CHECK(cudaSetDevice(device));
    Info result;
    result.name = properties.name;
    result.capability_major = properties.major;
    result.capability_minor = properties.minor;
    result.multiprocessors = properties.multiProcessorCount;
    AUREOLE_CUDA_CHECK(cudaMemGetInfo(&result.free_bytes, &result.total_bytes));
    AUREOLE_CUDA_CHECK(cudaSetDevice(current));
    return result;
}

void select(int device) { AUREOLE_CUDA_CHECK(cudaSetDevice(device)); }

void* allocate(std::size_t bytes)
{
    void* p = nullptr;
    const cudaError_t status = cudaMalloc(&p, bytes);
    if (status == cudaErrorMemoryAllocation) {
        static_cast<void>(cudaGetLastError());  // the caller's to report, not the next launch's
        return nullptr;
    }
    AUREOLE_CUDA_CHECK(status);
    return p;
}

std::size_t free_bytes()
{
    std::size_t available = 0, total = 0;
    AUREOLE_CUDA_CHECK(cudaMemGetInfo(&available, &total));
    return available;
}

void release(void* p) noexcept { static_cast<void>(cudaFree(p)); }

Place place_of(const void* p)
{
    cudaPointerAttributes attributes{};
    AUREOLE_CUDA_CHECK(cudaPointerGetAttributes(&attributes, p));
    if (attributes.type == cudaMemoryTypeUnregistered) return Place::pageable;
    return attributes.type == cudaMemoryTypeHost ? Place::pinned : Place::device;
}

void copy(void* to, const void* from, std::size_t bytes)
{
    AUREOLE_CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

void synchronize() { AUREOLE_CUDA_CHECK(cudaDeviceSynchronize()); }

CUstream_st* create_stream()
{
    cudaStream_t stream = nullptr;
    AUREOLE_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

void release_stream(CUstream_st* stream) noexcept { static_cast<void>(cudaStreamDestroy(stream)); }

void copy(CUstream_st* stream, void* to, const void* from, std::size_t bytes)
{
    AUREOLE_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
}

void fill_zero(CUstream_st* stream, void* p, std::size_t bytes)
{
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(p, 0, bytes, stream));
}

void wait(CUstream_st* stream) { AUREOLE_CUDA_CHECK(cudaStreamSynchronize(stream)); }

void* allocate_pinned(std::size_t bytes)
{
    void* p = nullptr;
    AUREOLE_CUDA_CHECK(cudaMallocHost(&p, bytes));
    return p;
}

void release_pinned(void* p) noexcept { static_cast<void>(cudaFreeHost(p)); }

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

namespace aureole::memory::cuda {

std::size_t whole_device()
{
    std::size_t available = 0, total = 0;
    AUREOLE_CUDA_CHECK(cudaMemGetInfo(&available, &total));
    return total;
}

}  // namespace aureole::memory::cuda
