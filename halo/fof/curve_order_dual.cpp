#include "halo/fof/curve_order.hpp"

#include "halo/particle_summary.hpp"
#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo {
namespace {

/// Bits of a coordinate that can matter.
AUREOLE_HD int fraction_bits(const CurveTask& task)
{
    return task.bits + max_refinements * task.refined_bits();
}

/// Fractions of the cube's edge, fixed point: of x, y, z, and in phase space of the velocity.
struct Cell {
    std::uint64_t at[6];

    AUREOLE_HD bool operator==(const Cell& c) const
    {
        for (int k = 0; k < 6; ++k)
            if (at[k] != c.at[k]) return false;
        return true;
    }
};

AUREOLE_HD std::uint64_t fixed_fraction(double x, int bits)
{
    return cell_number<std::uint64_t>(x * static_cast<double>(std::uint64_t{1} << bits), bits);
}

AUREOLE_HD Cell cell_of(const CurveTask& task, Index particle)
{
    const int bits = fraction_bits(task);
    const Vec3 x = task.inverse_side * (task.box.wrap(task.particles.position.load(particle)) - task.low);
    Cell cell{{fixed_fraction(x.x, bits), fixed_fraction(x.y, bits), fixed_fraction(x.z, bits), 0, 0, 0}};
    if (task.in_phase_space()) {
        const Vec3 v =
            task.inverse_velocity_side * (task.particles.velocity.load(particle) - task.low_velocity);
        cell.at[3] = fixed_fraction(v.x, bits);
        cell.at[4] = fixed_fraction(v.y, bits);
        cell.at[5] = fixed_fraction(v.z, bits);
    }
    return cell;
}

/// `bits` bits of the coordinates from axis `first` on, above the lowest `skip` ones.
template <int axes>
struct CellBits {
    std::uint32_t at[axes];

    AUREOLE_HD CellBits(const Cell& cell, int first, int skip, int bits)
    {
        const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
        for (int k = 0; k < axes; ++k) at[k] = static_cast<std::uint32_t>(cell.at[first + k] >> skip & mask);
    }
    AUREOLE_HD std::uint64_t along_hilbert(int bits) { return hilbert_key(at, bits); }
    AUREOLE_HD std::uint64_t along_morton() const { return morton_key(at); }
};

/// Along the Hilbert curve of all axes, after that of the leading ones.
AUREOLE_HD std::uint64_t place_along_curve(const CurveTask& task, const Cell& cell)
{
    const int skip = max_refinements * task.refined_bits();
    if (!task.in_phase_space()) return CellBits<3>(cell, 0, skip, task.bits).along_hilbert(task.bits);
    const int lead = task.lead < task.bits ? task.lead : task.bits, rest = task.bits - lead;
    const std::uint64_t first =
        CellBits<3>(cell, task.velocities_lead ? 3 : 0, skip + rest, lead).along_hilbert(lead);
    return first << (6 * rest) | CellBits<6>(cell, 0, skip, rest).along_hilbert(rest);
}

/// Interleaves `bits` bits of each coordinate, above the lowest `skip` ones.
AUREOLE_HD std::uint64_t interleaved(const CurveTask& task, const Cell& cell, int skip, int bits)
{
    return task.in_phase_space() ? CellBits<6>(cell, 0, skip, bits).along_morton()
                                 : CellBits<3>(cell, 0, skip, bits).along_morton();
}

/// First of n sorted keys that is not below `key`.
AUREOLE_HD Index run_begin(const std::uint64_t* keys, Index n, std::uint64_t key)
{
    Index first = 0;
    for (Index count = n; count > 0;) {
        const Index half = count / 2;
        if (keys[first + half] < key) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

}  // namespace

void make_curve_keys(Exec exec, const CurveTask& task, const SortBuffers& pairs)
{
    const std::uint64_t comes_last = std::uint64_t{1} << task.key_bits(task.bits);
    for_each(exec, task.particles.n, [=] AUREOLE_HD(Index i) {
        const bool links = type_links(task.linking_types, task.particles.type_of(i));
        pairs.key[i] = place_along_curve(task, cell_of(task, i)) | (links ? std::uint64_t{0} : comes_last);
        pairs.value[i] = i;
    });
}

void find_crowded_cells(Exec exec, const CurveTask& task, const SortBuffers& pairs, Index n_linking,
                        Index* crowded)
{
    if (n_linking <= LinkTree::default_leaf_size) return;
    for_each(exec, n_linking - LinkTree::default_leaf_size, [=] AUREOLE_HD(Index i) {
        const Index j = i + LinkTree::default_leaf_size;
        if (pairs.key[i] != pairs.key[j]) return;
        if (!(cell_of(task, pairs.value[i]) == cell_of(task, pairs.value[j])))
            atomic_add(crowded, 1);  // fewer than 2^32 of them: it does not come back to zero
    });
}

void refine_curve_keys(Exec exec, const CurveTask& task, SortBuffers& pairs, int refinement)
{
    const int bits = task.refined_bits(), skip = (max_refinements - refinement) * bits;
    constexpr int low_bits = refined_key_bits - 32;
    const SortBuffers sorted = pairs;
    const Index n = task.particles.n;
    for_each(exec, n, [=] AUREOLE_HD(Index i) {
        const std::uint64_t run = run_begin(sorted.key, n, sorted.key[i]);
        sorted.spare_key[i] = run << low_bits | interleaved(task, cell_of(task, sorted.value[i]), skip, bits);
    });
    pairs.swap_keys();
}

void put_flagged_first(Exec exec, const FlaggedFirst& lists)
{
    const FlaggedFirst l = lists;
    select_flagged(exec, l.n, l.flag, l.selected, l.n_flagged, l.scratch);
    // an entry that is not flagged has as many flagged ones before it as a search finds
    for_each(exec, l.n, [=] AUREOLE_HD(Index k) {
        Index first = 0;
        for (Index count = *l.n_flagged; count > 0;) {
            const Index half = count / 2;
            if (l.selected[first + half] < k) {
                first += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        l.spare[l.flag[k] ? first : *l.n_flagged + (k - first)] = l.order[k];
    });
    for_each(exec, l.n, [=] AUREOLE_HD(Index k) { l.order[k] = l.spare[k]; });
}

}  // namespace aureole::halo
