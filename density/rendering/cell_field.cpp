#include "density/rendering/cell_field.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"

namespace aureole::density {
namespace {

constexpr Index most_levels = 40;          // double does not resolve positions in deeper patches
constexpr double corner_tolerance = 1e-9;  // of a patch's side: corners come from files

bool close(Vec3 a, Vec3 b, Vec3 side)
{
    return std::abs(a.x - b.x) <= corner_tolerance * side.x &&
           std::abs(a.y - b.y) <= corner_tolerance * side.y &&
           std::abs(a.z - b.z) <= corner_tolerance * side.z;
}

void expect_children(const std::vector<FieldPatch>& patches, std::size_t p)
{
    const FieldPatch& parent = patches[p];
    AUREOLE_EXPECT(parent.first_child > p && patches.size() - 8 >= parent.first_child && patches.size() >= 8,
                   "patch {} has its children at {} of {} patches, expected eight children after it", p,
                   parent.first_child, patches.size());
    AUREOLE_EXPECT(parent.level < most_levels,
                   "patch {} of level {} has children, expected at most {} levels", p, parent.level,
                   most_levels);
    const Vec3 half = 0.5 * (parent.high - parent.low);
    for (Index octant = 0; octant < 8; ++octant) {
        const FieldPatch& child = patches[parent.first_child + octant];
        const Vec3 low{parent.low.x + (octant >> 2 & 1) * half.x, parent.low.y + (octant >> 1 & 1) * half.y,
                       parent.low.z + (octant & 1) * half.z};
        AUREOLE_EXPECT(close(child.low, low, half) && close(child.high, low + half, half) &&
                           child.level == parent.level + 1,
                       "patch {} is not octant {} of its parent {}", parent.first_child + octant, octant, p);
    }
}

}  // namespace

CellField grid_field(std::array<Index, 3> cells, Vec3 low, Vec3 high, std::vector<double> values)
{
    CellField field{cells, {FieldPatch{.low = low, .high = high}}, std::move(values)};
    expect_whole(field);
    return field;
}

void expect_patches(const std::array<Index, 3>& cells, const std::vector<FieldPatch>& patches)
{
    AUREOLE_EXPECT(!patches.empty() && cells[0] > 0 && cells[1] > 0 && cells[2] > 0,
                   "a field of {} patches of {} x {} x {} cells: expected one at least", patches.size(),
                   cells[0], cells[1], cells[2]);
    const Vec3 low = patches[0].low, high = patches[0].high;
    const Vec3 side = high - low;
    AUREOLE_EXPECT(side.x > 0 && side.y > 0 && side.z > 0 && std::isfinite(dot(low, low) + dot(high, high)),
                   "a field from ({}, {}, {}) to ({}, {}, {}): expected finite corners, the second above the "
                   "first",
                   low.x, low.y, low.z, high.x, high.y, high.z);
    std::size_t parents = 0;
    for (std::size_t p = 0; p < patches.size(); ++p) {
        if (patches[p].leaf()) continue;
        expect_children(patches, p);
        ++parents;
    }
    AUREOLE_EXPECT(patches.size() == 1 + 8 * parents,
                   "the field has {} patches, {} of them with children: expected {}", patches.size(), parents,
                   1 + 8 * parents);
}

void expect_whole(const CellField& field)
{
    expect_patches(field.cells, field.patches);
    AUREOLE_EXPECT(field.values.size() == field.patches.size() * field.cells_per_patch(),
                   "the field has {} values for {} patches of {} cells, expected one for each cell",
                   field.values.size(), field.patches.size(), field.cells_per_patch());
}

Index leaf_at(const CellField& field, Vec3 x)
{
    Index p = 0;
    while (!field.patches[p].leaf()) {
        // the plane between the children as their own corners have it
        const Vec3 middle = field.patches[field.patches[p].first_child + 7].low;
        p = field.patches[p].first_child + (x.x >= middle.x ? 4 : 0) + (x.y >= middle.y ? 2 : 0) +
            (x.z >= middle.z ? 1 : 0);
    }
    return p;
}

Index cell_at(const CellField& field, const FieldPatch& p, int a, double x)
{
    const Index n = field.cells[static_cast<std::size_t>(a)];
    const double share = (x - along(p.low, a)) / (along(p.high, a) - along(p.low, a));
    return static_cast<Index>(std::clamp(std::floor(share * n), 0.0, n - 1.0));
}

}  // namespace aureole::density
