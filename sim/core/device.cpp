#include "sim/core/device.hpp"

#include "sim/core/memory/block_pool.hpp"

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
    if constexpr (with_cuda) return cuda::copy(to, from, bytes);
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
    if constexpr (with_cuda) return cuda::copy(stream, to, from, bytes);
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

/// Two chunks of a deposit with velocities, and the two lanes of a download.
constexpr std::size_t most_kept_bytes = std::size_t{128} << 20;

BlockPool& pinned_blocks()
{
    static BlockPool blocks(allocate_pinned, release_pinned, most_kept_bytes);
    return blocks;
}

}  // namespace

void* take_pinned(std::size_t bytes) { return pinned_blocks().take(bytes); }
void give_pinned(void* p, std::size_t bytes) noexcept { pinned_blocks().give(p, bytes); }

}  // namespace aureole::device
