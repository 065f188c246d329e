// Loops over pairs with the 128-bit vectors that every machine is assumed to have.
#include "halo/centres/potential_loops.hpp"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace aureole::halo {
namespace {

struct Baseline {
    static constexpr int bytes = 16;
    typedef float Floats __attribute__((vector_size(16)));
    typedef double Doubles __attribute__((vector_size(16)));

    static Floats fma(Floats a, Floats b, Floats c) { return a * b + c; }

    static Floats rsqrt(Floats x)
    {
#if defined(__SSE2__)
        const Floats y = _mm_rsqrt_ps(x);  // 12 bits; then third order, see potential_kernels_avx2.cpp
        const Floats error = 1 - x * y * y;
        return y + y * error * (0.5f + 0.375f * error);
#else
        for (int lane = 0; lane < 4; ++lane) x[lane] = 1 / __builtin_sqrtf(x[lane]);
        return x;
#endif
    }
    static Doubles sqrt(Doubles x)
    {
#if defined(__SSE2__)
        return _mm_sqrt_pd(x);
#else
        return Doubles{__builtin_sqrt(x[0]), __builtin_sqrt(x[1])};
#endif
    }
};

}  // namespace

const PotentialKernels& potential_kernels_baseline() { return kernels_of<Baseline>(); }

}  // namespace aureole::halo
