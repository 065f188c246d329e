// Tree walk on the CPU with 256-bit vectors.
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

#include "gravity/tree/walk_kernels.hpp"

namespace aureole::gravity::tree {
namespace {

struct Avx2 {
    static constexpr int bytes = 32;
    static constexpr int far_vectors = 2;  ///< of targets in registers: 14 of 16 hold positions and sums
    static constexpr int close_vectors = 1;
    static constexpr int cell_vectors = 1;

    static __m256 fma(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
    static __m256d fma(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
    static __m256 exact_fma(__m256 a, __m256 b, __m256 c) { return fma(a, b, c); }
    static __m256 sqrt(__m256 x) { return _mm256_sqrt_ps(x); }
    typedef std::int32_t Mask __attribute__((vector_size(32)));
    static unsigned bits(Mask mask) { return static_cast<unsigned>(_mm256_movemask_ps((__m256)mask)); }

    /// Third order in the error of the 12-bit estimate: one Newton step would leave a bias of 1e-7.
    template <class T>
    static constexpr double gain = 1;
    static __m256 rsqrt(__m256 x)
    {
        const __m256 y = _mm256_rsqrt_ps(x);
        const __m256 error = _mm256_fnmadd_ps(x * y, y, _mm256_set1_ps(1));
        const __m256 correction = _mm256_fmadd_ps(error, _mm256_set1_ps(0.375f), _mm256_set1_ps(0.5f));
        return _mm256_fmadd_ps(y * error, correction, y);
    }
    static __m256d rsqrt(__m256d x) { return _mm256_set1_pd(1) / _mm256_sqrt_pd(x); }
    static __m256 rsqrt_times_gain(__m256 x) { return rsqrt(x); }
    static __m256d rsqrt_times_gain(__m256d x) { return rsqrt(x); }
};

}  // namespace

GroupWalk group_walk_avx2() { return walk_group<Avx2>; }

}  // namespace aureole::gravity::tree
#else
#include "gravity/tree/walk_group.hpp"

aureole::gravity::tree::GroupWalk aureole::gravity::tree::group_walk_avx2() { return nullptr; }
#endif
