// Particles to sums of P g_n q_lm {c_m, s_m} for the instruction set `Isa`: included by
// expansion_cpu_simd.cpp only.
//
// Method: for each l, radial functions and angular ones of a block of particles are laid out in the first
// cache. The sums are their matrix product over the particles, made in tiles whose accumulators stay in
// registers: one multiply-add per coefficient and vector. At the end of a block each tile's lanes are folded
// and added to sums in double, so float sums never have more terms than a block has vectors.
#pragma once

#include <utility>

#include "gravity/scf/block_kernel.hpp"

namespace aureole::gravity::scf {
namespace {

constexpr int lane_to_fold(int lane, int half, int lanes, int shift)
{
    const int block = lane / (2 * half) * (2 * half), at = lane % (2 * half);
    return shift + block + (at < half ? at : lanes + at - half);
}

/// In each run of 2 half lanes: sums of the upper and lower half of a, then of b.
template <int half, class P, int... lane>
P folded(P a, P b, std::integer_sequence<int, lane...>)
{
    return P(__builtin_shufflevector(a.v, b.v, lane_to_fold(lane, half, P::lanes, 0)...)) +
           P(__builtin_shufflevector(a.v, b.v, lane_to_fold(lane, half, P::lanes, half)...));
}

/// Lane k of the result is the sum over the lanes of a[k * step]; n vectors, at first as many as lanes. By
/// recursion, not in place: vectors in an array that is written in a loop would live in memory.
template <int n, int step, class P>
[[gnu::always_inline]] inline P lane_sums(const P* a)
{
    if constexpr (n == 1)
        return a[0];
    else
        return folded<step>(lane_sums<n / 2, 2 * step>(a), lane_sums<n / 2, 2 * step>(a + step),
                            std::make_integer_sequence<int, P::lanes>());
}

/// A tile of sums takes half of the registers.
inline constexpr int tile_rows = 4;
template <class Isa>
inline constexpr int tile_columns = Isa::registers / 8;
/// Vectors whose radial recursions run side by side.
template <class Isa>
inline constexpr int radial_vectors = Isa::registers / 8;

/// sums[row * columns + column] += unit * sum over particles of y[row] g[column]
template <class Isa, class T, int rows, int columns>
void add_tile(const T* y, const T* g, int padded, double unit, double* sums)
{
    using P = Pack<Isa, T>;
    constexpr int size = Block<T>::size, cells = tile_rows * tile_columns<Isa>;
    static_assert(cells % P::lanes == 0);
    P cell[cells];
#pragma GCC unroll 16
    for (int k = 0; k < cells; ++k) cell[k] = P(0);
    for (int k = 0; k < padded; k += P::lanes) {
        P radial[columns];
#pragma GCC unroll 8
        for (int c = 0; c < columns; ++c) radial[c] = P::load(g + c * size + k);
#pragma GCC unroll 8
        for (int r = 0; r < rows; ++r) {
            const P angular = P::load(y + r * size + k);
#pragma GCC unroll 8
            for (int c = 0; c < columns; ++c)
                cell[r * tile_columns<Isa> + c] = fma(angular, radial[c], cell[r * tile_columns<Isa> + c]);
        }
    }
#pragma GCC unroll 8
    for (int k = 0; k < cells; k += P::lanes) {
        T part[P::lanes];
        lane_sums<P::lanes, 1>(cell + k).store(part);
        for (int lane = 0; lane < P::lanes; ++lane) sums[k + lane] += unit * static_cast<double>(part[lane]);
    }
}

template <class T>
using AddTile = void (*)(const T* y, const T* g, int padded, double unit, double* sums);

template <class Isa, class T, int... cell>
AddTile<T> tile_of(int rows, int columns, std::integer_sequence<int, cell...>)
{
    static constexpr AddTile<T> all[] = {
        add_tile<Isa, T, cell / tile_columns<Isa> + 1, cell % tile_columns<Isa> + 1>...};
    return all[(rows - 1) * tile_columns<Isa> + columns - 1];
}

/// One matrix product, n_rows angular functions by n_columns radial ones; returns the next level's sums.
template <class Isa, class T>
double* add_level(const T* y, int n_rows, const T* g, int n_columns, int padded, double unit, double* sums)
{
    constexpr int size = Block<T>::size;
    const int down = parts_of(n_rows, tile_rows), across = parts_of(n_columns, tile_columns<Isa>);
    for (int i = 0; i < down; ++i) {
        const int row = part_begin(n_rows, i, down), rows = part_begin(n_rows, i + 1, down) - row;
        for (int j = 0; j < across; ++j) {
            const int column = part_begin(n_columns, j, across);
            const int columns = part_begin(n_columns, j + 1, across) - column;
            const auto add = tile_of<Isa, T>(
                rows, columns, std::make_integer_sequence<int, tile_rows * tile_columns<Isa>>());
            add(y + row * size, g + column * size, padded, unit, sums);
            sums += tile_rows * tile_columns<Isa>;
        }
    }
    return sums;
}

/// g_n(xi) of one l for n = 0 .. n_max
template <class Isa, class T>
void fill_radial(const T* xi, const T* alpha, int n_max, int padded, T* g)
{
    using P = Pack<Isa, T>;
    constexpr int size = Block<T>::size, vectors = radial_vectors<Isa>;
    for (int k = 0; k < padded; k += vectors * P::lanes) {
        P argument[vectors], here[vectors], below[vectors];
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) {
            argument[v] = P::load(xi + k + v * P::lanes);
            here[v] = P(1);
            below[v] = P(0);
            here[v].store(g + k + v * P::lanes);
        }
        for (int n = 0; n < n_max; ++n) {
            const P factor(alpha[n]);
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v) {
                const P next = P(Isa::fms((factor * argument[v]).v, here[v].v, below[v].v));
                below[v] = here[v];
                here[v] = next;
                next.store(g + (n + 1) * size + k + v * P::lanes);
            }
        }
    }
}

template <class T>
struct AngularArguments {
    const T *vx, *vy, *vz, *v2;
};

/// Writes level l over level l - 2: q_lm {c_m, s_m} times what level 0 holds, for m = 0 .. l, laid out as
/// slots are.
template <class Isa, class T>
void climb(const AngularArguments<T>& v, const T* axial, int l, int padded, const T* here, T* below)
{
    using P = Pack<Isa, T>;
    constexpr int size = Block<T>::size;
    for (int k = 0; k < padded; k += P::lanes) {
        const P vx = P::load(v.vx + k), vy = P::load(v.vy + k), vz = P::load(v.vz + k),
                v2 = P::load(v.v2 + k);
        const auto at = [k](int slot) { return slot * size + k; };
        const auto rise = [&](int slot, P factor) {
            const P last = v2 * P::load(below + at(slot));
            P(Isa::fms(factor.v, P::load(here + at(slot)).v, last.v)).store(below + at(slot));
        };
        if (l > 1) rise(0, P(axial[0]) * vz);
        for (int m = 1; m < l - 1; ++m) {
            const P factor = P(axial[m]) * vz;
            rise(2 * m - 1, factor);
            rise(2 * m, factor);
        }
        for (int slot = l == 1 ? 0 : 2 * l - 3; slot < 2 * l - 1; ++slot)
            (vz * P::load(here + at(slot))).store(below + at(slot));
        const P c = P::load(here + at(l == 1 ? 0 : 2 * l - 3));
        const P s = l == 1 ? P(0) : P::load(here + at(2 * l - 2));
        (c * vx - s * vy).store(below + at(2 * l - 1));
        (s * vx + c * vy).store(below + at(2 * l));
    }
}

template <class Isa, class T>
void expand_block(const LaneTask<T>& task, const Block<T>& block, int padded, double* sums, T* work)
{
    using P = Pack<Isa, T>;
    constexpr int size = Block<T>::size;
    const int width = task.n_max + 1, side = task.l_max + 1;
    T *xi = work, *vx = xi + size, *vy = vx + size, *vz = vy + size, *v2 = vz + size;
    T *g = v2 + size, *here = g + width * size, *below = here + (2 * side - 1) * size;
    for (int k = 0; k < padded; k += P::lanes) {
        const Place<P> place = place_at<Isa>(task.family, block, k);
        place.xi.store(xi + k);
        place.vx.store(vx + k);
        place.vy.store(vy + k);
        place.vz.store(vz + k);
        place.v2.store(v2 + k);
        (P::load(block.mass + k) * place.prefactor).store(here + k);
    }
    for (int l = 0; l < side; ++l) {
        if (l > 0) {
            climb<Isa, T>({vx, vy, vz, v2}, task.axial + (l - 1) * side, l, padded, here, below);
            T* const next = below;
            below = here;
            here = next;
        }
        fill_radial<Isa>(xi, task.alpha + l * width, task.n_max, padded, g);
        sums = add_level<Isa>(here, 2 * l + 1, g, width, padded, block.mass_unit, sums);
    }
}

template <class Isa, class T>
void expand(const LaneTask<T>& task, Index begin, Index end, double* sums, T* work)
{
    constexpr int step = radial_vectors<Isa> * Pack<Isa, T>::lanes;
    static_assert(Block<T>::size % step == 0);
    Block<T> block;
    for (Index i = begin; i < end;) {
        const Index left = end - i;
        const int count = left < Index{Block<T>::size} ? static_cast<int>(left) : Block<T>::size;
        const int padded = (count + step - 1) / step * step;
        load_places<Isa>(task, i, count, padded, block);
        prefetch_places(task, i + Index{Block<T>::size}, 0, Block<T>::size, end);
        if (load_masses<Isa>(task, i, count, padded, block))
            expand_block<Isa>(task, block, padded, sums, work);
        i += static_cast<Index>(count);
    }
}

}  // namespace
}  // namespace aureole::gravity::scf
