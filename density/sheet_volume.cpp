#include "density/sheet_volume.hpp"

#include <vector>

#include "density/tessellation.hpp"

namespace aureole::density {

double sheet_volume_cpu(const ParticlesView& particles, const Lattice& lattice, const CellCoordinates& cells)
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
                                 [&](const Tetrahedron& t) { own.add(t.signed_volume() * per_box); });
        }
#pragma omp critical
        volume.add(own);
    }
    return volume.value();
}

}  // namespace aureole::density
