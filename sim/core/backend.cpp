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
    const std::string_view place = std::string_view(file).substr(std::string_view(file).rfind('/') + 1);
    const std::string told = fmt::format("{}: {} ({} = {}) at {}:{}", what, text, name, status, place, line);
    if (std::string_view(name) != "cudaErrorMemoryAllocation") throw CudaError(told);
    throw MemoryError(
        fmt::format("out of memory on the GPU, {:.1f} MB held by this process, others may hold the rest; "
                    "--device cpu takes none of it: {}",
                    1e-6 * static_cast<double>(memory::held_bytes(Backend::cuda)), told));
}

}  // namespace aureole
