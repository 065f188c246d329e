// Where data lives and code runs. The only header that looks at the CUDA compiler.
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

using Index = std::uint32_t;  ///< particle index inside kernels; sizes in host code are std::size_t

/// Largest particle number of one set: the last value of Index is kept to mean "none".
inline constexpr std::size_t max_particles = 0xfffffffeu;

enum class Backend { cpu, cuda };

/// What to run on and in which order. Passed first to everything that may launch a kernel.
struct Exec {
    Backend backend = Backend::cpu;
    CUstream_st* stream = nullptr;  ///< ignored on Backend::cpu
};

/// {cpu}, plus cuda when the build has it *and* a device answers.
std::vector<Backend> available_backends();
const char* name_of(Backend) noexcept;

// Throwers whose message is built on the host, so that files compiled by nvcc never see fmt.
[[noreturn]] void throw_not_built(Backend);
[[noreturn]] void throw_cuda(int status, const char* name, const char* text, const char* what,
                             const char* file, int line);
inline void PrintTo(Backend backend, std::ostream* out) { *out << name_of(backend); }  // GoogleTest

/// Below this many iterations a loop stays on one thread: waking a team costs more than the work.
inline constexpr Index parallel_threshold = 1024;

}  // namespace aureole
