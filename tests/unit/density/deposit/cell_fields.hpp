// Fields made by hand for the tests of slices, projections and volumes.
#pragma once

#include <cmath>
#include <functional>

#include "density/rendering/brick_tree.hpp"
#include "density/rendering/cell_field.hpp"
#include "sim/core/random.hpp"

namespace aureole::test {

using namespace aureole::density;

/// Numbers as they are, however low.
constexpr ValueScale as_it_is{.logarithmic = false, .floor = -1e9};

using Formula = std::function<double(Vec3)>;

/// The formula at the centre of every cell.
inline void fill(CellField& field, const Formula& formula)
{
    field.values.resize(field.patches.size() * field.cells_per_patch());
    for (std::size_t p = 0; p < field.patches.size(); ++p) {
        const FieldPatch& patch = field.patches[p];
        const Vec3 side = patch.high - patch.low;
        for (Index i = 0; i < field.cells[0]; ++i)
            for (Index j = 0; j < field.cells[1]; ++j)
                for (Index k = 0; k < field.cells[2]; ++k)
                    field.values[field.at(p, i, j, k)] =
                        formula({patch.low.x + side.x * (i + 0.5) / field.cells[0],
                                 patch.low.y + side.y * (j + 0.5) / field.cells[1],
                                 patch.low.z + side.z * (k + 0.5) / field.cells[2]});
    }
}

inline CellField grid_of(std::array<Index, 3> cells, Vec3 low, Vec3 high, const Formula& formula)
{
    CellField field{cells, {FieldPatch{.low = low, .high = high}}, {}};
    fill(field, formula);
    return field;
}

/// Splits the patches that `splits` says, parents before children.
inline CellField octree_of(Index cells, Vec3 low, Vec3 high,
                           const std::function<bool(const FieldPatch&)>& splits, const Formula& formula)
{
    CellField field{{cells, cells, cells}, {FieldPatch{.low = low, .high = high}}, {}};
    for (std::size_t p = 0; p < field.patches.size(); ++p) {
        const FieldPatch parent = field.patches[p];
        if (!splits(parent)) continue;
        field.patches[p].first_child = static_cast<Index>(field.patches.size());
        const Vec3 half = 0.5 * (parent.high - parent.low);
        for (Index octant = 0; octant < 8; ++octant) {
            const Vec3 corner = parent.low + Vec3{(octant >> 2 & 1) * half.x, (octant >> 1 & 1) * half.y,
                                                  (octant & 1) * half.z};
            field.patches.push_back({.low = corner, .high = corner + half, .level = parent.level + 1});
        }
    }
    fill(field, formula);
    return field;
}

/// Patches down to a level, by the toss of a coin.
inline CellField random_octree(Index cells, Index deepest, const Formula& formula)
{
    Random random(3, 0, 0);
    return octree_of(
        cells, {0, 0, 0}, {1, 1, 1},
        [&](const FieldPatch& p) { return p.level < deepest && (p.level == 0 || random.uniform() < 0.6); },
        formula);
}

/// Something without symmetries, of order 1 and positive.
inline double bumps(Vec3 x)
{
    return 1.2 + 0.5 * std::sin(7 * x.x + 2 * x.y) + 0.4 * std::cos(9 * x.y - 3 * x.z) +
           0.2 * std::sin(11 * x.z);
}

/// A value that jumps from cell to cell.
inline double noise(Vec3 x)
{
    const double phase = 1e4 * std::sin(12.9898 * x.x + 78.233 * x.y + 37.719 * x.z);
    return phase - std::floor(phase);
}

}  // namespace aureole::test
