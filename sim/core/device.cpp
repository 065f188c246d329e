#include "sim/core/device.hpp"

#include <atomic>

#include "sim/core/memory/block_pool.hpp"
#include "sim/core/memory/device_event.hpp"
#include "sim/core/memory/device_transfer.hpp"
#include "sim/core/memory/transfers.hpp"

namespace aureole::device {

int count() noexcept
{
    if constexpr (with_cuda) return cuda::count();
    return 0;
}

std::string driver()
{
    if constexpr (with_cuda) return cuda::driver();
    throw_not_built(Backend::cuda);
}

Info info(int device)
{
    if constexpr (with_cuda) return cuda::info(device);
    throw_not_built(Backend::cuda);
}

void select(int device)
{
    if constexpr (with_cuda) return cuda::select(device);
    throw_not_built(Backend::cuda);
}

void* allocate(std::size_t bytes)
{
    if constexpr (with_cuda) return cuda::allocate(bytes);
    throw_not_built(Backend::cuda);
}

std::size_t free_bytes()
{
    if constexpr (with_cuda) return cuda::free_bytes();
    throw_not_built(Backend::cuda);
}

void release(void* p) noexcept
{
    if constexpr (with_cuda) cuda::release(p);
}

void copy(void* to, const void* from, std::size_t bytes)
{
    if constexpr (with_cuda) {
        if (bytes == 0) return;
        const detail::Route route = detail::route_between(cuda::place_of(to), cuda::place_of(from));
        if (route.pageable && bytes >= least_in_parts) {
            synchronize();  // copies in parts wait for no stream
            return route.direction == detail::Direction::to_host ? download(to, from, bytes)
                                                                 : upload(to, from, bytes);
        }
        detail::count_transfer(route.direction, bytes);
        return cuda::copy(to, from, bytes);
    }
    throw_not_built(Backend::cuda);
}

void synchronize()
{
    if constexpr (with_cuda) return cuda::synchronize();
    throw_not_built(Backend::cuda);
}

CUstream_st* create_stream()
{
    if constexpr (with_cuda) return cuda::create_stream();
    throw_not_built(Backend::cuda);
}

void release_stream(CUstream_st* stream) noexcept
{
    if constexpr (with_cuda) cuda::release_stream(stream);
}

void copy(CUstream_st* stream, void* to, const void* from, std::size_t bytes)
{
    if constexpr (with_cuda) {
        if (bytes == 0) return;
        const detail::Route route = detail::route_between(cuda::place_of(to), cuda::place_of(from));
        detail::count_transfer(route.direction, bytes);
        return cuda::copy(stream, to, from, bytes);
    }
    throw_not_built(Backend::cuda);
}

void fill_zero(CUstream_st* stream, void* p, std::size_t bytes)
{
    if constexpr (with_cuda) return cuda::fill_zero(stream, p, bytes);
    throw_not_built(Backend::cuda);
}

void wait(CUstream_st* stream)
{
    if constexpr (with_cuda) return cuda::wait(stream);
    throw_not_built(Backend::cuda);
}

void* allocate_pinned(std::size_t bytes)
{
    if constexpr (with_cuda) return cuda::allocate_pinned(bytes);
    throw_not_built(Backend::cuda);
}

void release_pinned(void* p) noexcept
{
    if constexpr (with_cuda) cuda::release_pinned(p);
}

namespace {

/// Two chunks of a deposit with velocities, and the lanes of copies in parts.
constexpr std::size_t most_kept_bytes = std::size_t{128} << 20;

BlockPool& pinned_blocks()
{
    static BlockPool blocks(allocate_pinned, release_pinned, most_kept_bytes);
    return blocks;
}

std::atomic<std::size_t> pinned_in_use{0};

}  // namespace

void* take_pinned(std::size_t bytes)
{
    void* const block = pinned_blocks().take(bytes);
    pinned_in_use += bytes;
    return block;
}

void give_pinned(void* p, std::size_t bytes) noexcept
{
    pinned_blocks().give(p, bytes);
    pinned_in_use -= bytes;
}

std::size_t pinned_bytes() noexcept { return pinned_in_use + pinned_blocks().kept_bytes(); }

Event::Event()
{
    if constexpr (with_cuda)
        event_ = cuda::create_event();
    else
        throw_not_built(Backend::cuda);
}

Event::~Event()
{
    if constexpr (with_cuda) cuda::release_event(event_);
}

void Event::record([[maybe_unused]] CUstream_st* stream)
{
    if constexpr (with_cuda) cuda::record_event(event_, stream);
}

void Event::wait() const
{
    if constexpr (with_cuda) cuda::wait_for_event(event_);
}

}  // namespace aureole::device
