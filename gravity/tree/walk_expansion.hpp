// The expansion of a group's distant cells (local_expansion.hpp) with cells in vector lanes, and its field
// with targets in lanes: included by walk_cpu_simd.cpp only.
#pragma once

#include "gravity/tree/local_expansion.hpp"
#include "gravity/tree/walk_sums.hpp"

namespace aureole::gravity::tree {
namespace {  // each instruction set keeps its own copy

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
