// Volumes of the whole sheet. The signed one is that of the box when the sheet is closed, so that nearest
// images were the right ones; that of all tetrahedra, whatever their orientation, is the mean number of
// streams. O(N).
#pragma once

#include "density/fixed_sums.hpp"
#include "density/grid.hpp"
#include "density/sheet/lattice.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::density {

/// A sum of fractions of the box in two fixed-point numbers, the second 2^62 times as fine: a tetrahedron is
/// a small part of a large box.
struct VolumeSum {
    FixedSum coarse{}, fine{};

    void add(double fraction)
    {
        const std::int64_t whole = to_fixed(fraction);
        density::atomic_add(&coarse, whole);
        density::atomic_add(&fine, to_fixed(fraction * 0x1p62 - static_cast<double>(whole)));
    }
    void add(const VolumeSum& other)
    {
        density::add(coarse, other.coarse);
        density::add(fine, other.fine);
    }
    double value() const { return coarse.value() + fine.value() * 0x1p-62; }
};

/// The signed volumes of all tetrahedra, in boxes: 1 when the sheet is closed. `cells` are any of the box.
double sheet_volume_cpu(const ParticlesView& particles, const Lattice& lattice, const CellCoordinates& cells);

/// The same without signs.
double unsigned_sheet_volume_cpu(const ParticlesView& particles, const Lattice& lattice,
                                 const CellCoordinates& cells);

}  // namespace aureole::density
