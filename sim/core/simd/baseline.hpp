// The instructions that every machine is assumed to have, for Pack: 128-bit vectors, SSE2 on x86-64.
// A wrapper of instructions (baseline.hpp, avx2.hpp, avx512.hpp) supplies:
//   bytes        of a vector register, and how many registers there are
//   fma, fms     a b + c and a b - c; exact_fma rounds once with every instruction set
//   sqrt         rounded correctly
//   rsqrt        1 / sqrt(x), in float to a few units in the last place; corrected_rsqrt ends with the
//   addition of
//                a correction; rsqrt_times_gain<T> leaves the last multiplication out: its result is `gain`
//                times too large
//   bits         one bit per lane of a mask
// It lies in an unnamed namespace, so that what is instantiated with it stays in the file that was compiled
// for those instructions: the linker must not merge it with the code of other files.
#pragma once

#include <cstdint>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace aureole::simd {
namespace {

struct Baseline {
    static constexpr int bytes = 16, registers = 16;
    typedef float Floats __attribute__((vector_size(16)));
    typedef double Doubles __attribute__((vector_size(16)));
    typedef std::int32_t Mask __attribute__((vector_size(16)));

    static Floats fma(Floats a, Floats b, Floats c) { return a * b + c; }
    static Floats fms(Floats a, Floats b, Floats c) { return a * b - c; }
    static Doubles fma(Doubles a, Doubles b, Doubles c) { return a * b + c; }
    static Doubles fms(Doubles a, Doubles b, Doubles c) { return a * b - c; }
    static Floats exact_fma(Floats a, Floats b, Floats c)
    {
        for (int lane = 0; lane < 4; ++lane) c[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
        return c;
    }

#if defined(__SSE2__)
    static Floats sqrt(Floats x) { return _mm_sqrt_ps(x); }
    static Doubles sqrt(Doubles x) { return _mm_sqrt_pd(x); }
    static Floats rsqrt(Floats x)
    {
        const Floats y = _mm_rsqrt_ps(x);  // 12 bits; then third order in the error, as in avx2.hpp
        const Floats error = 1 - x * y * y;
        return y + y * error * (0.5f + 0.375f * error);
    }
#else
    static Floats sqrt(Floats x)
    {
        for (int lane = 0; lane < 4; ++lane) x[lane] = __builtin_sqrtf(x[lane]);
        return x;
    }
    static Doubles sqrt(Doubles x) { return Doubles{__builtin_sqrt(x[0]), __builtin_sqrt(x[1])}; }
    static Floats rsqrt(Floats x) { return 1 / sqrt(x); }
#endif
    static Doubles rsqrt(Doubles x) { return 1 / sqrt(x); }

    template <class T>
    static constexpr double gain = 1;
    static Floats rsqrt_times_gain(Floats x) { return rsqrt(x); }
    static Doubles rsqrt_times_gain(Doubles x) { return rsqrt(x); }
    static Floats corrected_rsqrt(Floats x) { return rsqrt(x); }

    static unsigned bits(Mask mask)
    {
        unsigned result = 0;
        for (int lane = 0; lane < 4; ++lane) result |= (mask[lane] != 0 ? 1u : 0u) << lane;
        return result;
    }
};

}  // namespace
}  // namespace aureole::simd
