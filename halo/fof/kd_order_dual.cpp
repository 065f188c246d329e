#include "halo/fof/kd_order.hpp"

#include "halo/particle_summary.hpp"
#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/hilbert.hpp"

namespace aureole::halo {
namespace {

/// Bits of a coordinate that can matter.
AUREOLE_HD int fraction_bits(const CurveTask& task)
{
    return task.bits + max_refinements * task.refined_bits();
}

/// Fractions of the cube's edge, fixed point; of velocities in phase space only.
struct Cell {
    std::uint64_t x, y, z, vx, vy, vz;

    AUREOLE_HD bool operator==(const Cell& c) const
    {
        return x == c.x && y == c.y && z == c.z && vx == c.vx && vy == c.vy && vz == c.vz;
    }
};

AUREOLE_HD std::uint64_t fixed_fraction(double x, int bits)
{
    const std::uint64_t end = std::uint64_t{1} << bits;
    const double scaled = x * static_cast<double>(end);
    if (!(scaled > 0)) return 0;
    return scaled < static_cast<double>(end) ? static_cast<std::uint64_t>(scaled) : end - 1;
}

AUREOLE_HD Cell cell_of(const CurveTask& task, Index particle)
{
    const int bits = fraction_bits(task);
    const Vec3 x = task.inverse_side * (task.box.wrap(task.particles.position.load(particle)) - task.low);
    Cell cell{fixed_fraction(x.x, bits), fixed_fraction(x.y, bits), fixed_fraction(x.z, bits), 0, 0, 0};
    if (task.in_phase_space()) {
        const Vec3 v =
            task.inverse_velocity_side * (task.particles.velocity.load(particle) - task.low_velocity);
        cell.vx = fixed_fraction(v.x, bits);
        cell.vy = fixed_fraction(v.y, bits);
        cell.vz = fixed_fraction(v.z, bits);
    }
    return cell;
}

/// Five zero bits between each of the low 10 bits: halves of five bits, each moved to 0, 6, 12, 18, 24.
AUREOLE_HD std::uint64_t spread_by_6(std::uint64_t x)
{
    x &= 0x3ff;
    x = (x | x << 25) & 0x00000007c000001f;
    x = (x | x << 10) & 0x00001c00c0007003;
    x = (x | x << 5) & 0x00030410400c1041;
    return (x | x << 5) & 0x0041041041041041;
}

AUREOLE_HD std::uint64_t along_curve_of_3(std::uint64_t x, std::uint64_t y, std::uint64_t z, int bits)
{
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    std::uint32_t c[] = {static_cast<std::uint32_t>(x & mask), static_cast<std::uint32_t>(y & mask),
                         static_cast<std::uint32_t>(z & mask)};
    turn_into_hilbert(c, bits);
    return interleaved(c);
}

AUREOLE_HD std::uint64_t along_curve_of_6(const Cell& cell, int skip, int bits)
{
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    std::uint32_t c[] = {static_cast<std::uint32_t>(cell.x >> skip & mask),
                         static_cast<std::uint32_t>(cell.y >> skip & mask),
                         static_cast<std::uint32_t>(cell.z >> skip & mask),
                         static_cast<std::uint32_t>(cell.vx >> skip & mask),
                         static_cast<std::uint32_t>(cell.vy >> skip & mask),
                         static_cast<std::uint32_t>(cell.vz >> skip & mask)};
    turn_into_hilbert(c, bits);
    return spread_by_6(c[0]) << 5 | spread_by_6(c[1]) << 4 | spread_by_6(c[2]) << 3 | spread_by_6(c[3]) << 2 |
           spread_by_6(c[4]) << 1 | spread_by_6(c[5]);
}

/// Along the Hilbert curve of all axes, after that of the leading ones.
AUREOLE_HD std::uint64_t place_along_curve(const CurveTask& task, const Cell& c)
{
    const int skip = max_refinements * task.refined_bits();
    if (!task.in_phase_space()) return along_curve_of_3(c.x >> skip, c.y >> skip, c.z >> skip, task.bits);
    const int lead = task.lead < task.bits ? task.lead : task.bits, rest = task.bits - lead;
    const int above = skip + rest;
    const std::uint64_t first = task.velocities_lead
                                    ? along_curve_of_3(c.vx >> above, c.vy >> above, c.vz >> above, lead)
                                    : along_curve_of_3(c.x >> above, c.y >> above, c.z >> above, lead);
    return first << (6 * rest) | along_curve_of_6(c, skip, rest);
}

/// Interleaves `bits` bits of each coordinate, above the lowest `skip` ones.
AUREOLE_HD std::uint64_t interleaved(const CurveTask& task, const Cell& c, int skip, int bits)
{
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    if (!task.in_phase_space())
        return spread_by_3(c.x >> skip & mask) << 2 | spread_by_3(c.y >> skip & mask) << 1 |
               spread_by_3(c.z >> skip & mask);
    return spread_by_6(c.x >> skip & mask) << 5 | spread_by_6(c.y >> skip & mask) << 4 |
           spread_by_6(c.z >> skip & mask) << 3 | spread_by_6(c.vx >> skip & mask) << 2 |
           spread_by_6(c.vy >> skip & mask) << 1 | spread_by_6(c.vz >> skip & mask);
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
    if (n_linking <= KdTree::default_leaf_size) return;
    for_each(exec, n_linking - KdTree::default_leaf_size, [=] AUREOLE_HD(Index i) {
        const Index j = i + KdTree::default_leaf_size;
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

}  // namespace aureole::halo
