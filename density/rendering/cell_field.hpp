// One number for every cell of a grid or of an octree, in host memory. Slices, projections and volumes are
// made of it. A grid is a single patch; an octree has eight children for every patch that is not a leaf.
#pragma once

#include <array>
#include <vector>

#include "density/octree/octree.hpp"

namespace aureole::density {

/// A box of space, divided into equal cells.
struct FieldPatch {
    Vec3 low, high;
    Index first_child =
        no_child;     ///< the eight children follow each other, 4 towards x, 2 towards y, 1 towards z
    Index level = 0;  ///< 0 for the root

    bool leaf() const { return first_child == no_child; }
};

struct CellField {
    std::array<Index, 3> cells{};     ///< of each patch along x, y, z
    std::vector<FieldPatch> patches;  ///< patch 0, the root, covers all
    std::vector<double> values;       ///< patch by patch, z running fastest; NaN where there is no value

    std::size_t cells_per_patch() const { return std::size_t{cells[0]} * cells[1] * cells[2]; }
    std::size_t at(std::size_t patch, Index i, Index j, Index k) const
    {
        return ((patch * cells[0] + i) * cells[1] + j) * cells[2] + k;
    }
};

/// A grid on [low, high]: [nx, ny, nz] numbers, z running fastest.
CellField grid_field(std::array<Index, 3> cells, Vec3 low, Vec3 high, std::vector<double> values);

/// Throws aureole::Error unless there are patches with cells, and children that follow their parent and are
/// its octants.
void expect_patches(const std::array<Index, 3>& cells, const std::vector<FieldPatch>& patches);

/// Checks the patches as expect_patches() does, and that there is a value for each cell.
void expect_whole(const CellField& field);

/// The leaf that contains x, which must lie in the root. A point on a face belongs to the leaf above it.
Index leaf_at(const CellField& field, Vec3 x);

/// The cell of patch `p` that holds `x` along axis `a`, the last one at its upper face.
Index cell_at(const CellField& field, const FieldPatch& p, int a, double x);

inline double along(Vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

}  // namespace aureole::density
