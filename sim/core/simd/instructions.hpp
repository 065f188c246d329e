// The instructions that a file x_simd.cpp is compiled for: CMake compiles it once for each set of them, so
// that one program holds the loop for every machine (cpu_path.hpp chooses at run time).
//
//     GroupKernel AUREOLE_FOR_INSTRUCTIONS(group_walk)() { return walk_group<simd::Instructions>; }
//
// defines group_walk_baseline(), group_walk_avx2() and group_walk_avx512().
#pragma once

#include "sim/core/simd/avx2.hpp"
#include "sim/core/simd/avx512.hpp"
#include "sim/core/simd/baseline.hpp"

namespace aureole::simd {
namespace {

#if defined(AUREOLE_SIMD_AVX512)
using Instructions = Avx512;
#define AUREOLE_FOR_INSTRUCTIONS(name) name##_avx512
#elif defined(AUREOLE_SIMD_AVX2)
using Instructions = Avx2;
#define AUREOLE_FOR_INSTRUCTIONS(name) name##_avx2
#else
using Instructions = Baseline;
#define AUREOLE_FOR_INSTRUCTIONS(name) name##_baseline
#endif

}  // namespace
}  // namespace aureole::simd
