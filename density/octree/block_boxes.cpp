#include "density/octree/block_boxes.hpp"

#include <algorithm>
#include <cmath>

#include "density/deposit/deposit_tetrahedron.hpp"

namespace aureole::density {

PeriodicInterval PeriodicInterval::of(double low, double high, double period)
{
    if (!(high - low < period)) return {0, period};
    const double shift = low < 0 ? period : low >= period ? -period : 0;
    return {low + shift, high + shift};
}

CubeBoxes::CubeBoxes(const ConstParticlesView& particles, const Lattice& lattice,
                     const CellCoordinates& cells)
    : particles_(particles), lattice_(lattice.view()), cells_(cells), corners_(corners_per_block)
{
}

std::span<const PeriodicBox> CubeBoxes::of(Index block)
{
    const BlockExtent extent = LatticeBlocks{lattice_.side}.extent(block);
    gather_corners(lattice_, extent, particles_.position, corners_.data());
    for (Index i = 0; i <= extent.cubes[0]; ++i)
        for (Index j = 0; j <= extent.cubes[1]; ++j)
            for (Index k = 0; k <= extent.cubes[2]; ++k) {
                Vec3& corner = corners_[block_corner(i, j, k)];
                corner = cells_.of(corner);
            }
    const auto in_cells = [&](Index c) { return corners_[c]; };
    const Vec3 period = cells_.period();
    boxes_.clear();
    for (Index i = 0; i < extent.cubes[0]; ++i)
        for (Index j = 0; j < extent.cubes[1]; ++j)
            for (Index k = 0; k < extent.cubes[2]; ++k) {
                const CornerExtent cube(joined_cube(in_cells, cells_, i, j, k).corner, 8);
                PeriodicBox box;
                for (int a = 0; a < 3; ++a)
                    box.axis[a] = PeriodicInterval::of(component(cube.low, a), component(cube.high, a),
                                                       component(period, a));
                boxes_.push_back(box);
            }
    return boxes_;
}

namespace {

/// Grown to hold one more, at the image nearest to what there is; stays below two periods.
void include(PeriodicInterval& all, const PeriodicInterval& one, double period)
{
    if (all.high - all.low >= period) return;
    const double apart = ((one.low + one.high) - (all.low + all.high)) / 2;
    const double shift = -std::rint(apart / period) * period;
    all.low = std::min(all.low, one.low + shift);
    all.high = std::max(all.high, one.high + shift);
}

}  // namespace

PeriodicBox CubeBoxes::around(Index block)
{
    const std::span<const PeriodicBox> cubes = of(block);
    PeriodicBox box = cubes.front();
    for (int a = 0; a < 3; ++a) {
        const double period = component(cells_.period(), a);
        for (const PeriodicBox& cube : cubes) include(box.axis[a], cube.axis[a], period);
        box.axis[a] = PeriodicInterval::of(box.axis[a].low, box.axis[a].high, period);
    }
    return box;
}

std::vector<PeriodicBox> block_boxes(const ConstParticlesView& particles, const Lattice& lattice,
                                     const CellCoordinates& cells)
{
    std::vector<PeriodicBox> boxes(LatticeBlocks{lattice.side}.count());
#pragma omp parallel
    {
        CubeBoxes cubes(particles, lattice, cells);
#pragma omp for schedule(dynamic)
        for (std::size_t block = 0; block < boxes.size(); ++block)
            boxes[block] = cubes.around(static_cast<Index>(block));
    }
    return boxes;
}

}  // namespace aureole::density
