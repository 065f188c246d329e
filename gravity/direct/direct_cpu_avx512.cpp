// Tile kernels of the CPU direct sum with 512-bit vectors.
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#include <immintrin.h>

#include "gravity/direct/direct_tile_kernels.hpp"

namespace aureole::gravity {
namespace {

struct Avx512 {
    static constexpr int bytes = 64;
    static constexpr int far_vectors = 4;   ///< of targets in registers: 28 of 32 hold positions and sums
    static constexpr int near_vectors = 2;  ///< the long formulas spill above this

    static __m512 fma(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
    static __m512d fma(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }

    /// One Newton step on a 14-bit estimate, without its factor 1/2. (maskz: GCC 12 warns of its plain form.)
    static constexpr double gain = 2;
    static __m512 rsqrt_times_gain(__m512 x)
    {
        const __m512 y = _mm512_maskz_rsqrt14_ps(0xffff, x);
        return y * _mm512_fnmadd_ps(x * y, y, _mm512_set1_ps(3));
    }
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
};

}  // namespace

TileEvaluation tile_evaluation_avx512() { return evaluate_tile<Avx512>; }

}  // namespace aureole::gravity
#else
#include "gravity/direct/direct_tiles.hpp"

aureole::gravity::TileEvaluation aureole::gravity::tile_evaluation_avx512() { return nullptr; }
#endif
