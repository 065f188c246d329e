// Large results home from the GPU.
#pragma once

#include <cstddef>

namespace aureole::device {

/// Copies device memory, which must have been written by then (no other stream is waited for), to ordinary
/// host memory; returns when done. Large ones go through pinned memory while all threads empty what has come:
/// as fast as the bus, where a plain copy to new pages is some ten times slower.
void download(void* to, const void* from, std::size_t bytes);

}  // namespace aureole::device
