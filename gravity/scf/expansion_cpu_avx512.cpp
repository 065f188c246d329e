// Kernels of the CPU twin of an expansion with 512-bit vectors.
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#include <immintrin.h>

#include "gravity/scf/expand_kernel.hpp"
#include "gravity/scf/field_kernel.hpp"

namespace aureole::gravity::scf {
namespace {

struct Avx512 {
    static constexpr int bytes = 64;
    static constexpr int rows = 4, columns = 4;  ///< 16 of 32 registers hold sums
    static constexpr int group = 4;              ///< vectors whose radial recursions run side by side
    static constexpr int field_vectors = 2;      ///< 16 registers hold sums over n, 8 sums over levels

    static __m512 fma(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
    static __m512 fms(__m512 a, __m512 b, __m512 c) { return _mm512_fmsub_ps(a, b, c); }
    static __m512d fma(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
    static __m512d fms(__m512d a, __m512d b, __m512d c) { return _mm512_fmsub_pd(a, b, c); }

    // maskz: GCC 12 warns of the plain form
    static __m512 sqrt(__m512 x) { return _mm512_maskz_sqrt_ps(0xffff, x); }
    static __m512d sqrt(__m512d x) { return _mm512_maskz_sqrt_pd(0xff, x); }
};

}  // namespace

template <>
LaneKernels<float> lane_kernels_avx512()
{
    return {Avx512::rows, Avx512::columns, expand<Avx512, float>, field<Avx512, float>};
}
template <>
LaneKernels<double> lane_kernels_avx512()
{
    return {Avx512::rows, Avx512::columns, expand<Avx512, double>, field<Avx512, double>};
}

}  // namespace aureole::gravity::scf
#else
#include "gravity/scf/expansion_kernels.hpp"

template <>
aureole::gravity::scf::LaneKernels<float> aureole::gravity::scf::lane_kernels_avx512()
{
    return {};
}
template <>
aureole::gravity::scf::LaneKernels<double> aureole::gravity::scf::lane_kernels_avx512()
{
    return {};
}
#endif
