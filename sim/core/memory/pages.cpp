#include "sim/core/memory/pages.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace aureole::memory {

void ask_for_large_pages(void* p, std::size_t bytes) noexcept
{
    constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    const std::uintptr_t first = (address + page - 1) / page * page, end = (address + bytes) / page * page;
    if (p && end >= first + 4 * page)
        static_cast<void>(::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE));
}

void touch_pages(void* p, std::size_t bytes)
{
    constexpr std::size_t least = std::size_t{1} << 22, page = 4096;
    if (bytes < least) return;
    ask_for_large_pages(p, bytes);
    auto* const first = static_cast<volatile std::byte*>(p);
    const std::size_t pages = (bytes + page - 1) / page;
#pragma omp parallel for
    for (std::size_t k = 0; k < pages; ++k) first[k * page] = std::byte{0};
}

}  // namespace aureole::memory
