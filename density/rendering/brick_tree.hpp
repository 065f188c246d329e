// A field as rays walk through it: a tree of cubes whose leaves are bricks of B^3 cells with a layer of ghost
// cells around them, so that interpolation is continuous from brick to brick. Ghosts are cells of the field:
// those of a neighbour of equal cells, averages of finer ones, the cell of a coarser one around them; beyond
// the field the cell at its edge. Large patches are parted into several bricks, so that empty ones are
// skipped. Places are in units of the root, which is the cube [0, 1)^3; a grid whose cells are no power of
// two of bricks fills a part of it. Memory: 4 (B + 2)^3 bytes a brick, which is 4 (1 + 2 / B)^3 a cell where
// bricks are full; those at the upper faces of a grid reach out of it (B = 16: a grid of 17^3 cells has 8
// bricks, one of N x N x 1 cells 16 times too many values). 12 bytes a node.
// It is no BalancedTree (sim/core/spatial): its leaves are cubes of cells, which rays step through, not runs
// of points.
#pragma once

#include <vector>

#include "density/rendering/cell_field.hpp"
#include "density/rendering/transfer_function.hpp"

namespace aureole::density {

/// A node's link: the first of its eight children, 4 towards x, 2 towards y, 1 towards z; or the number of
/// its brick, marked; or nothing.
inline constexpr Index no_link = 0xffffffffu, brick_mark = 0x80000000u;

struct BrickTree {
    Vec3 low, size;                        ///< of the root
    Vec3 extent;                           ///< the part of the root that the field fills, from 0 to this
    Index cells = 1;                       ///< of a brick along each side, without ghosts
    double finest = 1;                     ///< cells along a side of the root, were all the smallest
    std::vector<Index> links;              ///< by node
    std::vector<float> smallest, largest;  ///< of what a node's bricks hold, ghosts counted
    std::vector<float> values;             ///< brick by brick, (cells + 2)^3 each, z running fastest

    std::size_t values_per_brick() const { return std::size_t{cells + 2} * (cells + 2) * (cells + 2); }
};

/// Throws aureole::Error for a field that is not whole, and for a logarithmic scale without a floor above 0.
BrickTree brick_tree(const CellField& field, const ValueScale& scale);

/// Bytes that brick_tree() holds at its peak, the tree among them, for a field of such cells and patches; its
/// values are not looked at, and need not be there.
std::size_t brick_tree_bytes(const CellField& field);

/// What kernels see. Links are those of the tree, but none where nothing is to be seen.
struct BrickView {
    Vec3 low, size, extent;
    Index cells;
    const Index* links;
    const float* values;

    AUREOLE_HD const float* brick(Index number) const
    {
        const std::size_t side = cells + 2;
        return values + side * side * side * number;
    }
};

}  // namespace aureole::density
