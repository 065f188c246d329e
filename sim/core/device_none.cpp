// The device of a build without CUDA: there is none, and asking for it says so.
#include "sim/core/backend.hpp"
#include "sim/core/device.hpp"

namespace aureole::device {

int count() noexcept { return 0; }
Info info(int) { throw_not_built(Backend::cuda); }
void select(int) { throw_not_built(Backend::cuda); }
void* allocate(std::size_t) { throw_not_built(Backend::cuda); }
std::size_t free_bytes() { throw_not_built(Backend::cuda); }
void release(void*) noexcept {}
void copy(void*, const void*, std::size_t) { throw_not_built(Backend::cuda); }
void synchronize() { throw_not_built(Backend::cuda); }

}  // namespace aureole::device
