#include "halo/centres/poisson/grid_loops.hpp"

#include <cmath>

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::halo::poisson {
namespace {

/// Points whose potentials differ by less than this part are as deep as each other: transforms of different
/// libraries differ by some 1e-14.
constexpr double same_depth = 1e-10;

/// Points that a thread looks at.
constexpr Index points_each = 64;

AUREOLE_HD inline std::uint64_t highest_bits() { return ~std::uint64_t{0}; }

/// The batch's list that holds member t of all its lists.
AUREOLE_HD inline Index slot_of(const GridBatch& batch, std::uint64_t t)
{
    Index first = 0;  // the last one that begins at or before t
    for (Index count = batch.n_lists; count > 1;) {
        const Index half = count / 2;
        if (batch.lists[first + half].before <= t) {
            first += half;
            count -= half;
        } else {
            count = half;
        }
    }
    return first;
}

AUREOLE_HD inline int exponent_above(double x)
{
    int exponent = 0;
    std::frexp(x, &exponent);
    return x > 0 ? exponent : 0;
}

AUREOLE_HD inline ListGrid grid_around(const std::uint64_t* extent, std::uint64_t n, int points)
{
    double middle[3], longest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double low = from_ordered_bits(extent[axis]), high = from_ordered_bits(extent[3 + axis]);
        middle[axis] = 0.5 * (low + high);
        longest = std::fmax(longest, high - low);
    }
    const double spacing = longest / (points - 1), half = 0.5 * longest;
    ListGrid grid{};
    grid.low = {middle[0] - half, middle[1] - half, middle[2] - half};
    grid.spacing = std::isfinite(spacing) ? spacing : 0;
    grid.mass_exponent =
        -exponent_above(from_ordered_bits(extent[6])) - exponent_above(static_cast<double>(n));
    grid.deepest = grid.nearest = grid.none_near = highest_bits();
    grid.point = ~Index{0};
    return grid;
}

/// The cell of a coordinate along an axis, and its weights at the cell's two ends.
struct Cell {
    int at;
    double weight[2];

    AUREOLE_HD Cell(double x, double low, double spacing, int points)
    {
        const double u = (x - low) / spacing;
        const int cell = static_cast<int>(u);
        at = cell < 0 ? 0 : cell > points - 2 ? points - 2 : cell;
        const double part = std::fmin(std::fmax(u - at, 0.0), 1.0);
        weight[0] = 1 - part;
        weight[1] = part;
    }
};

AUREOLE_HD inline std::int64_t in_fixed_point(double share)
{
    return static_cast<std::int64_t>(share * 0x1p62);
}

AUREOLE_HD inline Vec3 position_of(const GridMembers& members, std::uint64_t k)
{
    return {members.x[k * members.stride], members.y[k * members.stride], members.z[k * members.stride]};
}

AUREOLE_HD inline void deposit_member(const GridBatch& batch, Index slot, std::uint64_t k)
{
    const ListGrid& grid = batch.grids[slot];
    if (!(grid.spacing > 0)) return;
    const int n = batch.points;
    const Vec3 at = position_of(batch.members, k);
    const double mass = std::ldexp(batch.members.mass[k * batch.members.stride], grid.mass_exponent);
    const Cell x(at.x, grid.low.x, grid.spacing, n), y(at.y, grid.low.y, grid.spacing, n),
        z(at.z, grid.low.z, grid.spacing, n);
    std::int64_t* const sums = batch.mass + slot;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            const double part = mass * x.weight[i] * y.weight[j];
            const std::size_t row = (static_cast<std::size_t>(x.at + i) * n + (y.at + j)) * n + z.at;
            atomic_add(sums + row * batch.n_lists, in_fixed_point(part * z.weight[0]));
            atomic_add(sums + (row + 1) * batch.n_lists, in_fixed_point(part * z.weight[1]));
        }
}

AUREOLE_HD inline double squared_distance(const GridBatch& batch, const ListGrid& grid, std::uint64_t k)
{
    const auto n = static_cast<Index>(batch.points);
    const Index i = grid.point / (n * n), j = grid.point / n % n, l = grid.point % n;
    const Vec3 point = grid.low + grid.spacing * Vec3{static_cast<double>(i), static_cast<double>(j),
                                                      static_cast<double>(l)};
    const Vec3 d = position_of(batch.members, k) - point;
    return dot(d, d);
}

/// Visits every member of the batch with its list's grid.
template <class Visit>
void for_each_member(Exec exec, const GridBatch& batch, Visit visit)
{
    for_each(exec, static_cast<Index>(batch.n_members), [=] AUREOLE_HD(Index t) {
        const Index slot = slot_of(batch, t);
        const GridList& list = batch.lists[slot];
        visit(slot, list.first + (t - list.before));
    });
}

}  // namespace

void place_grids(Exec exec, const GridBatch& batch, const Extents& extents)
{
    for_each(exec, batch.n_lists, [=] AUREOLE_HD(Index slot) {
        const GridList& list = batch.lists[slot];
        batch.grids[slot] = grid_around(extents.word + list.list * extents.stride, list.n, batch.points);
    });
}

void deposit(Exec exec, const GridBatch& batch)
{
    for_each_member(exec, batch,
                    [=] AUREOLE_HD(Index slot, std::uint64_t k) { deposit_member(batch, slot, k); });
}

void set_density(Exec exec, const GridBatch& batch)
{
    for_each(exec, batch.n_lists * batch.grid_points(),
             [=] AUREOLE_HD(Index at) { batch.values[at] = static_cast<double>(batch.mass[at]); });
}

void divide_by_eigenvalues(Exec exec, const GridBatch& batch)
{
    const auto n = static_cast<Index>(batch.points);
    for_each(exec, batch.n_lists * batch.grid_points(), [=] AUREOLE_HD(Index at) {
        const double* const e = batch.eigenvalues;
        const Index point = at / batch.n_lists;
        batch.values[at] *= -1 / (e[point / (n * n)] + e[point / n % n] + e[point % n]);
    });
}

void find_deepest(Exec exec, const GridBatch& batch)
{
    const Index n = batch.grid_points(), threads = (n - 1) / points_each + 1;
    for_each(exec, batch.n_lists * threads, [=] AUREOLE_HD(Index at) {
        const Index slot = at % batch.n_lists, first = at / batch.n_lists;
        const double* const values = batch.values + slot;
        double least = values[std::size_t{first} * batch.n_lists];
        for (Index k = first; k < n; k += threads)
            least = std::fmin(least, values[std::size_t{k} * batch.n_lists]);
        atomic_min_of_few(&batch.grids[slot].deepest, ordered_bits(least));
    });
    for_each(exec, batch.n_lists * threads, [=] AUREOLE_HD(Index at) {
        const Index slot = at % batch.n_lists, first = at / batch.n_lists;
        const double* const values = batch.values + slot;
        const double least = from_ordered_bits(batch.grids[slot].deepest);
        const double limit = least + same_depth * std::fabs(least);
        Index deep = n;
        for (Index k = first; k < n; k += threads)
            if (values[std::size_t{k} * batch.n_lists] <= limit && k < deep) deep = k;
        if (deep < n) atomic_min(&batch.grids[slot].point, deep);
    });
}

void mark_near(Exec exec, const GridBatch& batch, std::uint8_t* near)
{
    for_each_member(exec, batch, [=] AUREOLE_HD(Index slot, std::uint64_t k) {
        ListGrid& grid = batch.grids[slot];
        const double radius = batch.search_radius * grid.spacing;
        near[k] = !(grid.spacing > 0) || squared_distance(batch, grid, k) <= radius * radius;
        if (near[k]) atomic_min_of_few(&grid.none_near, 0);
    });
    for_each_member(exec, batch, [=] AUREOLE_HD(Index slot, std::uint64_t k) {
        ListGrid& grid = batch.grids[slot];
        if (grid.none_near) atomic_min(&grid.nearest, ordered_bits(squared_distance(batch, grid, k)));
    });
    for_each_member(exec, batch, [=] AUREOLE_HD(Index slot, std::uint64_t k) {
        const ListGrid& grid = batch.grids[slot];
        if (!grid.none_near) return;
        double radius = batch.search_radius * grid.spacing;
        while (radius * radius < from_ordered_bits(grid.nearest)) radius *= 2;
        near[k] = squared_distance(batch, grid, k) <= radius * radius;
    });
}

}  // namespace aureole::halo::poisson
