// Transfers between host and device: copies of large results, and buffers for copies beside other work.
#pragma once

#include <cstddef>
#include <functional>

#include "sim/core/buffer.hpp"
#include "sim/core/device.hpp"

namespace aureole::device {

/// A copy between device memory and pageable host memory of at least so many bytes goes in parts through
/// pinned memory, wherever it is asked for.
inline constexpr std::size_t least_in_parts = std::size_t{8} << 20;

/// Pinned memory that copies of up to so many bytes hold, which stays pinned for the next: for forecasts.
std::size_t pinned_bytes_of_copies(std::size_t largest) noexcept;

/// Copies device memory to ordinary host memory and returns when done. The device must have written it
/// already: the call waits for no stream. Large copies go through pinned memory, which all threads empty as
/// it fills, at the speed of the bus; a plain copy to new pages is some ten times slower.
void download(void* to, const void* from, std::size_t bytes);

/// The way back: ordinary host memory to device memory that no stream uses at that time.
void upload(void* to, const void* from, std::size_t bytes);

/// Between two places in host memory, by all threads, which touch pages that are new.
void copy_on_host(void* to, const void* from, std::size_t bytes);

/// As download() without a copy: the calling thread passes one part after the other to take(offset, part,
/// bytes). Each part but the last is a multiple of 64 kB.
using TakePart = std::function<void(std::size_t offset, const std::byte* part, std::size_t bytes)>;
void download_parts(const void* from, std::size_t bytes, const TakePart& take);

/// Uninitialised memory for `n` elements on the host, pinned, and on the device, for transfers beside other
/// work.
template <class T>
class StagedBuffer {
public:
    explicit StagedBuffer(std::size_t n) : host_(n), device_(Backend::cuda, n) {}

    std::size_t size() const noexcept { return host_.size(); }
    T* host() noexcept { return host_.data(); }
    T* device() noexcept { return device_.data(); }

    /// The first `n` elements, to the device; fetch() is the way back. In stream order.
    void send(CUstream_st* stream, std::size_t n)
    {
        if (n > 0) copy(stream, device(), host(), n * sizeof(T));
    }
    void fetch(CUstream_st* stream, std::size_t n)
    {
        if (n > 0) copy(stream, host(), device(), n * sizeof(T));
    }

private:
    PinnedBuffer<T> host_;
    Buffer<T> device_;
};

}  // namespace aureole::device
