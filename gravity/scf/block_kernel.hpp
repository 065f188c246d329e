// A block of particles in vector lanes, relative to the centre of an expansion and in its scale radii:
// included by expansion_cpu_simd.cpp only.
#pragma once

#include "gravity/scf/basis.hpp"
#include "gravity/scf/expansion_kernels.hpp"
#include "sim/core/simd/pack.hpp"

namespace aureole::gravity::scf {
namespace {  // each instruction set keeps its own copy: a shared one could run where it must not

/// Distances in scale radii between which r^2 and the powers of v stay in the range of T. Farther out a field
/// is that of its monopole to the last bit, further in it depends on direction alone.
template <class T>
struct Reach {
    static constexpr double nearest = sizeof(T) == 4 ? 1e-15 : 1e-140;
    static constexpr double farthest = sizeof(T) == 4 ? 1e9 : 1e60;
};

template <class T>
struct Block {
    static constexpr int size = block_particles<T>;
    alignas(64) T x[size], y[size], z[size], mass[size];
    alignas(64) double exact[3][size], exact_mass[size];
    double mass_unit;     ///< mass = exact mass / mass_unit
    bool moved;           ///< some particles stand elsewhere than they should, see shrink
    double shrink[size];  ///< when moved: |where it stands| / |where it is| of those too far away, else 1
};

/// One array at a time and without aliases, or the compiler leaves it scalar.
template <class Isa, class T>
void rounded(const double* __restrict from, double factor, T* __restrict to, int n)
{
    for (int k = 0; k < n; ++k) to[k] = static_cast<T>(factor * from[k]);
}

template <class Isa>
void relative(const double* __restrict from, double centre, double factor, double* __restrict to, int n)
{
    for (int k = 0; k < n; ++k) to[k] = factor * (from[k] - centre);
}

template <class Mask>
bool any(Mask mask)
{
    bool result = false;
    for (unsigned lane = 0; lane < sizeof(mask) / sizeof(mask[0]); ++lane) result |= mask[lane] != 0;
    return result;
}

/// Brings particles that are nearer or farther than T can square to where it can, in their own direction.
template <class Isa, class T>
void move_into_reach(Block<T>& block, int n)
{
    for (int k = 0; k < n; ++k) {
        double largest = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double x = __builtin_fabs(block.exact[axis][k]);
            largest = x > largest ? x : largest;
        }
        block.shrink[k] = 1;
        const bool far = largest > Reach<T>::farthest, near = largest < Reach<T>::nearest && largest > 0;
        if (!far && !near) continue;
        const double place = far ? Reach<T>::farthest : Reach<T>::nearest;
        if (far) block.shrink[k] = place / largest;
        for (int axis = 0; axis < 3; ++axis) block.exact[axis][k] = block.exact[axis][k] / largest * place;
    }
    block.moved = true;
}

/// Fills the places of `count` particles from `begin` on, the rest up to `padded` at the centre.
template <class Isa, class T>
void load_places(const LaneTask<T>& task, Index begin, int count, int padded, Block<T>& block)
{
    using P = Pack<Isa, double>;
    const ConstVec3View& from = task.particles.position;
    const double* const x[3] = {from.x + begin, from.y + begin, from.z + begin};
    for (int axis = 0; axis < 3; ++axis) {
        relative<Isa>(x[axis], task.centre[axis], 1 / task.scale_radius, block.exact[axis], count);
        for (int k = count; k < padded; ++k) block.exact[axis][k] = 0;
    }
    using Limit = Reach<T>;
    const P nearest(Limit::nearest * Limit::nearest), farthest(Limit::farthest * Limit::farthest);
    typename P::Mask outside{};
    for (int k = 0; k < padded; k += P::lanes) {
        const P a = P::load(block.exact[0] + k), b = P::load(block.exact[1] + k),
                c = P::load(block.exact[2] + k);
        const P r2 = fma(a, a, fma(b, b, c * c));
        outside |= (r2 < nearest) | (farthest < r2);
    }
    block.moved = false;
    if (any(outside)) move_into_reach<Isa>(block, padded);
    rounded<Isa>(block.exact[0], 1, block.x, padded);
    rounded<Isa>(block.exact[1], 1, block.y, padded);
    rounded<Isa>(block.exact[2], 1, block.z, padded);
}

/// Fills the masses after the places, zero beyond `count` and for other components; false when all are zero.
template <class Isa, class T>
bool load_masses(const LaneTask<T>& task, Index begin, int count, int padded, Block<T>& block)
{
    const double* mass = task.particles.mass + begin;
    if (task.component < 0)
        for (int k = 0; k < count; ++k) block.exact_mass[k] = mass[k];
    else
        for (int k = 0; k < count; ++k)
            block.exact_mass[k] =
                task.particles.component_of(begin + static_cast<Index>(k)) == task.component ? mass[k] : 0;
    for (int k = count; k < padded; ++k) block.exact_mass[k] = 0;
    if (block.moved)
        for (int k = 0; k < padded; ++k) block.exact_mass[k] *= block.shrink[k];
    using P = Pack<Isa, double>;
    P most(0);
    for (int k = 0; k < padded; k += P::lanes) {
        const P m = P::load(block.exact_mass + k);
        most = max(most, max(m, P(0) - m));
    }
    double largest = 0;
    for (int lane = 0; lane < P::lanes; ++lane) largest = most.v[lane] > largest ? most.v[lane] : largest;
    block.mass_unit = largest > 1e-300 ? largest : 1;
    rounded<Isa>(block.exact_mass, 1 / block.mass_unit, block.mass, padded);
    return largest > 0;
}

/// Asks for particles [first + k, first + k + n) of the next block while this one is at work.
template <class T>
void prefetch_places(const LaneTask<T>& task, Index first, int k, int n, Index end)
{
    constexpr int line = 64 / static_cast<int>(sizeof(double));
    for (Index i = first + static_cast<Index>(k); i < first + static_cast<Index>(k + n) && i < end;
         i += line) {
        __builtin_prefetch(task.particles.position.x + i);
        __builtin_prefetch(task.particles.position.y + i);
        __builtin_prefetch(task.particles.position.z + i);
    }
}

template <class Isa, class T>
Place<Pack<Isa, T>> place_at(Family family, const Block<T>& block, int k)
{
    using P = Pack<Isa, T>;
    const P zero(0), one(1);
    return place_in_basis(
        family, P::load(block.x + k), P::load(block.y + k), P::load(block.z + k),
        [&](P r2) { return select(zero < r2, one / P(Isa::sqrt(r2.v)), zero); },
        [&](P d) { return one / d; });
}

}  // namespace
}  // namespace aureole::gravity::scf
