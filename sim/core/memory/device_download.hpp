// Large results home from the GPU.
#pragma once

#include <cstddef>
#include <functional>

namespace aureole::device {

/// Copies device memory, which must have been written by then (no other stream is waited for), to ordinary
/// host memory; returns when done. Large ones go through pinned memory while all threads empty what has come:
/// as fast as the bus, where a plain copy to new pages is some ten times slower.
void download(void* to, const void* from, std::size_t bytes);

/// The same for those who do not want a copy: take(offset, part, bytes) is given one part after the other, of
/// a multiple of 64 kB each but the last, by the calling thread.
using TakePart = std::function<void(std::size_t offset, const std::byte* part, std::size_t bytes)>;
void download_parts(const void* from, std::size_t bytes, const TakePart& take);

}  // namespace aureole::device
