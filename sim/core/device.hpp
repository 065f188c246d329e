// Device memory and device facts behind plain functions, so no other host file needs a CUDA header.
#pragma once

#include <cstddef>
#include <string>

namespace aureole::device {

struct Info {
    std::string name;
    int capability_major = 0, capability_minor = 0;
    int multiprocessors = 0;
    std::size_t total_bytes = 0, free_bytes = 0;
};

int count() noexcept;
std::string driver();               ///< versions of CUDA that the driver and this program know
Info info(int device);              ///< throws CudaError when there is no such device
void select(int device);            ///< all later calls of this thread use it
void* allocate(std::size_t bytes);  ///< nullptr when the selected device has no such room
std::size_t free_bytes();           ///< on the selected device, whoever holds the rest
void release(void* p) noexcept;
void copy(void* to, const void* from, std::size_t bytes);  ///< any direction; returns when done
void synchronize();

}  // namespace aureole::device
