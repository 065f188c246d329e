// The arithmetic of the CUDA walk that ends at the cut: one entry of a list for the target of a lane. Lengths
// are in units of the walk, of which the cut is about one, masses in those of the tree.
#pragma once

#include "gravity/tree/walk_sums.cuh"
#include "gravity/treepm/split_pair.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::gravity::treepm {

using tree::lanes;
using tree::Target;

/// F and V of split_pair.hpp, to rounding of T.
template <class T, int of_degree>
struct SplitSeries {
    static constexpr int degree = of_degree;
    T force_of[degree + 1], potential_of[degree + 1], per_square;

    /// By the first `terms` powers of t, where higher ones have no part.
    template <int terms = degree>
    __device__ T force(T r2) const
    {
        return horner<terms>(force_of, r2);
    }
    template <int terms = degree>
    __device__ T potential(T r2) const
    {
        return horner<terms>(potential_of, r2);
    }

    /// F and its first and second derivative by r^2.
    template <int terms = degree>
    __device__ void derive(T r2, T& value, T& slope, T& curvature) const
    {
        const T t = fma(r2, per_square, T(-1));
        value = force_of[terms];
        slope = curvature = 0;
#pragma unroll
        for (int k = terms - 1; k >= 0; --k) {
            curvature = fma(curvature, t, slope);
            slope = fma(slope, t, value);
            value = fma(value, t, force_of[k]);
        }
        slope *= per_square;
        curvature *= 2 * per_square * per_square;
    }

private:
    template <int terms>
    __device__ T horner(const T (&c)[degree + 1], T r2) const
    {
        const T t = fma(r2, per_square, T(-1));
        T sum = c[terms];
#pragma unroll
        for (int k = terms - 1; k >= 0; --k) sum = fma(sum, t, c[k]);
        return sum;
    }
};

/// Degrees to which truncation is about rounding: pairs end at the cut, cells somewhat beyond.
template <class T>
inline constexpr int pair_degree = sizeof(T) == sizeof(float) ? 14 : SplitPair::degree;
template <class T>
inline constexpr int cell_degree = sizeof(T) == sizeof(float) ? 14 : SplitPair::degree;

/// Of pairs and cells where the cut is at most 4.5 r_s, to 1e-6 of the force at r = 0.
template <class T>
inline constexpr int short_degree = sizeof(T) == sizeof(float) ? 7 : pair_degree<T>;
template <class T>
inline constexpr int short_cell_degree = sizeof(T) == sizeof(float) ? 10 : cell_degree<T>;
inline constexpr double short_up_to = 4.5;

/// `value`, or zero. A select that the compiler cannot make a branch of, so that sums of several entries of a
/// list run beside each other: with branches each waited for its own polynomial.
__device__ inline float chosen(bool counts, float value)
{
    asm("{ .reg .pred p; setp.ne.s32 p, %1, 0; selp.f32 %0, %0, 0f00000000, p; }"
        : "+f"(value)
        : "r"(static_cast<int>(counts)));
    return value;
}
__device__ inline double chosen(bool counts, double value) { return counts ? value : 0.0; }

/// What all warps know. A unit of length is a power of two from SplitPair::beyond_cut times the cut upwards.
template <class T>
struct ShortRangeParams {
    tree::TreeView tree;
    ConstParticlesView particles;
    ConstVec3View previous_acceleration;
    ForceOutputs outputs;
    const Index* targets;
    Index n_targets;
    Index* split_groups;  ///< two numbers and then they: groups of which each target walks alone
    tree::TypeSoftening softening;
    bool spline;
    float tolerance, softening_error;
    Box box;
    double unit, per_unit;  ///< length of a unit, and its inverse
    double side, per_side;  ///< side of the box in units, and its inverse
    float cut2, reach2;     ///< squares of the cut, and of how far cells may act
    bool is_short;  ///< powers above short_degree and short_cell_degree have no part in `pair` and `cell`
    SplitSeries<T, pair_degree<T>> pair;
    SplitSeries<T, cell_degree<T>> cell;
};

/// Bodies outside of the group's box: not the target itself, and beyond the reach of a spline. `soft2` is
/// eps^2 of Plummer's softening where all are alike, else zero, and lists have it.
template <bool by_type, bool with_potential, int terms, class T>
__device__ inline void add_body(const ShortRangeParams<T>& params, const tree::SourceLists<T, true>& lists,
                                unsigned k, T soft2, Target<T>& t)
{
    const auto s = lists.body[k];
    const T dx = s.x - t.x, dy = s.y - t.y, dz = s.z - t.z;
    const T r2 = fma(dx, dx, fma(dy, dy, dz * dz));
    if constexpr (by_type) {
        const T eps = tree::larger(t.softening, lists.body_softening[k]);
        soft2 = params.spline ? T(0) : eps * eps;
    }
    const T inv = inverse_root(r2 + soft2);
    const bool counts = r2 < static_cast<T>(params.cut2);
    const T force = s.w * fma(inv * inv, inv, -params.pair.template force<terms>(r2));
    const T weight = chosen(counts, force);
    t.ax = fma(weight, dx, t.ax);
    t.ay = fma(weight, dy, t.ay);
    t.az = fma(weight, dz, t.az);
    if constexpr (with_potential)
        t.phi += chosen(counts, s.w * (inv - params.pair.template potential<terms>(r2)));
}

/// A body that may be the target, where it is apart from it as most are. True, with nothing added, when that
/// is left to add_close(): within the spline, or too close for T.
template <bool with_potential, int terms, class T>
__device__ inline bool add_apart(const ShortRangeParams<T>& params, const tree::SourceLists<T, true>& lists,
                                 unsigned k, Target<T>& t)
{
    const auto s = lists.close[k];
    const T dx = (s.x - t.x) + (lists.close_rest[0][k] - t.rest_x);
    const T dy = (s.y - t.y) + (lists.close_rest[1][k] - t.rest_y);
    const T dz = (s.z - t.z) + (lists.close_rest[2][k] - t.rest_z);
    const T r2 = fma(dx, dx, fma(dy, dy, dz * dz));
    const T eps = tree::larger(t.softening, lists.close_softening[k]), eps2 = eps * eps;
    const T spline2 = static_cast<T>(spline_support * spline_support) * eps2;
    const bool counts = (lists.close_index[k] != t.particle) & (r2 < static_cast<T>(params.cut2));
    const bool is_apart = (fma(eps, eps, r2) > tree::least_float_pair) & (!params.spline | (r2 >= spline2));
    const auto whole = tree::plummer_pair_force(s.w, r2, params.spline ? T(0) : eps2);
    const bool adds = counts & is_apart;
    const T force = chosen(adds, fma(-s.w, params.pair.template force<terms>(r2), whole.force));
    t.ax = fma(force, dx, t.ax);
    t.ay = fma(force, dy, t.ay);
    t.az = fma(force, dz, t.az);
    if constexpr (with_potential)
        t.phi += chosen(adds, fma(-s.w, params.pair.template potential<terms>(r2), whole.potential));
    return counts & !is_apart;
}

/// A body that may be the target, close to it, or within the spline. False, with nothing added, when the pair
/// is too close for T.
template <bool with_potential, class T>
__device__ inline bool add_close(const ShortRangeParams<T>& params, const tree::SourceLists<T, true>& lists,
                                 unsigned k, Target<T>& t)
{
    const auto s = lists.close[k];
    const T dx = (s.x - t.x) + (lists.close_rest[0][k] - t.rest_x);
    const T dy = (s.y - t.y) + (lists.close_rest[1][k] - t.rest_y);
    const T dz = (s.z - t.z) + (lists.close_rest[2][k] - t.rest_z);
    const T r2 = fma(dx, dx, fma(dy, dy, dz * dz));
    if (lists.close_index[k] == t.particle || !(r2 < static_cast<T>(params.cut2))) return true;
    const T eps = tree::larger(t.softening, lists.close_softening[k]);
    if (!(fma(eps, eps, r2) > tree::least_float_pair)) return false;
    const tree::PairForce<T> whole = tree::pair_force<T, true>(s.w, r2, eps, params.spline);
    const T force = fma(-s.w, params.pair.force(r2), whole.force);
    t.ax = fma(force, dx, t.ax);
    t.ay = fma(force, dy, t.ay);
    t.az = fma(force, dz, t.az);
    if constexpr (with_potential) t.phi += fma(-s.w, params.pair.potential(r2), whole.potential);
    return true;
}

/// A cell: monopole and second moments with B_0 = 1/r - V, B_(n+1) = -2 dB_n / d(r^2).
template <bool with_potential, int terms, class T>
__device__ inline void add_cell(const ShortRangeParams<T>& params, const tree::SourceLists<T, true>& lists,
                                unsigned k, Target<T>& t)
{
    const auto a = lists.cell[0][k];
    const auto b = lists.cell[1][k];
    const auto c = lists.cell[2][k];
    const T dx = a.x - t.x, dy = a.y - t.y, dz = a.z - t.z;
    const T r2 = fma(dx, dx, fma(dy, dy, dz * dz));
    T value, slope, curvature;
    params.cell.template derive<terms>(r2, value, slope, curvature);
    const T inv = inverse_root(r2), inv2 = inv * inv, inv3 = inv * inv2, inv5 = inv3 * inv2;
    const T b1 = inv3 - value, b2 = fma(T(3), inv5, 2 * slope), b3 = fma(15 * inv5, inv2, -4 * curvature);
    const T qx = fma(b.x, dx, fma(b.y, dy, b.z * dz));
    const T qy = fma(b.y, dx, fma(b.w, dy, c.x * dz));
    const T qz = fma(b.z, dx, fma(c.x, dy, c.y * dz));
    const T q = fma(qx, dx, fma(qy, dy, qz * dz)), trace = c.z;
    const T along = fma(a.w, b1, T(0.5) * fma(q, b3, -trace * b2));
    const bool is_there = a.w != 0;  // else it only fills up a list
    t.ax += is_there ? fma(along, dx, -qx * b2) : T(0);
    t.ay += is_there ? fma(along, dy, -qy * b2) : T(0);
    t.az += is_there ? fma(along, dz, -qz * b2) : T(0);
    if constexpr (with_potential) {
        const T b0 = inv - params.cell.template potential<terms>(r2);
        t.phi += is_there ? fma(a.w, b0, T(0.5) * fma(q, b2, -trace * b1)) : T(0);
    }
}

}  // namespace aureole::gravity::treepm
