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
            for (Index i = 0; i < extent.cubes[0]; ++i)
                for (Index j = 0; j < extent.cubes[1]; ++j)
                    for (Index k = 0; k < extent.cubes[2]; ++k) {
                        const LatticeCube cube = lattice_cube(position.data(), cells, i, j, k);
                        for (int t = 0; t < tetrahedra_per_cube; ++t)
                            own.add(cube.tetrahedron(t).signed_volume() * per_box);
                    }
        }
#pragma omp critical
        volume.add(own);
    }
    return volume.value();
}

}  // namespace aureole::density
