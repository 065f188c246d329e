// Adds the sums of a device to those of the host. Grids and octrees use this when both have deposited.
#pragma once

#include "sim/core/backend.hpp"
#include "sim/core/memory/device_download.hpp"
#include "sim/core/sums/fixed_sum.hpp"

namespace aureole::density {

inline void add(Index& count, Index other) { count += other; }

/// to[i] += from[i] for n elements of device memory.
template <class Sum>
void download_added(Sum* to, const Sum* from, std::size_t n)
{
    device::download_parts(from, n * sizeof(Sum),
                           [to](std::size_t offset, const std::byte* part, std::size_t bytes) {
                               const auto* const terms = reinterpret_cast<const Sum*>(part);
                               Sum* const sums = to + offset / sizeof(Sum);
#pragma omp parallel for
                               for (std::size_t i = 0; i < bytes / sizeof(Sum); ++i) add(sums[i], terms[i]);
                           });
}

}  // namespace aureole::density
