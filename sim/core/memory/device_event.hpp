// What the host learns of the device without holding it up: that a stream has come to some point, and a few
// numbers that a kernel has left, while later work of the stream goes on.
#pragma once

#include "sim/core/device.hpp"

namespace aureole::device {

/// A point in a stream. Throws CudaError in a build without CUDA.
class Event {
public:
    Event();
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event();

    /// After all work that is in the stream now.
    void record(CUstream_st* stream);
    /// Returns when the stream has come there; at once where nothing was recorded.
    void wait() const;

private:
    void* event_ = nullptr;
};

/// One T on its way from the device. T is trivially copyable.
template <class T>
class PendingRead {
public:
    PendingRead() = default;
    PendingRead(const PendingRead&) = delete;
    PendingRead& operator=(const PendingRead&) = delete;
    /// Its memory is given to others only after what is under way has come.
    ~PendingRead()
    {
        try {
            arrived_.wait();
        } catch (...) {  // of a device that has failed nothing comes any more
        }
    }

    /// Reads `from`, in device memory, in stream order; returns at once.
    void begin(CUstream_st* stream, const T* from)
    {
        copy(stream, value_.data(), from, sizeof(T));
        arrived_.record(stream);
    }
    /// Waits for that, not for what was put into the stream since.
    T get()
    {
        arrived_.wait();
        return *value_.data();
    }

private:
    PinnedBuffer<T> value_{1};
    Event arrived_;
};

namespace cuda {
void* create_event();
void release_event(void* event) noexcept;
void record_event(void* event, CUstream_st* stream);
void wait_for_event(void* event);
}  // namespace cuda

}  // namespace aureole::device
