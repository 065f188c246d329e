// Which instruction set the SIMD kernels use. One binary holds them all; the machine decides at run time.
#pragma once

#include <vector>

namespace aureole {

enum class CpuPath {
    baseline,  ///< what the compiler assumes of every machine (SSE2 on x86-64)
    avx2,      ///< AVX2 and FMA
    avx512     ///< AVX-512 F, DQ, VL and BW
};

const char* name_of(CpuPath) noexcept;

/// Those that this build has and this machine runs, the fastest last; never empty.
std::vector<CpuPath> available_cpu_paths();

/// The one of three kernels, functions or tables that `path` names.
template <class Kernel>
Kernel for_path(CpuPath path, Kernel baseline, Kernel avx2, Kernel avx512)
{
    if (path == CpuPath::avx512) return avx512;
    return path == CpuPath::avx2 ? avx2 : baseline;
}

/// The fastest available path, or the one that the environment variable AUREOLE_SIMD names (for tests and
/// measurements). Throws ConfigError when it names none of the available ones.
CpuPath chosen_cpu_path();

}  // namespace aureole
