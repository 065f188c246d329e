// Transfers between host and device beside other work: pinned host memory, and as much on the device.
#pragma once

#include "sim/core/buffer.hpp"
#include "sim/core/device.hpp"

namespace aureole::device {

/// Uninitialised memory for `n` elements on the host and on the device.
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
