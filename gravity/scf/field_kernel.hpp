// Accelerations and potentials in the field of given coefficients for the instruction set `Isa`: included by
// expansion_cpu_simd.cpp only.
//
// Method: a few vectors of particles go through all levels. For each angular function the sums over n of
// coefficient * g_n and coefficient * g'_n come first, the coefficients broadcast, those of two m at a time
// in registers: two multiply-adds per coefficient and vector, which outweigh the rest.
#pragma once

#include "gravity/scf/block_kernel.hpp"

namespace aureole::gravity::scf {
namespace {

/// Vectors of particles that go through the levels together: 8 registers of each hold sums over n, 4 sums
/// over levels.
template <class Isa>
inline constexpr int field_vectors = Isa::registers / 16;

/// Sums over levels, one entry per vector.
template <class Isa, class T>
struct FieldSums {
    using P = Pack<Isa, T>;
    P potential[field_vectors<Isa>], steep[field_vectors<Isa>], radial[field_vectors<Isa>],
        along_z[field_vectors<Isa>], along_v2[field_vectors<Isa>];
    P level[field_vectors<Isa>];  ///< of the current l only
};

/// Arrays of vectors: entry k of an array starts at k * stride.
template <class Isa, class T>
struct FieldWork {
    static constexpr int stride = field_vectors<Isa> * Pack<Isa, T>::lanes;
    T *g, *slope;      ///< [n_max + 1]
    T *c, *s, *u, *w;  ///< [l_max + 1]; u, w: sums over l of q F for the cosine and the sine of m
    T *q, *below;      ///< [l_max + 2], levels l and l - 1, zero beyond their ends

    FieldWork(T* work, int n_max, int l_max)
    {
        T** const radial[] = {&g, &slope};
        for (T** array : radial) *array = work, work += (n_max + 1) * stride;
        T** const angular[] = {&c, &s, &u, &w, &q, &below};
        for (T** array : angular) *array = work, work += (l_max + 2) * stride;
        const Pack<Isa, T> zero(0);
        for (T* entry = u; entry < work; entry += Pack<Isa, T>::lanes) zero.store(entry);
    }
};

/// The functions of `orders` values of m from `first` on, at level l. F and F' run over n in registers.
template <class Isa, class T, bool from_zero, int orders>
void add_orders(const LaneTask<T>& task, const FieldWork<Isa, T>& work, int l, int first,
                FieldSums<Isa, T>& sums)
{
    using P = Pack<Isa, T>;
    constexpr int vectors = field_vectors<Isa>, rows = 2 * orders - int(from_zero);
    constexpr int stride = FieldWork<Isa, T>::stride;
    const int width = task.n_max + 1, side = task.l_max + 1;
    const T* coefficients = task.coefficients + (l * l + (from_zero ? 0 : 2 * first - 1)) * width;
    P f[rows][vectors], df[rows][vectors];
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) {
            f[r][v] = P(coefficients[r * width]);
            df[r][v] = P(0);
        }
    for (int n = 1; n < width; ++n) {
        P g[vectors], slope[vectors];
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) {
            g[v] = P::load(work.g + n * stride + v * P::lanes);
            slope[v] = P::load(work.slope + n * stride + v * P::lanes);
        }
#pragma GCC unroll 8
        for (int r = 0; r < rows; ++r) {
            const P a(coefficients[r * width + n]);
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v) {
                f[r][v] = fma(a, g[v], f[r][v]);
                df[r][v] = fma(a, slope[v], df[r][v]);
            }
        }
    }
#pragma GCC unroll 8
    for (int order = 0; order < orders; ++order) {
        const int m = first + order;
        const bool zero = from_zero && order == 0;
        const int row = 2 * order - int(from_zero && order > 0);
        const P rise_z(task.rise_z[l * side + m]), rise_r(task.rise_r[l * side + m]);
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) {
            const int at = m * stride + v * P::lanes;
            const P q = P::load(work.q + at);
            P whole = f[row][v], steepness = df[row][v];
            if (!zero) {
                const P c = P::load(work.c + at), s = P::load(work.s + at);
                whole = fma(f[row + 1][v], s, whole * c);
                steepness = fma(df[row + 1][v], s, steepness * c);
                fma(q, f[row][v], P::load(work.u + at)).store(work.u + at);
                fma(q, f[row + 1][v], P::load(work.w + at)).store(work.w + at);
            }
            sums.level[v] = fma(q, whole, sums.level[v]);
            sums.radial[v] = fma(q, steepness, sums.radial[v]);
            sums.along_z[v] = fma(rise_z * P::load(work.below + at), whole, sums.along_z[v]);
            sums.along_v2[v] = fma(rise_r * P::load(work.below + at + stride), whole, sums.along_v2[v]);
        }
    }
}

/// c_m and s_m for all m
template <class Isa, class T>
void fill_azimuthal(const Place<Pack<Isa, T>>* place, int l_max, const FieldWork<Isa, T>& work)
{
    using P = Pack<Isa, T>;
    for (int v = 0; v < field_vectors<Isa>; ++v) {
        P c(1), s(0);
        for (int m = 0; m <= l_max; ++m) {
            const int at = m * work.stride + v * P::lanes;
            c.store(work.c + at);
            s.store(work.s + at);
            const P next = c * place[v].vx - s * place[v].vy;
            s = s * place[v].vx + c * place[v].vy;
            c = next;
        }
    }
}

/// q_lm over what `below` held, and g_n and its derivative for level l.
template <class Isa, class T>
void climb_field(const LaneTask<T>& task, const Place<Pack<Isa, T>>* place, int l, FieldWork<Isa, T>& work)
{
    using P = Pack<Isa, T>;
    constexpr int vectors = field_vectors<Isa>, stride = FieldWork<Isa, T>::stride;
    const T* axial = task.axial + (l - 1) * (task.l_max + 1);
    const T* alpha = task.alpha + l * (task.n_max + 1);
    P here[vectors], before[vectors], slope[vectors], slope_before[vectors];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
        const int lane = v * P::lanes;
        for (int m = 0; m < l - 1; ++m) {
            const int at = m * stride + lane;
            const P last = place[v].v2 * P::load(work.below + at);
            P(Isa::fms((P(axial[m]) * place[v].vz).v, P::load(work.q + at).v, last.v)).store(work.below + at);
        }
        if (l > 0) place[v].vz.store(work.below + (l - 1) * stride + lane);
        P(1).store(work.below + l * stride + lane);
        here[v] = P(1);
        before[v] = slope[v] = slope_before[v] = P(0);
    }
    T* const next_level = work.below;
    work.below = work.q;
    work.q = next_level;
    for (int n = 0; n < task.n_max; ++n) {
        const P factor(alpha[n]);
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) {
            const int at = (n + 1) * stride + v * P::lanes;
            const P argument = factor * place[v].xi;
            const P next = P(Isa::fms(argument.v, here[v].v, before[v].v));
            const P rest = P(Isa::fms(factor.v, here[v].v, slope_before[v].v));
            const P next_slope = fma(argument, slope[v], rest);
            before[v] = here[v];
            slope_before[v] = slope[v];
            here[v] = next;
            slope[v] = next_slope;
            next.store(work.g + at);
            next_slope.store(work.slope + at);
        }
    }
}

template <class T>
struct FieldBlock {
    static constexpr int size = block_particles<T>;
    alignas(64) T x[size], y[size], z[size], potential[size];
};

/// The field of the vectors that start at particle `k` of the block, in scale radii and coefficient units.
template <class Isa, class T>
void field_of_vectors(const LaneTask<T>& task, const Block<T>& block, int k, T* memory, FieldBlock<T>& result)
{
    using P = Pack<Isa, T>;
    constexpr int vectors = field_vectors<Isa>;
    FieldWork<Isa, T> work(memory, task.n_max, task.l_max);
    FieldSums<Isa, T> sums;
    Place<P> place[vectors];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
        place[v] = place_at<Isa>(task.family, block, k + v * P::lanes);
        sums.potential[v] = sums.steep[v] = sums.radial[v] = sums.along_z[v] = sums.along_v2[v] = P(0);
    }
    fill_azimuthal<Isa, T>(place, task.l_max, work);
    for (int l = 0; l <= task.l_max; ++l) {
        climb_field<Isa, T>(task, place, l, work);
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) sums.level[v] = P(0);
        if (l == 0)
            add_orders<Isa, T, true, 1>(task, work, l, 0, sums);
        else
            add_orders<Isa, T, true, 2>(task, work, l, 0, sums);
        int m = 2;
        for (; m < l; m += 2) add_orders<Isa, T, false, 2>(task, work, l, m, sums);
        if (m == l) add_orders<Isa, T, false, 1>(task, work, l, m, sums);
        const P odd(2 * l + 1);
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) {
            sums.potential[v] = sums.potential[v] + sums.level[v];
            sums.steep[v] = fma(odd, sums.level[v], sums.steep[v]);
        }
    }
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
        const Place<P>& p = place[v];
        const int lane = v * P::lanes;
        const P twice = sums.along_v2[v] + sums.along_v2[v];
        P gx = p.vx * twice, gy = p.vy * twice;
        for (int m = 1; m <= task.l_max; ++m) {
            const P order(m), u = order * P::load(work.u + m * work.stride + lane),
                              w = order * P::load(work.w + m * work.stride + lane);
            const P c = P::load(work.c + (m - 1) * work.stride + lane),
                    s = P::load(work.s + (m - 1) * work.stride + lane);
            gx = fma(u, c, fma(w, s, gx));
            gy = fma(w, c, gy - u * s);
        }
        // Phi = -sum A psi, so the acceleration is plus the gradient of sum A psi
        const P outward = p.argument_slope * sums.radial[v] - p.power_slope * sums.steep[v];
        (p.prefactor * fma(p.nx, outward, p.stretch * gx)).store(result.x + k + lane);
        (p.prefactor * fma(p.ny, outward, p.stretch * gy)).store(result.y + k + lane);
        (p.prefactor * fma(p.nz, outward, p.stretch * sums.along_z[v])).store(result.z + k + lane);
        (p.prefactor * sums.potential[v]).store(result.potential + k + lane);
    }
}

/// to = (add ? to : 0) + unit * shrink^power * from, alike wherever targets stand in a block: the vectors of
/// sums are filled up, as a compiler rounds what is left over differently, and a block with places that were
/// moved (those that fill it up are) multiplies the others by 1.
template <class Isa, class T>
void store_field(const T* __restrict from, double unit, const Block<T>& block, int power, bool add, int count,
                 double* __restrict to)
{
    if (!block.moved && !add) {
        for (int k = 0; k < count; ++k) to[k] = unit * static_cast<double>(from[k]);
        return;
    }
    using P = Pack<Isa, double>;
    alignas(64) double value[Block<T>::size], sum[Block<T>::size];
    for (int k = 0; k < count; ++k) value[k] = static_cast<double>(from[k]);
    for (int i = 0; i < power && block.moved; ++i)
        for (int k = 0; k < count; ++k) value[k] *= block.shrink[k];
    if (!add) {
        for (int k = 0; k < count; ++k) to[k] = unit * value[k];
        return;
    }
    for (int k = 0; k < count; ++k) sum[k] = to[k];
    const int padded = (count + P::lanes - 1) / P::lanes * P::lanes;
    for (int k = count; k < padded; ++k) value[k] = sum[k] = 0;
    for (int k = 0; k < padded; k += P::lanes)
        fma(P(unit), P::load(value + k), P::load(sum + k)).store(sum + k);
    for (int k = 0; k < count; ++k) to[k] = sum[k];
}

template <class Isa, class T>
void field(const LaneTask<T>& task, Index begin, Index end, T* work)
{
    constexpr int step = field_vectors<Isa> * Pack<Isa, T>::lanes;
    static_assert(Block<T>::size % step == 0);
    const ForceOutputs& to = task.outputs;
    const double a = task.scale_radius, unit = task.coefficient_unit;
    Block<T> block;
    FieldBlock<T> result;
    for (Index i = begin; i < end;) {
        const Index left = end - i;
        const int count = left < Index{Block<T>::size} ? static_cast<int>(left) : Block<T>::size;
        const int padded = (count + step - 1) / step * step;
        load_places<Isa>(task, i, count, padded, block);
        for (int k = 0; k < padded; k += step) {
            prefetch_places(task, i + Index{Block<T>::size}, k, step, end);
            field_of_vectors<Isa>(task, block, k, work, result);
        }
        if (to.acceleration.x) {
            store_field<Isa>(result.x, unit / a / a, block, 2, task.add, count, to.acceleration.x + i);
            store_field<Isa>(result.y, unit / a / a, block, 2, task.add, count, to.acceleration.y + i);
            store_field<Isa>(result.z, unit / a / a, block, 2, task.add, count, to.acceleration.z + i);
        }
        if (to.potential)
            store_field<Isa>(result.potential, -unit / a, block, 1, task.add, count, to.potential + i);
        i += static_cast<Index>(count);
    }
}

}  // namespace
}  // namespace aureole::gravity::scf
