// A particle as the CUDA kernels of an expansion see it: its place in the basis, and vectors of coefficients.
#pragma once

#include "gravity/inverse_root.cuh"
#include "gravity/scf/expansion_twins.hpp"
#include "gravity/scf/recursions.hpp"

namespace aureole::gravity::scf {

__device__ inline float quick_reciprocal(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ inline double quick_reciprocal(double x) { return 1 / x; }

template <class T>
struct Range;
template <>
struct Range<float> {
    static constexpr float least_r2 = 1e-37f, farthest = 1e18f;
};
template <>
struct Range<double> {
    static constexpr double least_r2 = 1e-300, farthest = 1e150;
};

/// Coordinates beyond Range::farthest scale radii are drawn in, so that squares stay finite.
template <class T>
__device__ inline T scaled_coordinate(double x, double centre, double inverse_a)
{
    const T s = static_cast<T>((x - centre) * inverse_a);
    return min(max(s, -Range<T>::farthest), Range<T>::farthest);
}

template <class T>
__device__ inline Place<T> place_of(Family family, double x, double y, double z, Vec3 centre,
                                    double inverse_a)
{
    return place_in_basis(
        family, scaled_coordinate<T>(x, centre.x, inverse_a), scaled_coordinate<T>(y, centre.y, inverse_a),
        scaled_coordinate<T>(z, centre.z, inverse_a),
        [](T r2) { return r2 > Range<T>::least_r2 ? inverse_root(r2) : T(0); },
        [](T d) { return quick_reciprocal(d); });
}

/// As many numbers as one load instruction takes.
template <class T>
struct Quad;
template <>
struct Quad<float> {
    using type = float4;
    static constexpr int width = 4;
};
template <>
struct Quad<double> {
    using type = double2;
    static constexpr int width = 2;
};

template <class T>
__host__ __device__ constexpr int padded(int n)
{
    return (n + Quad<T>::width - 1) / Quad<T>::width * Quad<T>::width;
}

}  // namespace aureole::gravity::scf
