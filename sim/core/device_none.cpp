// The device of a build without CUDA: there is none, and asking for it says so.
#include "sim/core/backend.hpp"
#include "sim/core/device.hpp"
#include "sim/core/device_stream.hpp"

namespace aureole::device {

int count() noexcept { return 0; }
std::string driver() { throw_not_built(Backend::cuda); }
Info info(int) { throw_not_built(Backend::cuda); }
void select(int) { throw_not_built(Backend::cuda); }
void* allocate(std::size_t) { throw_not_built(Backend::cuda); }
std::size_t free_bytes() { throw_not_built(Backend::cuda); }
void release(void*) noexcept {}
void copy(void*, const void*, std::size_t) { throw_not_built(Backend::cuda); }
void synchronize() { throw_not_built(Backend::cuda); }

CUstream_st* create_stream() { throw_not_built(Backend::cuda); }
void release_stream(CUstream_st*) noexcept {}
void copy(CUstream_st*, void*, const void*, std::size_t) { throw_not_built(Backend::cuda); }
void fill_zero(CUstream_st*, void*, std::size_t) { throw_not_built(Backend::cuda); }
void wait(CUstream_st*) { throw_not_built(Backend::cuda); }
void* allocate_pinned(std::size_t) { throw_not_built(Backend::cuda); }
void release_pinned(void*) noexcept {}

}  // namespace aureole::device
