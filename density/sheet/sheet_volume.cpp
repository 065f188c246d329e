#include "density/sheet/sheet_volume.hpp"

#include <cmath>
#include <vector>

#include "density/sheet/tessellation.hpp"
#include "sim/core/error.hpp"

namespace aureole::density {
namespace {

/// The sum of term(v) over the tetrahedra of `n` blocks, where v is the signed volume in units of the box.
template <class BlockOf, class Term>
VolumeSum sum_of_volumes(const BlockCorners& corners, std::size_t n, BlockOf&& block_of,
                         const CellCoordinates& cells, Term&& term)
{
    const Vec3 period = cells.period();
    const double per_box = 1 / (period.x * period.y * period.z);
    VolumeSum volume;
#pragma omp parallel
    {
        VolumeSum own;
        std::vector<Vec3> position(corners_per_block);
#pragma omp for schedule(dynamic)
        for (std::size_t k = 0; k < n; ++k) {
            const BlockExtent extent = corners.blocks().extent(block_of(k));
            corners.positions(block_of(k), position.data());
            for_each_tetrahedron(position.data(), extent, cells,
                                 [&](const Tetrahedron& t) { own.add(term(t.signed_volume() * per_box)); });
        }
#pragma omp critical
        volume.add(own);
    }
    return volume;
}

template <class Term>
VolumeSum sum_of_all(const BlockCorners& corners, const CellCoordinates& cells, Term&& term)
{
    return sum_of_volumes(
        corners, corners.blocks().count(), [](std::size_t k) { return static_cast<Index>(k); }, cells, term);
}

}  // namespace

SheetVolumes volumes_of_blocks(const BlockCorners& corners, std::span<const Index> blocks,
                               const CellCoordinates& cells)
{
    const auto sum = [&](auto&& term) {
        return sum_of_volumes(
            corners, blocks.size(), [&](std::size_t k) { return blocks[k]; }, cells, term);
    };
    return {sum([](double volume) { return volume; }), sum([](double volume) { return std::fabs(volume); })};
}

double signed_sheet_volume(const ConstParticlesView& particles, const Lattice& lattice,
                           const CellCoordinates& cells)
{
    return sum_of_all({particles, lattice}, cells, [](double volume) { return volume; }).value();
}

double mean_streams(const ConstParticlesView& particles, Box box, const Lattice& lattice)
{
    AUREOLE_EXPECT(particles.where == Backend::cpu && box.periodic() && std::isfinite(box.side),
                   "the mean number of streams needs particles in host memory and a periodic box, found "
                   "particles on {} and a box of side {}",
                   name_of(particles.where), box.side);
    return sum_of_all({particles, lattice}, CellCoordinates(box_as_one_cell(box)),
                      [](double volume) { return std::fabs(volume); })
        .value();
}

}  // namespace aureole::density
