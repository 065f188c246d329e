// Work that goes on while the host prepares more: a queue of the GPU, and host memory that it reads by
// itself.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "sim/core/device.hpp"

struct CUstream_st;

namespace aureole::device {

CUstream_st* create_stream();
void release_stream(CUstream_st* stream) noexcept;
/// In stream order; host memory must be pinned to be copied beside other work.
void copy(CUstream_st* stream, void* to, const void* from, std::size_t bytes);
void fill_zero(CUstream_st* stream, void* p, std::size_t bytes);
/// Returns when all that was asked of the stream is done.
void wait(CUstream_st* stream);
/// Takes a third of a millisecond per megabyte.
void* allocate_pinned(std::size_t bytes);
void release_pinned(void* p) noexcept;
/// The same, from blocks that others have given back: at most 128 MB are kept for that.
void* take_pinned(std::size_t bytes);
void give_pinned(void* p, std::size_t bytes) noexcept;

class Stream {
public:
    Stream() : stream_(create_stream()) {}
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() { release_stream(stream_); }

    CUstream_st* get() const noexcept { return stream_; }

private:
    CUstream_st* stream_;
};

/// Uninitialised host memory for `n` elements, pinned.
template <class T>
class PinnedBuffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    explicit PinnedBuffer(std::size_t n)
        : size_(n), data_(n > 0 ? static_cast<T*>(take_pinned(n * sizeof(T))) : nullptr)
    {
    }
    PinnedBuffer(const PinnedBuffer&) = delete;
    PinnedBuffer& operator=(const PinnedBuffer&) = delete;
    ~PinnedBuffer()
    {
        if (data_) give_pinned(data_, size_ * sizeof(T));
    }

    std::size_t size() const noexcept { return size_; }
    T* data() noexcept { return data_; }

private:
    std::size_t size_;
    T* data_;
};

}  // namespace aureole::device
