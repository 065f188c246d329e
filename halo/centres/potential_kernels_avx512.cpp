// Loops over pairs with 512-bit vectors.
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#include <immintrin.h>

#include "halo/centres/potential_loops.hpp"

namespace aureole::halo {
namespace {

struct Avx512 {
    static constexpr int bytes = 64;

    static __m512 fma(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }

    /// One Newton step on a 14-bit estimate. (maskz: GCC 12 warns of its plain form.)
    static __m512 rsqrt(__m512 x)
    {
        const __m512 y = _mm512_maskz_rsqrt14_ps(0xffff, x);
        const __m512 half_error = _mm512_fnmadd_ps(x * y, 0.5f * y, _mm512_set1_ps(0.5f));
        return _mm512_fmadd_ps(y, half_error, y);
    }
    static __m512d sqrt(__m512d x) { return _mm512_maskz_sqrt_pd(0xff, x); }
};

}  // namespace

const PotentialKernels& potential_kernels_avx512() { return kernels_of<Avx512>(); }

}  // namespace aureole::halo
#else
#include "halo/centres/potential_kernels.hpp"

const aureole::halo::PotentialKernels& aureole::halo::potential_kernels_avx512()
{
    return potential_kernels_baseline();
}
#endif
