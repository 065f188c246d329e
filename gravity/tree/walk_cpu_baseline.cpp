// Tree walk on the CPU with the 128-bit vectors that every machine is assumed to have.
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "gravity/tree/walk_kernels.hpp"

namespace aureole::gravity::tree {
namespace {

struct Baseline {
    static constexpr int bytes = 16;
    static constexpr int far_vectors = 2;
    static constexpr int close_vectors = 1;
    static constexpr int cell_vectors = 1;
    typedef float Floats4 __attribute__((vector_size(16)));
    typedef double Doubles2 __attribute__((vector_size(16)));
    typedef std::int32_t Mask4 __attribute__((vector_size(16)));

    static Floats4 fma(Floats4 a, Floats4 b, Floats4 c) { return a * b + c; }
    static Doubles2 fma(Doubles2 a, Doubles2 b, Doubles2 c) { return a * b + c; }
    static Floats4 exact_fma(Floats4 a, Floats4 b, Floats4 c)
    {
        for (int lane = 0; lane < 4; ++lane) c[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
        return c;
    }
    static Floats4 sqrt(Floats4 x)
    {
        for (int lane = 0; lane < 4; ++lane) x[lane] = __builtin_sqrtf(x[lane]);
        return x;
    }
    static unsigned bits(Mask4 mask)
    {
        unsigned result = 0;
        for (int lane = 0; lane < 4; ++lane) result |= (mask[lane] != 0 ? 1u : 0u) << lane;
        return result;
    }

    template <class T>
    static constexpr double gain = 1;
    static Floats4 rsqrt(Floats4 x)
    {
#if defined(__SSE2__)
        const Floats4 y = _mm_rsqrt_ps(x);  // 12 bits; then third order, see walk_cpu_avx2.cpp
        const Floats4 error = 1 - x * y * y;
        return y + y * error * (0.5f + 0.375f * error);
#else
        for (int lane = 0; lane < 4; ++lane) x[lane] = 1 / __builtin_sqrtf(x[lane]);
        return x;
#endif
    }
    static Doubles2 rsqrt(Doubles2 x)
    {
#if defined(__SSE2__)
        return 1 / Doubles2(_mm_sqrt_pd(x));
#else
        return Doubles2{1 / __builtin_sqrt(x[0]), 1 / __builtin_sqrt(x[1])};
#endif
    }
    static Floats4 rsqrt_times_gain(Floats4 x) { return rsqrt(x); }
    static Doubles2 rsqrt_times_gain(Doubles2 x) { return rsqrt(x); }
};

}  // namespace

GroupWalk group_walk_baseline() { return walk_group<Baseline>; }

}  // namespace aureole::gravity::tree
