#include "sim/core/backend.hpp"

#include "sim/core/device.hpp"
#include "sim/core/error.hpp"

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
    throw CudaError(fmt::format("{}: {} ({} = {}) at {}:{}", what, text, name, status, file, line));
}

}  // namespace aureole
