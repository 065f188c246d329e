// A particle as the CUDA kernels of an expansion see it: its place in the basis, and vectors of coefficients.
#pragma once

#include "gravity/inverse_root.cuh"
#include "gravity/scf/basis.hpp"
#include "gravity/scf/expansion_kernels.hpp"

namespace aureole::gravity::scf {

__device__ inline float quick_reciprocal(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ inline double quick_reciprocal(double x) { return 1 / x; }

/// Distances in scale radii between which r^2 and the powers of v stay in the range of T. Farther out a field
/// is that of its monopole to the last bit, further in it depends on direction alone.
template <class T>
struct Reach;
template <>
struct Reach<float> {
    static constexpr double nearest = 1e-15, farthest = 1e9;
};
template <>
struct Reach<double> {
    static constexpr double nearest = 1e-140, farthest = 1e60;
};

/// A particle relative to the centre, in scale radii. One that T cannot square stands where it can, in its
/// own direction; shrink = |where it stands| / |where it is| of those too far away, else 1.
template <class T>
struct Standing {
    T x, y, z, shrink;
};

template <class T>
__device__ inline Standing<T> standing_of(Vec3 position, Vec3 centre, double inverse_a)
{
    const double x = (position.x - centre.x) * inverse_a, y = (position.y - centre.y) * inverse_a,
                 z = (position.z - centre.z) * inverse_a;
    Standing<T> p{static_cast<T>(x), static_cast<T>(y), static_cast<T>(z), T(1)};
    const T rough = max(abs(p.x), max(abs(p.y), abs(p.z)));
    if (rough >= T(Reach<T>::nearest) && rough <= T(Reach<T>::farthest)) return p;
    const double largest = fmax(fabs(x), fmax(fabs(y), fabs(z)));
    if (!(largest > 0)) return p;
    const double place = largest > 1 ? Reach<T>::farthest : Reach<T>::nearest;
    if (largest > 1) p.shrink = static_cast<T>(place / largest);
    p.x = static_cast<T>(x / largest * place);
    p.y = static_cast<T>(y / largest * place);
    p.z = static_cast<T>(z / largest * place);
    return p;
}

template <class T>
__device__ inline Place<T> place_of(Family family, const Standing<T>& at)
{
    return place_in_basis(
        family, at.x, at.y, at.z, [](T r2) { return r2 > T(0) ? inverse_root(r2) : T(0); },
        [](T d) { return quick_reciprocal(d); });
}

/// c_m and s_m up to m = L.
template <int L, class T>
__device__ inline void fill_angles(const Place<T>& p, T (&c)[L + 1], T (&s)[L + 1])
{
    c[0] = 1;
    s[0] = 0;
#pragma unroll
    for (int m = 0; m < L; ++m) {
        c[m + 1] = c[m] * p.vx - s[m] * p.vy;
        s[m + 1] = s[m] * p.vx + c[m] * p.vy;
    }
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
