#include "halo/copy_bytes.hpp"

#include <cstring>

#include "sim/core/device.hpp"

namespace aureole::halo {

void copy_bytes(Exec exec, void* to, const void* from, std::size_t bytes)
{
    if (exec.backend == Backend::cuda) device::synchronize();
    if (bytes == 0) return;
    if (exec.backend == Backend::cuda)
        device::copy(to, from, bytes);
    else
        std::memcpy(to, from, bytes);
}

}  // namespace aureole::halo
