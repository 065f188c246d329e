#include "sim/core/device_sharing.hpp"

namespace aureole::device {

int selected()
{
    if constexpr (with_cuda) return cuda::selected();
    throw_not_built(Backend::cuda);
}

int number_of([[maybe_unused]] const void* p)
{
    if constexpr (with_cuda) return cuda::number_of(p);
    throw_not_built(Backend::cuda);
}

void order_after([[maybe_unused]] CUstream_st* later, [[maybe_unused]] CUstream_st* earlier)
{
    if constexpr (with_cuda) return cuda::order_after(later, earlier);
    throw_not_built(Backend::cuda);
}

std::string why_no_device()
{
    if constexpr (with_cuda) return cuda::why_no_device();
    return "this build has no CUDA backend (configure with -DAUREOLE_CUDA=ON)";
}

Selection::~Selection()
{
    try {
        if (selected() != before_) select(before_);
    } catch (...) {  // a device that has failed fails the next call, too
    }
}

}  // namespace aureole::device
