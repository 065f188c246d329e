// The pair of a target and a source that may be close, coincident or the same body: for vectors of targets.
#pragma once

#include <array>

#include "gravity/pair.hpp"
#include "sim/core/simd/pack.hpp"

namespace aureole::gravity {
namespace {  // each instruction set keeps its own copy

/// What near_pair() takes as softening: eps^2 (Plummer) or 1 / h (spline; infinite without softening).
inline double near_softening(bool spline, double eps)
{
    return !spline ? eps * eps : eps > 0 ? 1 / (spline_support * eps) : __builtin_inf();
}

template <class P>
struct Displacement {
    P x, y, z;

    P squared() const { return fma(z, z, fma(y, y, x * x)); }
};

/// From the targets in the lanes from `at` on to a source at x, y, z. `low` returns the parts of these that
/// float cuts off, as an array; it is not called for double.
template <class Isa, class T, class Lanes, class Low>
[[gnu::always_inline]] inline Displacement<Pack<Isa, T>> displacement(const Lanes& targets, int at,
                                                                      Pack<Isa, T> x, Pack<Isa, T> y,
                                                                      Pack<Isa, T> z, const Low& low)
{
    using P = Pack<Isa, T>;
    Displacement<P> d{x - P::load(targets.x + at), y - P::load(targets.y + at), z - P::load(targets.z + at)};
    if constexpr (sizeof(T) == sizeof(float)) {
        const std::array<T, 3> rest = low();
        d.x = d.x + (P(rest[0]) - P::load(targets.x_low + at));
        d.y = d.y + (P(rest[1]) - P::load(targets.y_low + at));
        d.z = d.z + (P(rest[2]) - P::load(targets.z_low + at));
    }
    return d;
}

/// {force, -potential} of a unit mass; `soft` as near_softening() says; zero in the lanes that `other`
/// excludes and, without softening, in coincident ones.
template <class Isa, class T, bool spline>
PairKernel<Pack<Isa, T>> near_pair(Pack<Isa, T> r2, Pack<Isa, T> soft_i, Pack<Isa, T> soft_j,
                                   typename Pack<Isa, T>::Mask other)
{
    using P = Pack<Isa, T>;
    const P zero(0);
    if constexpr (!spline) {
        const P s2 = r2 + max(soft_i, soft_j);
        const P inv_r = select(other & (zero < s2), P(Isa::rsqrt(s2.v)), zero);
        return {inv_r * inv_r * inv_r, inv_r};
    }
    const P tiny(sizeof(T) == 4 ? 1e-36 : 1e-290);  // keeps 1 / r finite where it is not used
    const P inv_h = min(soft_i, soft_j);
    const P inv_r(Isa::rsqrt(max(r2, tiny).v));
    const P u = max(r2, tiny) * inv_r * inv_h;
    const auto inner = u < P(0.5);
    const P v = max(P(1) - u, zero);
    const P inner_force = inv_h * inv_h * inv_h * spline_inner_force(u);
    const P outer_force = inv_r * inv_r * inv_r * spline_outer_force(v);
    const P inner_potential = zero - inv_h * spline_inner_potential(u);
    const P outer_potential = inv_r * spline_outer_potential(v);
    const auto counts = other & (inner | (tiny < r2));
    return {select(counts, select(inner, inner_force, outer_force), zero),
            select(counts, select(inner, inner_potential, outer_potential), zero)};
}

}  // namespace
}  // namespace aureole::gravity
