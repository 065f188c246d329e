// What it takes to use a device beside other libraries in this process: their memory, their streams, and the
// device that they had selected. In a build without CUDA all but why_no_device() throw CudaError.
#pragma once

#include <string>

#include "sim/core/device.hpp"

namespace aureole::device {

/// The device that this thread has selected.
int selected();

/// The device whose memory `p` leads to; -1 for memory of the host.
int number_of(const void* p);

/// Work that is put into `later` from now on begins when all work that is in `earlier` now is done. The host
/// does not wait.
void order_after(CUstream_st* later, CUstream_st* earlier);

/// In a few words, for messages: why count() is 0. Empty where it is not.
std::string why_no_device();

/// Selects a device for its life, then the one that was selected before.
class Selection {
public:
    explicit Selection(int device) : before_(selected())
    {
        if (device != before_) select(device);
    }
    Selection(const Selection&) = delete;
    Selection& operator=(const Selection&) = delete;
    ~Selection();

private:
    int before_;
};

namespace cuda {
int selected();
int number_of(const void* p);
void order_after(CUstream_st* later, CUstream_st* earlier);
std::string why_no_device();
}  // namespace cuda

}  // namespace aureole::device
