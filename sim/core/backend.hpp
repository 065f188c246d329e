// Where data lives and code runs. The only header that asks whether the CUDA compiler is at work and whether
// this build has a CUDA backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

#if defined(__CUDACC__)
#define AUREOLE_HD __host__ __device__
#else
#define AUREOLE_HD
#endif

struct CUstream_st;

namespace aureole {

/// Whether this build has Backend::cuda. An entry point calls its CUDA implementation under
/// `if constexpr (with_cuda)`: in a build without CUDA that call is discarded and needs no definition.
#if defined(AUREOLE_WITH_CUDA)
inline constexpr bool with_cuda = true;
#else
inline constexpr bool with_cuda = false;
#endif

using Index = std::uint32_t;  ///< particle index inside kernels; sizes in host code are std::size_t

/// Largest number of particles in one set: the largest value of Index means "none".
inline constexpr std::size_t max_particles = 0xfffffffeu;

enum class Backend { cpu, cuda };

/// What to run on and in which order. Passed first to everything that may launch a kernel.
struct Exec {
    Backend backend = Backend::cpu;
    CUstream_st* stream = nullptr;  ///< ignored on Backend::cpu
};

/// {cpu}, and cuda as well where the build has it *and* a device is present.
std::vector<Backend> available_backends();
const char* name_of(Backend) noexcept;

// These throw CudaError (throw_cuda: MemoryError where the device is out of memory). They build the message
// in backend.cpp, because files compiled by nvcc cannot include fmt.
[[noreturn]] void throw_not_built(Backend);
[[noreturn]] void throw_cuda(int status, const char* name, const char* text, const char* what,
                             const char* file, int line);
inline void PrintTo(Backend backend, std::ostream* out) { *out << name_of(backend); }  // GoogleTest

/// Below this many iterations a loop stays on one thread: waking a team costs more than the work.
inline constexpr Index parallel_threshold = 1024;

}  // namespace aureole
