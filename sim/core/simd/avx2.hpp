// 256-bit vectors for Pack, in files compiled for AVX2 and FMA (x_simd.cpp). baseline.hpp says what a wrapper
// of instructions supplies. On other machines than x86-64 it stands for the baseline and is never chosen.
#pragma once

#include "sim/core/simd/baseline.hpp"
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

namespace aureole::simd {
namespace {

#if defined(__AVX2__) && defined(__FMA__)
struct Avx2 {
    static constexpr int bytes = 32, registers = 16;
    typedef std::int32_t Mask __attribute__((vector_size(32)));

    static __m256 fma(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
    static __m256 fms(__m256 a, __m256 b, __m256 c) { return _mm256_fmsub_ps(a, b, c); }
    static __m256d fma(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
    static __m256d fms(__m256d a, __m256d b, __m256d c) { return _mm256_fmsub_pd(a, b, c); }
    static __m256 exact_fma(__m256 a, __m256 b, __m256 c) { return fma(a, b, c); }

    static __m256 sqrt(__m256 x) { return _mm256_sqrt_ps(x); }
    static __m256d sqrt(__m256d x) { return _mm256_sqrt_pd(x); }

    /// Third order in the error of the 12-bit estimate: one Newton step would leave a bias of 1e-7.
    static __m256 rsqrt(__m256 x)
    {
        const __m256 y = _mm256_rsqrt_ps(x);
        const __m256 error = _mm256_fnmadd_ps(x * y, y, _mm256_set1_ps(1));
        const __m256 correction = _mm256_fmadd_ps(error, _mm256_set1_ps(0.375f), _mm256_set1_ps(0.5f));
        return _mm256_fmadd_ps(y * error, correction, y);
    }
    static __m256d rsqrt(__m256d x) { return _mm256_set1_pd(1) / _mm256_sqrt_pd(x); }

    template <class T>
    static constexpr double gain = 1;
    static __m256 rsqrt_times_gain(__m256 x) { return rsqrt(x); }
    static __m256d rsqrt_times_gain(__m256d x) { return rsqrt(x); }
    static __m256 corrected_rsqrt(__m256 x) { return rsqrt(x); }

    static unsigned bits(Mask mask) { return static_cast<unsigned>(_mm256_movemask_ps((__m256)mask)); }
};
#else
using Avx2 = Baseline;
#endif

}  // namespace
}  // namespace aureole::simd
