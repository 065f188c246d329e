// Volumes of the whole phase-space sheet. The sum of signed volumes is the volume of the box when the sheet
// is closed, which shows that nearest images were the right ones; the sum of unsigned volumes gives the mean
// number of streams.
#pragma once

#include <span>

#include "density/grid.hpp"
#include "density/sheet/block_corners.hpp"
#include "density/sheet/lattice.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/sums/fixed_sum.hpp"

namespace aureole::density {

/// A sum of fractions of the box in two fixed-point numbers. The second has units 2^62 times as fine, as a
/// tetrahedron may be a tiny part of a large box.
struct VolumeSum {
    FixedSum coarse{}, fine{};

    void add(double fraction)
    {
        const std::int64_t whole = to_fixed(fraction);
        aureole::atomic_add(&coarse, whole);
        aureole::atomic_add(&fine, to_fixed(fraction * 0x1p62 - static_cast<double>(whole)));
    }
    void add(const VolumeSum& other)
    {
        aureole::add(coarse, other.coarse);
        aureole::add(fine, other.fine);
    }
    double value() const { return coarse.value() + fine.value() * 0x1p-62; }
};

/// Sums over the tetrahedra of some blocks, in units of the box.
struct SheetVolumes {
    VolumeSum with_sign, without;
};

/// Corners lie in host memory; `cells` are the coordinates of any grid of the box. Cost: O(cubes).
SheetVolumes volumes_of_blocks(const BlockCorners& corners, std::span<const Index> blocks,
                               const CellCoordinates& cells);

/// Sum of the signed volumes of all tetrahedra of host particles in units of the box: 1 when the sheet is
/// closed, as it is whenever nearest images are the right ones. `cells` may be the coordinates of any grid of
/// the box. Cost: O(N).
double signed_sheet_volume(const ConstParticlesView& particles, const Lattice& lattice,
                           const CellCoordinates& cells);

/// Mean number of streams in the whole periodic box, without sampling: the sum of the unsigned volumes of all
/// tetrahedra over the volume of the box, to 1e-15. Cost: O(N).
double mean_streams(const ConstParticlesView& particles, Box box, const Lattice& lattice);

}  // namespace aureole::density
