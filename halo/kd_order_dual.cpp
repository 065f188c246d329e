#include "halo/kd_order.hpp"

#include "halo/hilbert.hpp"
#include "halo/survey.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {
namespace {

constexpr std::uint64_t comes_last = std::uint64_t{1} << 63;

/// Bits of a coordinate: of the first key, of each refinement, and all that can matter.
struct CurveBits {
    int first, refined;

    AUREOLE_HD static CurveBits of(const CurveTask& task)
    {
        return task.in_phase_space() ? CurveBits{10, 5} : CurveBits{21, 10};
    }
    AUREOLE_HD int fraction() const { return first + max_refinements * refined; }
};

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
    const int bits = CurveBits::of(task).fraction();
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

/// Two zero bits between each of the low 21 bits.
AUREOLE_HD std::uint64_t spread_by_3(std::uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x001f00000000ffff;
    x = (x | x << 16) & 0x001f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
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

AUREOLE_HD std::uint32_t leading(std::uint64_t fraction, const CurveBits& bits)
{
    return static_cast<std::uint32_t>(fraction >> (bits.fraction() - bits.first));
}

/// Along the Hilbert curve, by the leading bits.
AUREOLE_HD std::uint64_t place_along_curve(const CurveTask& task, const Cell& c, const CurveBits& bits)
{
    if (!task.in_phase_space()) {
        std::uint32_t x[] = {leading(c.x, bits), leading(c.y, bits), leading(c.z, bits)};
        turn_into_hilbert(x, bits.first);
        return spread_by_3(x[0]) << 2 | spread_by_3(x[1]) << 1 | spread_by_3(x[2]);
    }
    std::uint32_t x[] = {leading(c.x, bits),  leading(c.y, bits),  leading(c.z, bits),
                         leading(c.vx, bits), leading(c.vy, bits), leading(c.vz, bits)};
    turn_into_hilbert(x, bits.first);
    return spread_by_6(x[0]) << 5 | spread_by_6(x[1]) << 4 | spread_by_6(x[2]) << 3 | spread_by_6(x[3]) << 2 |
           spread_by_6(x[4]) << 1 | spread_by_6(x[5]);
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
    const CurveBits bits = CurveBits::of(task);
    for_each(exec, task.particles.n, [=] AUREOLE_HD(Index i) {
        const bool links = type_links(task.linking_types, task.particles.type[i]);
        pairs.key[i] =
            place_along_curve(task, cell_of(task, i), bits) | (links ? std::uint64_t{0} : comes_last);
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
            *crowded = 1;  // all who write write the same
    });
}

void refine_curve_keys(Exec exec, const CurveTask& task, SortBuffers& pairs, int refinement)
{
    const CurveBits bits = CurveBits::of(task);
    const int skip = (max_refinements - refinement) * bits.refined;
    constexpr int low_bits = refined_key_bits - 32;
    const SortBuffers sorted = pairs;
    const Index n = task.particles.n;
    for_each(exec, n, [=] AUREOLE_HD(Index i) {
        const std::uint64_t run = run_begin(sorted.key, n, sorted.key[i]);
        sorted.spare_key[i] =
            run << low_bits | interleaved(task, cell_of(task, sorted.value[i]), skip, bits.refined);
    });
    pairs.swap_keys();
}

}  // namespace aureole::halo
