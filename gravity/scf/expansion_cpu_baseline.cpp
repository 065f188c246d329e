// Kernels of the CPU twin of an expansion with the 128-bit vectors that every machine is assumed to have.
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "gravity/scf/expand_kernel.hpp"
#include "gravity/scf/field_kernel.hpp"

namespace aureole::gravity::scf {
namespace {

struct Baseline {
    static constexpr int bytes = 16;
    static constexpr int rows = 4, columns = 2;  ///< 8 of 16 registers hold sums
    static constexpr int group = 2;              ///< vectors whose radial recursions run side by side
    static constexpr int field_vectors = 1;
    typedef float Floats __attribute__((vector_size(16)));
    typedef double Doubles __attribute__((vector_size(16)));

    static Floats fma(Floats a, Floats b, Floats c) { return a * b + c; }
    static Floats fms(Floats a, Floats b, Floats c) { return a * b - c; }
    static Doubles fma(Doubles a, Doubles b, Doubles c) { return a * b + c; }
    static Doubles fms(Doubles a, Doubles b, Doubles c) { return a * b - c; }

#if defined(__SSE2__)
    static Floats sqrt(Floats x) { return _mm_sqrt_ps(x); }
    static Doubles sqrt(Doubles x) { return _mm_sqrt_pd(x); }
#else
    static Floats sqrt(Floats x)
    {
        for (int lane = 0; lane < 4; ++lane) x[lane] = __builtin_sqrtf(x[lane]);
        return x;
    }
    static Doubles sqrt(Doubles x) { return Doubles{__builtin_sqrt(x[0]), __builtin_sqrt(x[1])}; }
#endif
};

}  // namespace

template <>
LaneKernels<float> lane_kernels_baseline()
{
    return {Baseline::rows, Baseline::columns, expand<Baseline, float>, field<Baseline, float>};
}
template <>
LaneKernels<double> lane_kernels_baseline()
{
    return {Baseline::rows, Baseline::columns, expand<Baseline, double>, field<Baseline, double>};
}

}  // namespace aureole::gravity::scf
