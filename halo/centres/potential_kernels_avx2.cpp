// Loops over pairs with 256-bit vectors.
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

#include "halo/centres/potential_loops.hpp"

namespace aureole::halo {
namespace {

struct Avx2 {
    static constexpr int bytes = 32;

    static __m256 fma(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }

    /// Third order in the error of the 12-bit estimate.
    static __m256 rsqrt(__m256 x)
    {
        const __m256 y = _mm256_rsqrt_ps(x);
        const __m256 error = _mm256_fnmadd_ps(x * y, y, _mm256_set1_ps(1));
        const __m256 correction = _mm256_fmadd_ps(error, _mm256_set1_ps(0.375f), _mm256_set1_ps(0.5f));
        return _mm256_fmadd_ps(y * error, correction, y);
    }
    static __m256d sqrt(__m256d x) { return _mm256_sqrt_pd(x); }
};

}  // namespace

const PotentialKernels& potential_kernels_avx2() { return kernels_of<Avx2>(); }

}  // namespace aureole::halo
#else
#include "halo/centres/potential_kernels.hpp"

const aureole::halo::PotentialKernels& aureole::halo::potential_kernels_avx2()
{
    return potential_kernels_baseline();
}
#endif
