#include "sim/core/memory/device_event.hpp"

namespace aureole::device {

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
