// Sums of one group's lists over all its targets, and the expansion of its distant cells, for the instruction
// set `Isa`: included by walk_cpu_simd.cpp only.
//
// Targets lie in vector lanes, several vectors in registers, and the loop runs over the list, so nothing is
// summed across lanes. Partial sums of a list are in T and go to double when it has been read. Vector
// operations per entry: far body 17, close body about 30, cell 37.
#pragma once

#include "gravity/near_pair.hpp"
#include "gravity/tree/local_expansion.hpp"
#include "gravity/tree/walk_task.hpp"

namespace aureole::gravity::tree {
namespace {  // each instruction set keeps its own copy: a shared one could run where it must not

/// In units of the group; coordinates as place() says.
template <class T>
struct BodyEntry {
    T x, y, z, mass;
};

/// What close pairs need besides; `low` are the parts of x, y, z that T cuts off.
template <class T>
struct CloseEntry {
    T x_low, y_low, z_low, soft;

    std::array<T, 3> low() const { return {x_low, y_low, z_low}; }
};

/// Multipoles as the sums read them: with G the gain of the reciprocal root and P 3/2 of the second moments,
/// xx ... zz are P / G^4, `two_thirds` and `minus_third` of the trace of P are over G^2, and `soft` is eps^2.
template <class T>
struct CellEntry {
    T x, y, z, mass;
    T xx, xy, xz, yy, yz, zz;
    T minus_third, two_thirds, soft;
    T unused[3];
};

/// A list is summed when it holds this many entries: about 16 KiB.
template <class T>
inline constexpr int list_length = sizeof(T) == 4 ? 256 : 64;

template <class T>
struct Lists {
    static constexpr int length = list_length<T>;
    alignas(64) BodyEntry<T> far[length];
    alignas(64) T far_soft[length];
    alignas(64) BodyEntry<T> close[length];
    alignas(64) CloseEntry<T> close_rest[length];
    alignas(64) CellEntry<T> cells[length];
    Index close_index[length];
    int n_far, n_close, n_cells;
};

template <class T>
struct TargetLanes {
    alignas(64) T x[most_targets], y[most_targets], z[most_targets];
    alignas(64) T x_low[most_targets], y_low[most_targets], z_low[most_targets];
    alignas(64) T soft[most_targets];  ///< eps^2 (Plummer) or 1 / h (spline)
    alignas(64) typename SameSizeInteger<T>::type index[most_targets];
    int n;
};

/// Vectors of targets in registers: with far bodies their positions and sums take 14 of 16 registers, or 28
/// of 32. The long formulas of close bodies and of cells spill above half as many.
template <class Isa>
inline constexpr int far_vectors = Isa::registers / 8;
template <class Isa>
inline constexpr int close_vectors = Isa::registers / 16;
template <class Isa>
inline constexpr int cell_vectors = Isa::registers / 16;

/// The partial sums of one vector of targets.
template <class Isa, class T>
struct LaneSums {
    using P = Pack<Isa, T>;
    P x = P(0), y = P(0), z = P(0), potential = P(0);

    template <bool with_potential>
    void flush(double force_unit, double potential_unit, int at, GroupSums& to) const
    {
        add_lanes(x, force_unit, to.x + at);
        add_lanes(y, force_unit, to.y + at);
        add_lanes(z, force_unit, to.z + at);
        if constexpr (with_potential) add_lanes(potential, potential_unit, to.potential + at);
    }
};

/// Far bodies: softened by Plummer's formula or (spline) not at all; never coincident, never the target.
template <class Isa, class T, bool potential, bool by_type>
void sum_far(const TargetLanes<T>& targets, Lists<T>& lists, T eps2, GroupSums& sums)
{
    using P = Pack<Isa, T>;
    constexpr int vectors = far_vectors<Isa>;
    constexpr double gain = Isa::template gain<T>;
    const int n = lists.n_far;
    lists.n_far = 0;
    for (int first = 0; first < targets.n; first += vectors * P::lanes) {
        P x[vectors], y[vectors], z[vectors], soft[vectors];
        for (int k = 0; k < vectors; ++k) {
            const int at = first + k * P::lanes;
            x[k] = P::load(targets.x + at);
            y[k] = P::load(targets.y + at);
            z[k] = P::load(targets.z + at);
            soft[k] = by_type ? P::load(targets.soft + at) : P(eps2);
        }
        LaneSums<Isa, T> sum[vectors];
        for (int j = 0; j < n; ++j) {
            const BodyEntry<T>& body = lists.far[j];
            const P xj(body.x), yj(body.y), zj(body.z), mass(body.mass);
            const P soft_j(by_type ? lists.far_soft[j] : eps2);
#pragma GCC unroll 8
            for (int k = 0; k < vectors; ++k) {
                const P dx = xj - x[k], dy = yj - y[k], dz = zj - z[k];
                const P soft2 = by_type ? max(soft_j, soft[k]) : soft_j;
                const P inv_r = Isa::rsqrt_times_gain(fma(dz, dz, fma(dy, dy, fma(dx, dx, soft2))).v);
                const P phi = mass * inv_r;
                const P force = phi * (inv_r * inv_r);
                sum[k].x = fma(force, dx, sum[k].x);
                sum[k].y = fma(force, dy, sum[k].y);
                sum[k].z = fma(force, dz, sum[k].z);
                if constexpr (potential) sum[k].potential = sum[k].potential + phi;
            }
        }
        for (int k = 0; k < vectors; ++k)
            sum[k].template flush<potential>(1 / (gain * gain * gain), -1 / gain, first + k * P::lanes, sums);
    }
}

/// Bodies that may be close to a target, coincide with it or be it; any softening.
template <class Isa, class T, bool potential, bool spline>
void sum_close(const TargetLanes<T>& targets, Lists<T>& lists, GroupSums& sums)
{
    using P = Pack<Isa, T>;
    constexpr int vectors = close_vectors<Isa>;
    const int n = lists.n_close;
    lists.n_close = 0;
    for (int first = 0; first < targets.n; first += vectors * P::lanes) {
        LaneSums<Isa, T> sum[vectors];
        for (int j = 0; j < n; ++j) {
            const BodyEntry<T>& body = lists.close[j];
            const CloseEntry<T>& rest = lists.close_rest[j];
            const P xj(body.x), yj(body.y), zj(body.z), mass(body.mass), soft_j(rest.soft);
#pragma GCC unroll 4
            for (int k = 0; k < vectors; ++k) {
                const int at = first + k * P::lanes;
                const auto d = displacement<Isa, T>(targets, at, xj, yj, zj, [&] { return rest.low(); });
                const auto other =
                    P::differs(targets.index + at, static_cast<typename P::Integer>(lists.close_index[j]));
                const auto pair =
                    near_pair<Isa, T, spline>(d.squared(), P::load(targets.soft + at), soft_j, other);
                const P force = mass * pair.force;
                sum[k].x = fma(force, d.x, sum[k].x);
                sum[k].y = fma(force, d.y, sum[k].y);
                sum[k].z = fma(force, d.z, sum[k].z);
                if constexpr (potential) sum[k].potential = fma(mass, pair.potential, sum[k].potential);
            }
        }
        for (int k = 0; k < vectors; ++k) sum[k].template flush<potential>(1, -1, first + k * P::lanes, sums);
    }
}

/// Cells up to quadrupoles: with x = cell - target, s2 = x.x + eps^2, P = 3/2 of the second moments Q,
/// t = tr P / 3 and w = x.Px / s2 - t,
///     phi = -(m + w / s2) / s,   a = (x (m + (5 w + 2 t) / s2) - 2 Px / s2) / s^3.
template <class Isa, class T, bool potential, bool by_type>
void sum_cells(const TargetLanes<T>& targets, Lists<T>& lists, T eps2, GroupSums& sums)
{
    using P = Pack<Isa, T>;
    constexpr int vectors = cell_vectors<Isa>;
    constexpr double gain = Isa::template gain<T>;
    const int n = lists.n_cells;
    lists.n_cells = 0;
    const P twice_gain2(2 * gain * gain), five(5);
    for (int first = 0; first < targets.n; first += vectors * P::lanes) {
        LaneSums<Isa, T> sum[vectors];
        for (int j = 0; j < n; ++j) {
            const CellEntry<T>& cell = lists.cells[j];
#pragma GCC unroll 4
            for (int k = 0; k < vectors; ++k) {
                const int at = first + k * P::lanes;
                const P x = P(cell.x) - P::load(targets.x + at);
                const P y = P(cell.y) - P::load(targets.y + at);
                const P z = P(cell.z) - P::load(targets.z + at);
                const P soft2 = by_type ? max(P(cell.soft), P::load(targets.soft + at)) : P(eps2);
                const P inv = Isa::rsqrt_times_gain(fma(z, z, fma(y, y, fma(x, x, soft2))).v);
                const P inv2 = inv * inv, inv3 = inv * inv2;
                const P px = fma(P(cell.xx), x, fma(P(cell.xy), y, P(cell.xz) * z));
                const P py = fma(P(cell.xy), x, fma(P(cell.yy), y, P(cell.yz) * z));
                const P pz = fma(P(cell.xz), x, fma(P(cell.yz), y, P(cell.zz) * z));
                const P w = fma(fma(x, px, fma(y, py, z * pz)), inv2, P(cell.minus_third));
                if constexpr (potential)
                    sum[k].potential = fma(inv, fma(inv2, w, P(cell.mass)), sum[k].potential);
                const P radial = inv3 * fma(inv2, fma(five, w, P(cell.two_thirds)), P(cell.mass));
                const P tensor = inv3 * (inv2 * twice_gain2);
                sum[k].x = fma(radial, x, sum[k].x) - tensor * px;
                sum[k].y = fma(radial, y, sum[k].y) - tensor * py;
                sum[k].z = fma(radial, z, sum[k].z) - tensor * pz;
            }
        }
        for (int k = 0; k < vectors; ++k)
            sum[k].template flush<potential>(1 / (gain * gain * gain), -1 / gain, first + k * P::lanes, sums);
    }
}

// The expansion of a group's distant cells (local_expansion.hpp) with cells in vector lanes, and its field
// with targets in lanes.

/// Distant cells, one array per number, in units of the group. Vectors are full: a list ends with cells of no
/// mass.
template <class T>
struct DistantCells {
    static constexpr int length = 128;
    alignas(64) T x[length], y[length], z[length], mass[length];
    alignas(64) T xx[length], xy[length], xz[length], yy[length], yz[length], zz[length];
    int n = 0;
    double sum[n_local] = {};
};

/// Adds up the cells: in a lane every Pack::lanes-th of them, lanes in order, then to the double sums.
template <class Isa, class T>
void sum_distant(DistantCells<T>& cells, T eps2)
{
    using P = Pack<Isa, T>;
    const int n = (cells.n + P::lanes - 1) / P::lanes * P::lanes;
    for (int k = cells.n; k < n; ++k) {
        cells.x[k] = 1;
        cells.y[k] = cells.z[k] = cells.mass[k] = 0;
        cells.xx[k] = cells.xy[k] = cells.xz[k] = cells.yy[k] = cells.yz[k] = cells.zz[k] = 0;
    }
    P terms[n_local];
    for (P& term : terms) term = P(0);
    for (int k = 0; k < n; k += P::lanes) {
        const DistantCell<P> cell{P::load(cells.x + k),    P::load(cells.y + k),  P::load(cells.z + k),
                                  P::load(cells.mass + k), P::load(cells.xx + k), P::load(cells.xy + k),
                                  P::load(cells.xz + k),   P::load(cells.yy + k), P::load(cells.yz + k),
                                  P::load(cells.zz + k)};
        const P s2 = fma(cell.z, cell.z, fma(cell.y, cell.y, fma(cell.x, cell.x, P(eps2))));
        add_to_local(cell, P(Isa::rsqrt(s2.v)), P(eps2), terms);
    }
    for (int term = 0; term < n_local; ++term) {
        T lane[P::lanes];
        terms[term].store(lane);
        double total = 0;
        for (int k = 0; k < P::lanes; ++k) total += static_cast<double>(lane[k]);
        cells.sum[term] += total;
    }
    cells.n = 0;
}

/// The field of all distant cells at the targets.
template <class Isa, class T>
void add_expansion(const DistantCells<T>& cells, const GroupTargets& of, const TargetLanes<T>& targets,
                   GroupSums& sums)
{
    using P = Pack<Isa, T>;
    const double from_middle = sizeof(T) == sizeof(float) ? 0 : of.group.scale;  // see place()
    const P x(from_middle * of.group.x), y(from_middle * of.group.y), z(from_middle * of.group.z);
    P terms[n_local];
    for (int term = 0; term < n_local; ++term) terms[term] = P(cells.sum[term]);
    for (int at = 0; at < targets.n; at += P::lanes) {
        const LocalField<P> field = local_field(terms, P::load(targets.x + at) - x,
                                                P::load(targets.y + at) - y, P::load(targets.z + at) - z);
        const LaneSums<Isa, T> found{field.ax, field.ay, field.az, field.phi};
        found.template flush<true>(1, -1, at, sums);
    }
}

}  // namespace

}  // namespace aureole::gravity::tree
