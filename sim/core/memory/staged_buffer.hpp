// Numbers on their way between host and device while other work goes on: pinned memory here, as much there.
#pragma once

#include "sim/core/buffer.hpp"
#include "sim/core/device.hpp"

namespace aureole::device {

/// Uninitialised room for `n` elements on either side.
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
