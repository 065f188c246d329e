// Deposits blocks of the lattice onto patches of cells, one after the other, on one CPU thread.
#pragma once

#include <optional>
#include <vector>

#include "density/deposit/tetrahedron_tasks.hpp"
#include "density/sheet/sheet_volume.hpp"

namespace aureole::density {

/// The scratch of one thread and the deposit of a block.
template <int carried>
class BlockDeposit {
public:
    BlockDeposit(const BlockCorners& corners, double speed_scale)
        : corners_(corners),
          speed_scale_(speed_scale),
          position_(corners_per_block),
          in_cells_(corners_per_block),
          velocity_(carried > 0 ? corners_per_block : 0)
    {
    }

    void operator()(Index block, const Patch& patch)
    {
        const BlockExtent extent = corners_.blocks().extent(block);
        const CellCoordinates cells(patch.sums.grid);
        if (block != gathered_) gather(block);
        if (!placed_ || !same(*placed_, cells)) place(extent, cells);
        const CornerExtent* reach = extents_.data();
        for_each_cube(extent, [&](Index i, Index j, Index k) {
            if ((reach++)->reaches(patch.sums.grid, cells.period()))
                deposit_cube(cube(cells, i, j, k), cells, patch);
        });
    }

    /// Adds the signed volumes of the tetrahedra of the last block in units of the box.
    void add_volume(VolumeSum& sum) const
    {
        const Vec3 period = placed_->period();
        const double per_box = 1 / (period.x * period.y * period.z);
        for_each_cube(corners_.blocks().extent(gathered_), [&](Index i, Index j, Index k) {
            const LatticeCube of = cube(*placed_, i, j, k);
            for (int t = 0; t < tetrahedra_per_cube; ++t)
                sum.add(of.tetrahedron(t).signed_volume() * per_box);
        });
    }

private:
    template <class Body>
    static void for_each_cube(const BlockExtent& extent, Body&& body)
    {
        for (Index i = 0; i < extent.cubes[0]; ++i)
            for (Index j = 0; j < extent.cubes[1]; ++j)
                for (Index k = 0; k < extent.cubes[2]; ++k) body(i, j, k);
    }

    static bool same(const CellCoordinate& a, const CellCoordinate& b)
    {
        return a.origin == b.origin && a.per_cell == b.per_cell;
    }
    static bool same(const CellCoordinates& a, const CellCoordinates& b)
    {
        return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z);
    }

    LatticeCube cube(const CellCoordinates& cells, Index i, Index j, Index k) const
    {
        return joined_cube([&](Index corner) { return in_cells_[corner]; }, cells, i, j, k);
    }

    /// Gathers the corners of a block. Consecutive tasks often have the same block, which is then gathered
    /// once.
    void gather(Index block)
    {
        corners_.positions(block, position_.data());
        if constexpr (carried > 0) corners_.velocities(block, velocity_.data());
        gathered_ = block;
        placed_.reset();
    }

    void place(const BlockExtent& extent, const CellCoordinates& cells)
    {
        for (Index i = 0; i <= extent.cubes[0]; ++i)
            for (Index j = 0; j <= extent.cubes[1]; ++j)
                for (Index k = 0; k <= extent.cubes[2]; ++k) {
                    const Index corner = block_corner(i, j, k);
                    in_cells_[corner] = cells.of(position_[corner]);
                }
        extents_.clear();
        for_each_cube(extent, [&](Index i, Index j, Index k) {
            extents_.emplace_back(cube(cells, i, j, k).corner, 8);
        });
        placed_ = cells;
    }

    void deposit_cube(const LatticeCube& cube, const CellCoordinates& cells, const Patch& patch)
    {
        for (int t = 0; t < tetrahedra_per_cube; ++t) deposit_first(cube, t, cells, patch);
    }

    void deposit_first(const LatticeCube& cube, int t, const CellCoordinates& cells, const Patch& patch)
    {
        const Tetrahedron tetrahedron = cube.tetrahedron(t);
        if constexpr (carried > 0)
            deposit_one(tetrahedron,
                        whole_piece(tetrahedron, cube.velocities(velocity_.data(), t, speed_scale_)), cells,
                        patch);
        else
            deposit_one(tetrahedron, whole_piece(tetrahedron), cells, patch);
    }

    void deposit_one(const Tetrahedron& first, const Piece<carried>& whole, const CellCoordinates& cells,
                     const Patch& patch)
    {
        for_each_image(patch.sums.grid, cells.period(), first, [&](Vec3 shift) {
            Tetrahedron t = first;
            for (Vec3& corner : t.corner) corner = corner + shift;
            const IndexBox kept = kept_cells(t, patch.sums.grid);
            if (kept.empty() || !patch.sums.stores_some(kept.axis[0])) return;
            const std::size_t needed = overlap_scratch<carried>(kept);
            if (scratch_.size() < needed) scratch_.resize(needed);
            deposit_image(t, whole, patch.sums, scratch_.data());
            if (patch.streams) count_image(t, patch.sums, cells.quantum(), patch.streams);
        });
    }

    BlockCorners corners_;
    double speed_scale_;
    Index gathered_ = 0xffffffffu;           ///< the block whose corners are in memory; initially no block
    std::optional<CellCoordinates> placed_;  ///< the coordinates that in_cells_ and extents_ are in
    std::vector<Vec3> position_, in_cells_, velocity_;
    std::vector<CornerExtent> extents_;  ///< bounding boxes of the cubes of the block
    std::vector<double> scratch_;
};

}  // namespace aureole::density
