// Tile kernels of the CPU direct sum with the 128-bit vectors that every machine is assumed to have.
#include "gravity/direct/direct_tile_kernels.hpp"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace aureole::gravity {
namespace {

struct Baseline {
    static constexpr int bytes = 16;
    static constexpr int far_vectors = 2;
    static constexpr int near_vectors = 1;
    typedef float Floats __attribute__((vector_size(16)));
    typedef double Doubles __attribute__((vector_size(16)));

    static Floats fma(Floats a, Floats b, Floats c) { return a * b + c; }
    static Doubles fma(Doubles a, Doubles b, Doubles c) { return a * b + c; }

    static constexpr double gain = 1;
    static Floats rsqrt(Floats x)
    {
#if defined(__SSE2__)
        const Floats y = _mm_rsqrt_ps(x);  // 12 bits; then third order, see direct_cpu_avx2.cpp
        const Floats error = 1 - x * y * y;
        return y + y * error * (0.5f + 0.375f * error);
#else
        for (int lane = 0; lane < 4; ++lane) x[lane] = 1 / __builtin_sqrtf(x[lane]);
        return x;
#endif
    }
    static Floats rsqrt_times_gain(Floats x) { return rsqrt(x); }
    static Doubles rsqrt(Doubles x)
    {
#if defined(__SSE2__)
        return 1 / Doubles(_mm_sqrt_pd(x));
#else
        return Doubles{1 / __builtin_sqrt(x[0]), 1 / __builtin_sqrt(x[1])};
#endif
    }
};

}  // namespace

TileEvaluation tile_evaluation_baseline() { return evaluate_tile<Baseline>; }

}  // namespace aureole::gravity
