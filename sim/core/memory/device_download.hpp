// Copies of large results from the GPU to the host.
#pragma once

#include <cstddef>
#include <functional>

namespace aureole::device {

/// Copies device memory to ordinary host memory and returns when done. The device must have written it
/// already: the call waits for no stream. Large copies go through pinned memory, which all threads empty as
/// it fills, at the speed of the bus; a plain copy to new pages is some ten times slower.
void download(void* to, const void* from, std::size_t bytes);

/// The same without a copy: the calling thread passes one part after the other to take(offset, part, bytes).
/// Each part but the last is a multiple of 64 kB.
using TakePart = std::function<void(std::size_t offset, const std::byte* part, std::size_t bytes)>;
void download_parts(const void* from, std::size_t bytes, const TakePart& take);

}  // namespace aureole::device
