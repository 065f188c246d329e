// Reciprocal square roots for the pairs of the CUDA direct sums, from the hardware's estimates.
#pragma once

namespace aureole::gravity {

/// About 1 ulp; the plain rsqrtf guards against denormals with three more instructions.
__device__ inline float inverse_root(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/// 1 / sqrt(x) for normal x > 0 to about 20 bits.
__device__ inline double rough_inverse_root(double x)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}

/// 1 / sqrt(x) for normal x > 0. With e = 1 - x y^2: (1 - e)^{-1/2} = 1 + e / 2 + 3/8 e^2 + O(e^3), e <
/// 2^-19.
__device__ inline double inverse_root(double x)
{
    const double y = rough_inverse_root(x);
    const double e = fma(-x, y * y, 1.0);
    return fma(y * e, fma(0.375, e, 0.5), y);
}

}  // namespace aureole::gravity
