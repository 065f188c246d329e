#include "sim/core/backend.hpp"

#include <string_view>

#include "sim/core/device.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"

namespace aureole {

const char* name_of(Backend backend) noexcept { return backend == Backend::cpu ? "cpu" : "cuda"; }

std::vector<Backend> available_backends()
{
    if (device::count() > 0) return {Backend::cpu, Backend::cuda};
    return {Backend::cpu};
}

void throw_not_built(Backend backend)
{
    throw CudaError(
        fmt::format("this build has no {} backend (configure with -DAUREOLE_CUDA=ON)", name_of(backend)));
}

void throw_cuda(int status, const char* name, const char* text, const char* what, const char* file, int line)
{
    std::string place;
#if defined(AUREOLE_SYNC_KERNELS)  // a build for those who look for the fault
    place = fmt::format("; {} at {}:{}", what, file, line);
#else
    static_cast<void>(what), static_cast<void>(file), static_cast<void>(line);
#endif
    if (std::string_view(name) != "cudaErrorMemoryAllocation")
        throw CudaError(fmt::format("the GPU failed: {} ({} = {}); --device cpu computes without it{}", text,
                                    name, status, place));
    throw MemoryError(
        fmt::format("out of memory on the GPU, {:.1f} MB held by this process, others may hold the rest; "
                    "--device cpu takes none of it{}",
                    megabytes(memory::held_bytes(Backend::cuda)), place));
}

}  // namespace aureole
