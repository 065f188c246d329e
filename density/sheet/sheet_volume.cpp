#include "density/sheet/sheet_volume.hpp"

#include <cmath>
#include <vector>

#include "density/sheet/tessellation.hpp"

namespace aureole::density {
namespace {

/// The sum of term(signed volume in boxes) over all tetrahedra.
template <class Term>
double sum_of_volumes(const ParticlesView& particles, const Lattice& lattice, const CellCoordinates& cells,
                      Term&& term)
{
    const LatticeBlocks blocks{lattice.side};
    const Vec3 period = cells.period();
    const double per_box = 1 / (period.x * period.y * period.z);
    VolumeSum volume;
#pragma omp parallel
    {
        VolumeSum own;
        std::vector<Vec3> position(corners_per_block);
#pragma omp for schedule(dynamic)
        for (Index block = 0; block < blocks.count(); ++block) {
            const BlockExtent extent = blocks.extent(block);
            gather_corners(lattice.view(), extent, particles.position, position.data());
            for_each_tetrahedron(position.data(), extent, cells,
                                 [&](const Tetrahedron& t) { own.add(term(t.signed_volume() * per_box)); });
        }
#pragma omp critical
        volume.add(own);
    }
    return volume.value();
}

}  // namespace

double sheet_volume_cpu(const ParticlesView& particles, const Lattice& lattice, const CellCoordinates& cells)
{
    return sum_of_volumes(particles, lattice, cells, [](double volume) { return volume; });
}

double unsigned_sheet_volume_cpu(const ParticlesView& particles, const Lattice& lattice,
                                 const CellCoordinates& cells)
{
    return sum_of_volumes(particles, lattice, cells, [](double volume) { return std::fabs(volume); });
}

}  // namespace aureole::density
