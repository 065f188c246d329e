// How much memory the host can still give. Operating systems hand out more at first and end the program when
// it touches that.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "sim/core/backend.hpp"

namespace aureole::memory {

/// Bytes that the operating system has available, or what is left of a control group's limit where that is
/// less (both versions of control groups; the group of this process and those above it). Of the `allocated`
/// bytes of this process, those not touched yet are still counted as available, so they are subtracted. Empty
/// where the system tells neither number. `root` replaces `/` in tests.
std::optional<std::size_t> host_available_bytes(std::size_t allocated,
                                                const std::filesystem::path& root = "/");

/// What Buffers of one program alone could hold on the selected device: its whole memory less 2 % for the
/// driver, and no more than AUREOLE_CUDA_MEMORY_MB allows. It does not depend on what is free, so that it is
/// the same in a repeated or resumed run. Throws ConfigError where the limit is not a number.
std::size_t device_capacity();

namespace cuda {
std::size_t whole_device();  ///< bytes of the selected one (device_cuda.cu)
}

/// What is left of `all` bytes, none where more are taken.
constexpr std::size_t less(std::size_t all, std::size_t taken) noexcept
{
    return all > taken ? all - taken : 0;
}

}  // namespace aureole::memory
