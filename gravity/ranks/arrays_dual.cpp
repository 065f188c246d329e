// Passes over arrays of particles that forces by ranks need, on both backends.
#include "gravity/ranks/arrays.hpp"

#include <algorithm>
#include <cstring>

#include "sim/core/device.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::gravity::ranks {

bool is_equal(Exec exec, const void* a, const void* b, std::size_t bytes, std::uint32_t* flag)
{
    if (bytes == 0) return true;
    if (exec.backend == Backend::cpu) return std::memcmp(a, b, bytes) == 0;
    std::uint32_t differs = 0;
    device::fill_zero(exec.stream, flag, sizeof *flag);
    // words, and the bytes behind the last: threads that find a difference all write the same
    const std::size_t words = bytes / sizeof(std::uint64_t), rest = bytes % sizeof(std::uint64_t);
    const auto *const wa = static_cast<const std::uint64_t*>(a), *const wb =
                                                                     static_cast<const std::uint64_t*>(b);
    for_each(exec, static_cast<Index>(words), [=] AUREOLE_HD(Index i) {
        if (wa[i] != wb[i]) *flag = 1;
    });
    const auto *const ra = static_cast<const unsigned char*>(a) + (bytes - rest),
                      *const rb = static_cast<const unsigned char*>(b) + (bytes - rest);
    for_each(exec, static_cast<Index>(rest), [=] AUREOLE_HD(Index i) {
        if (ra[i] != rb[i]) *flag = 1;
    });
    device::copy(exec.stream, &differs, flag, sizeof differs);
    device::wait(exec.stream);
    return differs == 0;
}

void set_to_zero(Exec exec, double* values, std::size_t n)
{
    if (exec.backend == Backend::cpu)
        std::fill_n(values, n, 0.0);
    else if (n > 0)
        device::fill_zero(exec.stream, values, n * sizeof *values);
}

void copy_targets(Exec exec, const Selection& targets, const ForceOutputs& from, const ForceOutputs& to)
{
    for_each(exec, targets.size(), [=] AUREOLE_HD(Index k) {
        const Index i = targets[k];
        to.acceleration.store(i, from.acceleration.load(i));
        if (to.potential) to.potential[i] = from.potential[i];
    });
}

}  // namespace aureole::gravity::ranks
