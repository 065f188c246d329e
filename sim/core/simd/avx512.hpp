// 512-bit vectors for Pack, in files compiled for AVX-512 F, DQ, VL and BW (x_simd.cpp). baseline.hpp says
// what a wrapper of instructions supplies. On other machines than x86-64 it stands for the baseline and is
// never chosen.
#pragma once

#include "sim/core/simd/baseline.hpp"
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#define AUREOLE_AVX512
#include <immintrin.h>
#endif

namespace aureole::simd {
namespace {

#if defined(AUREOLE_AVX512)
/// Masked forms (maskz) of sqrt and rsqrt14 with all lanes set: GCC 12 warns of the plain forms.
struct Avx512 {
    static constexpr int bytes = 64, registers = 32;
    typedef std::int32_t Mask __attribute__((vector_size(64)));

    static __m512 fma(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
    static __m512 fms(__m512 a, __m512 b, __m512 c) { return _mm512_fmsub_ps(a, b, c); }
    static __m512d fma(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
    static __m512d fms(__m512d a, __m512d b, __m512d c) { return _mm512_fmsub_pd(a, b, c); }
    static __m512 exact_fma(__m512 a, __m512 b, __m512 c) { return fma(a, b, c); }

    static __m512 sqrt(__m512 x) { return _mm512_maskz_sqrt_ps(0xffff, x); }
    static __m512d sqrt(__m512d x) { return _mm512_maskz_sqrt_pd(0xff, x); }

    /// One Newton step on a 14-bit estimate in float, without its factor 1/2.
    template <class T>
    static constexpr double gain = sizeof(T) == sizeof(float) ? 2 : 1;
    static __m512 rsqrt_times_gain(__m512 x)
    {
        const __m512 y = _mm512_maskz_rsqrt14_ps(0xffff, x);
        return y * _mm512_fnmadd_ps(x * y, y, _mm512_set1_ps(3));
    }
    static __m512d rsqrt_times_gain(__m512d x) { return rsqrt(x); }
    static __m512 rsqrt(__m512 x) { return rsqrt_times_gain(x) * _mm512_set1_ps(0.5f); }
    static __m512d rsqrt(__m512d x)
    {
        __m512d y = _mm512_maskz_rsqrt14_pd(0xff, x);
        for (int step = 0; step < 2; ++step) {
            const __m512d half_error = _mm512_fnmadd_pd(x * y, _mm512_set1_pd(0.5) * y, _mm512_set1_pd(0.5));
            y = _mm512_fmadd_pd(y, half_error, y);
        }
        return y;
    }
    static __m512 corrected_rsqrt(__m512 x)
    {
        const __m512 y = _mm512_maskz_rsqrt14_ps(0xffff, x);
        const __m512 half_error = _mm512_fnmadd_ps(x * y, 0.5f * y, _mm512_set1_ps(0.5f));
        return _mm512_fmadd_ps(y, half_error, y);
    }

    static unsigned bits(Mask mask) { return _mm512_movepi32_mask((__m512i)mask); }
};
#else
using Avx512 = Baseline;
#endif

}  // namespace
}  // namespace aureole::simd
#undef AUREOLE_AVX512
