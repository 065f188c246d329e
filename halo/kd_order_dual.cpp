#include "halo/kd_order.hpp"

#include "halo/survey.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {
namespace {

constexpr int first_bits = 21, refined_bits = 10;  // per axis
constexpr int fraction_bits = first_bits + max_refinements * refined_bits;
constexpr std::uint64_t comes_last = std::uint64_t{1} << 63;

struct Cell {
    std::uint64_t x, y, z;  ///< fraction of the cube's edge, fixed point
};

AUREOLE_HD std::uint64_t fixed_fraction(double x)
{
    constexpr std::uint64_t end = std::uint64_t{1} << fraction_bits;
    const double scaled = x * static_cast<double>(end);
    if (!(scaled > 0)) return 0;
    return scaled < static_cast<double>(end) ? static_cast<std::uint64_t>(scaled) : end - 1;
}

AUREOLE_HD Cell cell_of(const CurveTask& task, Index particle)
{
    const Vec3 x = task.inverse_side * (task.box.wrap(task.particles.position.load(particle)) - task.low);
    return {fixed_fraction(x.x), fixed_fraction(x.y), fixed_fraction(x.z)};
}

/// Two zero bits between each of the low 21 bits.
AUREOLE_HD std::uint64_t spread(std::uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x001f00000000ffff;
    x = (x | x << 16) & 0x001f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}

/// Interleaves `bits` bits of each coordinate, above the lowest `skip` ones.
AUREOLE_HD std::uint64_t interleaved(Cell c, int skip, int bits)
{
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    return spread(c.x >> skip & mask) << 2 | spread(c.y >> skip & mask) << 1 | spread(c.z >> skip & mask);
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
    for_each(exec, task.particles.n, [=] AUREOLE_HD(Index i) {
        const bool links = type_links(task.linking_types, task.particles.type[i]);
        pairs.key[i] = interleaved(cell_of(task, i), fraction_bits - first_bits, first_bits) |
                       (links ? std::uint64_t{0} : comes_last);
        pairs.value[i] = i;
    });
}

void find_crowded_cells(Exec exec, const CurveTask& task, const SortBuffers& pairs, Index n_linking,
                        Index* crowded)
{
    if (n_linking <= KdTree::leaf_size) return;
    for_each(exec, n_linking - KdTree::leaf_size, [=] AUREOLE_HD(Index i) {
        const Index j = i + KdTree::leaf_size;
        if (pairs.key[i] != pairs.key[j]) return;
        const Cell a = cell_of(task, pairs.value[i]), b = cell_of(task, pairs.value[j]);
        if (a.x != b.x || a.y != b.y || a.z != b.z) *crowded = 1;  // all who write write the same
    });
}

void refine_curve_keys(Exec exec, const CurveTask& task, SortBuffers& pairs, int refinement)
{
    const int skip = (max_refinements - refinement) * refined_bits;
    const SortBuffers sorted = pairs;
    const Index n = task.particles.n;
    for_each(exec, n, [=] AUREOLE_HD(Index i) {
        const std::uint64_t run = run_begin(sorted.key, n, sorted.key[i]);
        sorted.spare_key[i] =
            run << 3 * refined_bits | interleaved(cell_of(task, sorted.value[i]), skip, refined_bits);
    });
    pairs.swap_keys();
}

}  // namespace aureole::halo
