#include "sim/core/memory.hpp"

#include <array>
#include <atomic>
#include <limits>
#include <new>

#include "sim/core/device.hpp"
#include "sim/core/error.hpp"

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

}  // namespace

std::size_t held_bytes(Backend where) noexcept { return ledger(where).held; }
std::size_t peak_bytes(Backend where) noexcept { return ledger(where).peak; }
void reset_peak(Backend where) noexcept { ledger(where).peak = ledger(where).held.load(); }

void* allocate(Backend where, std::size_t count, std::size_t element_bytes)
{
    if (count == 0) return nullptr;
    AUREOLE_EXPECT(count <= std::numeric_limits<std::size_t>::max() / element_bytes,
                   "{} elements of {} bytes do not fit in memory", count, element_bytes);
    const std::size_t bytes = count * element_bytes;
    void* p = nullptr;
    if (where == Backend::cuda)
        p = device::allocate(bytes);
    else
        p = ::operator new(bytes, alignment, std::nothrow);
    if (!p)
        throw Error(fmt::format("out of memory: {:.1f} MB wanted on {}, {:.1f} MB held", 1e-6 * double(bytes),
                                name_of(where), 1e-6 * double(held_bytes(where))));
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
