// Without CUDA there is no device to deposit on.
#include "density/deposit/elements_device.hpp"

namespace aureole::density {

void deposit_chunk(CUstream_st*, const DeviceChunk&) { throw_not_built(Backend::cuda); }

}  // namespace aureole::density
