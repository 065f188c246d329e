// Tile kernels of the CPU direct sum with 256-bit vectors.
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

#include "gravity/direct/direct_tile_kernels.hpp"

namespace aureole::gravity {
namespace {

struct Avx2 {
    static constexpr int bytes = 32;
    static constexpr int far_vectors = 2;  ///< of targets in registers: 14 of 16 hold positions and sums
    static constexpr int near_vectors = 1;

    static __m256 fma(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
    static __m256d fma(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }

    /// Third order in the error of the 12-bit estimate: one Newton step would leave a bias of 1e-7.
    static constexpr double gain = 1;
    static __m256 rsqrt(__m256 x)
    {
        const __m256 y = _mm256_rsqrt_ps(x);
        const __m256 error = _mm256_fnmadd_ps(x * y, y, _mm256_set1_ps(1));
        const __m256 correction = _mm256_fmadd_ps(error, _mm256_set1_ps(0.375f), _mm256_set1_ps(0.5f));
        return _mm256_fmadd_ps(y * error, correction, y);
    }
    static __m256 rsqrt_times_gain(__m256 x) { return rsqrt(x); }
    static __m256d rsqrt(__m256d x) { return _mm256_set1_pd(1) / _mm256_sqrt_pd(x); }
};

}  // namespace

TileEvaluation tile_evaluation_avx2() { return evaluate_tile<Avx2>; }

}  // namespace aureole::gravity
#else
#include "gravity/direct/direct_tiles.hpp"

aureole::gravity::TileEvaluation aureole::gravity::tile_evaluation_avx2() { return nullptr; }
#endif
