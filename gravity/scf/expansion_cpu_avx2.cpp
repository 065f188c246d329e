// Kernels of the CPU twin of an expansion with 256-bit vectors.
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

#include "gravity/scf/expand_kernel.hpp"
#include "gravity/scf/field_kernel.hpp"

namespace aureole::gravity::scf {
namespace {

struct Avx2 {
    static constexpr int bytes = 32;
    static constexpr int rows = 4, columns = 2;  ///< 8 of 16 registers hold sums
    static constexpr int group = 2;              ///< vectors whose radial recursions run side by side
    static constexpr int field_vectors = 1;      ///< 8 registers hold sums over n

    static __m256 fma(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
    static __m256 fms(__m256 a, __m256 b, __m256 c) { return _mm256_fmsub_ps(a, b, c); }
    static __m256d fma(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
    static __m256d fms(__m256d a, __m256d b, __m256d c) { return _mm256_fmsub_pd(a, b, c); }

    static __m256 sqrt(__m256 x) { return _mm256_sqrt_ps(x); }
    static __m256d sqrt(__m256d x) { return _mm256_sqrt_pd(x); }
};

}  // namespace

template <>
LaneKernels<float> lane_kernels_avx2()
{
    return {Avx2::rows, Avx2::columns, expand<Avx2, float>, field<Avx2, float>};
}
template <>
LaneKernels<double> lane_kernels_avx2()
{
    return {Avx2::rows, Avx2::columns, expand<Avx2, double>, field<Avx2, double>};
}

}  // namespace aureole::gravity::scf
#else
#include "gravity/scf/expansion_kernels.hpp"

template <>
aureole::gravity::scf::LaneKernels<float> aureole::gravity::scf::lane_kernels_avx2()
{
    return {};
}
template <>
aureole::gravity::scf::LaneKernels<double> aureole::gravity::scf::lane_kernels_avx2()
{
    return {};
}
#endif
