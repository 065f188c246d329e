// The arithmetic of the walk that ends at the cut, on the CPU. Included by short_range_simd.cpp only.
//
// As in gravity/tree/walk_sums.hpp targets lie in vector lanes and the loop runs over the list. Partial sums
// are in T and go to double every few entries: where forces of neighbours cancel, as in a lattice, they would
// lose digits. Vector operations per entry, degree 10: far body 31, close body about 50, cell about 100.
#pragma once

#include <algorithm>

#include "gravity/tree/walk_sums.hpp"
#include "gravity/treepm/short_range_cpu.hpp"

namespace aureole::gravity::treepm {
namespace {  // each instruction set keeps its own copy: a shared one could run where it must not

using tree::GroupSums;
using tree::LaneSums;
using tree::TargetLanes;

/// Place, mass, second moments about it and their trace.
template <class T>
struct CellEntry {
    T x, y, z, mass;
    T xx, xy, xz, yy, yz, zz, trace;
    T unused[5];
};

template <class T>
struct Lists {
    static constexpr int length = tree::list_length<T>;
    alignas(64) tree::BodyEntry<T> far[length];
    alignas(64) T far_soft[length];
    alignas(64) tree::BodyEntry<T> close[length];
    alignas(64) tree::CloseEntry<T> close_rest[length];
    alignas(64) CellEntry<T> cells[length];
    Index close_index[length];
    int n_far = 0, n_close = 0, n_cells = 0;

    Lists() {}  // entries are set when they are added
};

/// SplitPowers times the gain of a reciprocal root, cubed for the force.
template <class T>
struct Series {
    T force[SplitPair::degree + 1], potential[SplitPair::degree + 1], per_square;
    int degree;

    Series(const SplitPowers& from, double gain)
        : per_square(static_cast<T>(from.per_square)), degree(from.degree)
    {
        for (int k = 0; k <= SplitPair::degree; ++k) {
            force[k] = static_cast<T>(gain * gain * gain * from.force[k]);
            potential[k] = static_cast<T>(gain * from.potential[k]);
        }
    }
};

template <int terms, class P, class T>
[[gnu::always_inline]] inline P horner(const T* c, P t)
{
    P sum(c[terms]);
#pragma GCC unroll 16
    for (int k = terms - 1; k >= 0; --k) sum = fma(sum, t, P(c[k]));
    return sum;
}

/// Entries after which partial sums go to double.
constexpr int entries_in_float = 8;

template <class T>
inline constexpr int most_terms = sizeof(T) == sizeof(float) ? float_degree : SplitPair::degree;

/// Vectors of targets in registers: at most those of a group.
template <class Isa, class T>
constexpr int vectors_of(int wanted)
{
    return std::min(wanted, static_cast<int>(short_range_group) / Pack<Isa, T>::lanes);
}

enum class FarSoftening { none, alike, by_type };

/// Bodies that are apart from all targets: softened by Plummer's formula or not at all.
template <class Isa, class T, int terms, bool potential, FarSoftening softening>
void sum_far(const TargetLanes<T>& targets, Lists<T>& lists, const Series<T>& pair, T eps2, T cut2,
             GroupSums& sums)
{
    using P = Pack<Isa, T>;
    constexpr int vectors = vectors_of<Isa, T>(tree::far_vectors<Isa>);
    constexpr double gain = Isa::template gain<T>;
    const int n = lists.n_far;
    lists.n_far = 0;
    const P per_square(pair.per_square), minus_one(-1), cut(cut2), zero(0);
    for (int first = 0; first < targets.n; first += vectors * P::lanes) {
        P x[vectors], y[vectors], z[vectors];
        for (int k = 0; k < vectors; ++k) {
            const int at = first + k * P::lanes;
            x[k] = P::load(targets.x + at);
            y[k] = P::load(targets.y + at);
            z[k] = P::load(targets.z + at);
        }
        for (int from = 0; from < n; from += entries_in_float) {
            LaneSums<Isa, T> sum[vectors];
            const int end = std::min(n, from + entries_in_float);
            for (int j = from; j < end; ++j) {
                const tree::BodyEntry<T>& body = lists.far[j];
                const P xj(body.x), yj(body.y), zj(body.z), mass(body.mass);
#pragma GCC unroll 8
                for (int k = 0; k < vectors; ++k) {
                    const P dx = xj - x[k], dy = yj - y[k], dz = zj - z[k];
                    const P r2 = fma(dz, dz, fma(dy, dy, dx * dx));
                    P s2 = r2;
                    if constexpr (softening == FarSoftening::alike) s2 = r2 + P(eps2);
                    if constexpr (softening == FarSoftening::by_type)
                        s2 = r2 + max(P(lists.far_soft[j]), P::load(targets.soft + first + k * P::lanes));
                    const P inv = Isa::rsqrt_times_gain(s2.v), t = fma(r2, per_square, minus_one);
                    const P counted = select(r2 < cut, mass, zero);
                    const P force = counted * (inv * inv * inv - horner<terms>(pair.force, t));
                    sum[k].x = fma(force, dx, sum[k].x);
                    sum[k].y = fma(force, dy, sum[k].y);
                    sum[k].z = fma(force, dz, sum[k].z);
                    if constexpr (potential)
                        sum[k].potential =
                            fma(counted, inv - horner<terms>(pair.potential, t), sum[k].potential);
                }
            }
            for (int k = 0; k < vectors; ++k)
                sum[k].template flush<potential>(1 / (gain * gain * gain), -1 / gain, first + k * P::lanes,
                                                 sums);
        }
    }
}

/// Bodies that may be close to a target, coincide with it or be it; any softening. `pair` without a gain.
template <class Isa, class T, bool potential, bool spline>
void sum_close(const TargetLanes<T>& targets, Lists<T>& lists, const Series<T>& pair, T cut2, GroupSums& sums)
{
    using P = Pack<Isa, T>;
    constexpr int vectors = vectors_of<Isa, T>(tree::close_vectors<Isa>), terms = most_terms<T>;
    const int n = lists.n_close;
    lists.n_close = 0;
    const P per_square(pair.per_square), minus_one(-1), cut(cut2), zero(0);
    for (int first = 0; first < targets.n; first += vectors * P::lanes)
        for (int from = 0; from < n; from += entries_in_float) {
            LaneSums<Isa, T> sum[vectors];
            const int end = std::min(n, from + entries_in_float);
            for (int j = from; j < end; ++j) {
                const tree::BodyEntry<T>& body = lists.close[j];
                const tree::CloseEntry<T>& rest = lists.close_rest[j];
                const P xj(body.x), yj(body.y), zj(body.z), mass(body.mass), soft_j(rest.soft);
#pragma GCC unroll 4
                for (int k = 0; k < vectors; ++k) {
                    const int at = first + k * P::lanes;
                    const auto d = displacement<Isa, T>(targets, at, xj, yj, zj, [&] { return rest.low(); });
                    const P r2 = d.squared();
                    const auto counts =
                        (r2 < cut) & P::differs(targets.index + at,
                                                static_cast<typename P::Integer>(lists.close_index[j]));
                    const auto whole =
                        near_pair<Isa, T, spline>(r2, P::load(targets.soft + at), soft_j, counts);
                    const P t = fma(r2, per_square, minus_one), counted = select(counts, mass, zero);
                    const P force = counted * (whole.force - horner<terms>(pair.force, t));
                    sum[k].x = fma(force, d.x, sum[k].x);
                    sum[k].y = fma(force, d.y, sum[k].y);
                    sum[k].z = fma(force, d.z, sum[k].z);
                    if constexpr (potential)
                        sum[k].potential = fma(counted, whole.potential - horner<terms>(pair.potential, t),
                                               sum[k].potential);
                }
            }
            for (int k = 0; k < vectors; ++k)
                sum[k].template flush<potential>(1, -1, first + k * P::lanes, sums);
        }
}

/// F and its first and second derivative by r^2.
template <class P, class T>
[[gnu::always_inline]] inline void derive(const Series<T>& of, P r2, P& value, P& slope, P& curvature)
{
    constexpr int terms = most_terms<T>;
    const P per_square(of.per_square), t = fma(r2, per_square, P(-1));
    value = P(of.force[terms]);
    slope = curvature = P(0);
#pragma GCC unroll 16
    for (int k = terms - 1; k >= 0; --k) {
        curvature = fma(curvature, t, slope);
        slope = fma(slope, t, value);
        value = fma(value, t, P(of.force[k]));
    }
    slope = slope * per_square;
    curvature = curvature * (per_square * per_square) * P(2);
}

/// Cells to quadrupoles: B_0 = 1/r - V, B_(n+1) = -2 dB_n / d(r^2). `cell` without a gain.
template <class Isa, class T, bool potential>
void sum_cells(const TargetLanes<T>& targets, Lists<T>& lists, const Series<T>& cell, GroupSums& sums)
{
    using P = Pack<Isa, T>;
    constexpr int vectors = vectors_of<Isa, T>(tree::cell_vectors<Isa>);
    const int n = lists.n_cells;
    lists.n_cells = 0;
    const P half(0.5), two(2), three(3), four(4), fifteen(15);
    for (int first = 0; first < targets.n; first += vectors * P::lanes)
        for (int from = 0; from < n; from += entries_in_float) {
            LaneSums<Isa, T> sum[vectors];
            const int end = std::min(n, from + entries_in_float);
            for (int j = from; j < end; ++j) {
                const CellEntry<T>& at = lists.cells[j];
#pragma GCC unroll 2
                for (int k = 0; k < vectors; ++k) {
                    const int lane = first + k * P::lanes;
                    const P dx = P(at.x) - P::load(targets.x + lane),
                            dy = P(at.y) - P::load(targets.y + lane),
                            dz = P(at.z) - P::load(targets.z + lane);
                    const P r2 = fma(dz, dz, fma(dy, dy, dx * dx));
                    P value, slope, curvature;
                    derive(cell, r2, value, slope, curvature);
                    const P inv(Isa::rsqrt(r2.v)), inv2 = inv * inv, inv3 = inv * inv2, inv5 = inv3 * inv2;
                    const P b1 = inv3 - value, b2 = fma(three, inv5, two * slope),
                            b3 = fma(fifteen * inv5, inv2, -four * curvature);
                    const P qx = fma(P(at.xx), dx, fma(P(at.xy), dy, P(at.xz) * dz));
                    const P qy = fma(P(at.xy), dx, fma(P(at.yy), dy, P(at.yz) * dz));
                    const P qz = fma(P(at.xz), dx, fma(P(at.yz), dy, P(at.zz) * dz));
                    const P q = fma(qx, dx, fma(qy, dy, qz * dz)), trace(at.trace), mass(at.mass);
                    const P along = fma(mass, b1, half * (q * b3 - trace * b2));
                    sum[k].x = fma(along, dx, sum[k].x) - qx * b2;
                    sum[k].y = fma(along, dy, sum[k].y) - qy * b2;
                    sum[k].z = fma(along, dz, sum[k].z) - qz * b2;
                    if constexpr (potential) {
                        const P t = fma(r2, P(cell.per_square), P(-1));
                        const P b0 = inv - horner<most_terms<T>>(cell.potential, t);
                        sum[k].potential = sum[k].potential + fma(mass, b0, half * (q * b2 - trace * b1));
                    }
                }
            }
            for (int k = 0; k < vectors; ++k)
                sum[k].template flush<potential>(1, -1, first + k * P::lanes, sums);
        }
}

}  // namespace
}  // namespace aureole::gravity::treepm
