#include "sim/core/memory/ledger.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <optional>

#include "sim/core/device.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/available_memory.hpp"
#include "sim/core/memory/pages.hpp"

namespace aureole::memory {
namespace {

struct Ledger {
    std::atomic<std::size_t> held{0}, peak{0};
};

Ledger& ledger(Backend where) noexcept
{
    static std::array<Ledger, 2> ledgers;
    return ledgers[where == Backend::cpu ? 0 : 1];
}

constexpr std::align_val_t alignment{64};
constexpr std::size_t bytes_per_mb = 1000000;

const char* limit_name(Backend where) noexcept
{
    return where == Backend::cpu ? "AUREOLE_CPU_MEMORY_MB" : "AUREOLE_CUDA_MEMORY_MB";
}

/// Of what is held together; nothing where the environment sets none.
std::optional<std::size_t> limit_bytes(Backend where)
{
    const char* text = std::getenv(limit_name(where));
    if (!text || !*text) return {};
    const char* last = text + std::strlen(text);
    std::size_t megabytes = 0;
    const auto [end, error] = std::from_chars(text, last, megabytes);
    if (error != std::errc{} || end != last ||
        megabytes > std::numeric_limits<std::size_t>::max() / bytes_per_mb)
        throw ConfigError(
            fmt::format("{}: found '{}', expected a whole number of 10^6 bytes", limit_name(where), text));
    return megabytes * bytes_per_mb;
}

/// Of the machine, whatever the environment allows.
std::size_t free_bytes(Backend where)
{
    if (where == Backend::cuda) return device::free_bytes();
    const std::size_t held = held_bytes(where);
    if (const auto told = host_available_bytes(held)) return *told;
    const auto machine = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return less(machine, held);
}

/// Null where there is not enough memory, or the limit does not allow it.
void* allocate_bytes(Backend where, std::size_t bytes)
{
    const std::optional<std::size_t> limit = limit_bytes(where);
    if (limit && bytes > less(*limit, held_bytes(where))) return nullptr;
    if (where == Backend::cuda) return device::allocate(bytes);
    void* const p = ::operator new(bytes, alignment, std::nothrow);
    ask_for_large_pages(p, bytes);
    return p;
}

}  // namespace

std::size_t device_capacity()
{
    if constexpr (with_cuda) {
        const std::size_t whole = cuda::whole_device(), usable = whole - whole / 50;
        return std::min(usable, limit_bytes(Backend::cuda).value_or(usable));
    }
    throw_not_built(Backend::cuda);
}

std::size_t held_bytes(Backend where) noexcept { return ledger(where).held; }
std::size_t peak_bytes(Backend where) noexcept { return ledger(where).peak; }
void reset_peak(Backend where) noexcept { ledger(where).peak = ledger(where).held.load(); }

Available available(Backend where)
{
    const std::size_t room = free_bytes(where);
    const std::optional<std::size_t> limit = limit_bytes(where);
    const std::size_t allowed = limit ? less(*limit, held_bytes(where)) : room;
    if (allowed >= room) return {room, ""};
    return {allowed, fmt::format("{} = {}", limit_name(where), std::getenv(limit_name(where)))};
}

std::string Available::text() const
{
    return fmt::format("{:.1f} MB available{}", megabytes(bytes), limit.empty() ? "" : " (" + limit + ")");
}

void* allocate(Backend where, std::size_t count, std::size_t element_bytes)
{
    if (count == 0) return nullptr;
    AUREOLE_EXPECT(count <= std::numeric_limits<std::size_t>::max() / element_bytes,
                   "{} elements of {} bytes do not fit in memory", count, element_bytes);
    const std::size_t bytes = count * element_bytes;
    void* p = allocate_bytes(where, bytes);
    if (!p)
        throw MemoryError(fmt::format(
            "out of memory: {:.1f} MB wanted on {}, {:.1f} MB held, {}; fewer particles take less{}",
            megabytes(bytes), name_of(where), megabytes(held_bytes(where)), available(where).text(),
            where == Backend::cuda ? ", and --device cpu none of the device" : ""));
    Ledger& book = ledger(where);
    const std::size_t now = book.held += bytes;
    std::size_t peak = book.peak;
    while (peak < now && !book.peak.compare_exchange_weak(peak, now)) {
    }
    return p;
}

void release(Backend where, void* p, std::size_t bytes) noexcept
{
    if (!p) return;
    ledger(where).held -= bytes;
    if (where == Backend::cuda)
        device::release(p);
    else
        ::operator delete(p, alignment);
}

}  // namespace aureole::memory
