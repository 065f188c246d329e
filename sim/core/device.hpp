// Device facts, device memory, streams and pinned host memory behind plain functions, so that no other C++
// file needs a CUDA header. In a build without CUDA there is no device: count() is 0, and what needs one
// throws CudaError.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "sim/core/backend.hpp"

namespace aureole::device {

struct Info {
    std::string name;
    int capability_major = 0, capability_minor = 0;
    int multiprocessors = 0;
    std::size_t total_bytes = 0, free_bytes = 0;
};

int count() noexcept;
std::string driver();               ///< versions of CUDA that the driver and this program know
Info info(int device);              ///< throws CudaError where there is no such device
void select(int device);            ///< all later calls of this thread use it
void* allocate(std::size_t bytes);  ///< null where the selected device has not so much memory free
std::size_t free_bytes();           ///< on the selected device, other processes counted
void release(void* p) noexcept;
void copy(void* to, const void* from, std::size_t bytes);  ///< in any direction; returns when done
void synchronize();

CUstream_st* create_stream();
void release_stream(CUstream_st* stream) noexcept;
/// In stream order. Only a copy from or to pinned host memory overlaps with other work.
void copy(CUstream_st* stream, void* to, const void* from, std::size_t bytes);
void fill_zero(CUstream_st* stream, void* p, std::size_t bytes);
/// Returns when all work that was put into the stream is done.
void wait(CUstream_st* stream);

/// Takes a third of a millisecond per megabyte.
void* allocate_pinned(std::size_t bytes);
void release_pinned(void* p) noexcept;
/// The same from blocks that were given back earlier: at most 128 MB are kept for that.
void* take_pinned(std::size_t bytes);
void give_pinned(void* p, std::size_t bytes) noexcept;

/// A stream of its own, released at the end of its life.
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

/// The CUDA implementations (device_cuda.cu).
namespace cuda {
int count() noexcept;
std::string driver();
Info info(int device);
void select(int device);
void* allocate(std::size_t bytes);
std::size_t free_bytes();
void release(void* p) noexcept;
void copy(void* to, const void* from, std::size_t bytes);
void synchronize();
CUstream_st* create_stream();
void release_stream(CUstream_st* stream) noexcept;
void copy(CUstream_st* stream, void* to, const void* from, std::size_t bytes);
void fill_zero(CUstream_st* stream, void* p, std::size_t bytes);
void wait(CUstream_st* stream);
void* allocate_pinned(std::size_t bytes);
void release_pinned(void* p) noexcept;
}  // namespace cuda

}  // namespace aureole::device
