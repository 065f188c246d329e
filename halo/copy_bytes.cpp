#include "halo/copy_bytes.hpp"

#include <cstring>

#include "sim/core/device.hpp"
#include "sim/core/memory/device_transfer.hpp"

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

void copy_in_order(Exec exec, void* to, const void* from, std::size_t bytes)
{
    if (exec.backend == Backend::cpu || bytes >= device::least_in_parts)
        return copy_bytes(exec, to, from, bytes);
    device::copy(exec.stream, to, from, bytes);
}

void fetch_in_order(Exec exec, void* to, const void* from, std::size_t bytes)
{
    copy_in_order(exec, to, from, bytes);
    if (exec.backend == Backend::cuda) device::wait(exec.stream);
}

}  // namespace aureole::halo
