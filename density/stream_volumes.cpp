#include "density/stream_volumes.hpp"

#include <cmath>
#include <map>

#include "density/tessellation.hpp"
#include "sim/core/error.hpp"

namespace aureole::density {

std::vector<StreamVolume> stream_volumes(const DensityGrid& grid)
{
    AUREOLE_EXPECT(grid.fields().streams, "the streams of a grid that knows none");
    std::map<Index, std::uint64_t> cells_with;
    for (std::int64_t cell = 0; cell < grid.grid().n_cells(); ++cell) ++cells_with[grid.streams(cell)];
    std::vector<StreamVolume> volumes;
    for (const auto& [streams, cells] : cells_with)
        volumes.push_back({streams, static_cast<double>(cells) / static_cast<double>(grid.grid().n_cells())});
    return volumes;
}

double mean_streams(const ParticlesView& particles, Box box, const Lattice& lattice)
{
    AUREOLE_EXPECT(particles.where == Backend::cpu && box.periodic(),
                   "streams are those of host particles in a periodic box; found {} and a side of {}",
                   name_of(particles.where), box.side);
    const CellCoordinates cells(box_as_one_cell(box));
    const LatticeBlocks blocks{lattice.side};
    FixedSum boxes{};
#pragma omp parallel
    {
        FixedSum own{};
        std::vector<Vec3> position(corners_per_block);
#pragma omp for schedule(dynamic)
        for (Index block = 0; block < blocks.count(); ++block) {
            const BlockExtent extent = blocks.extent(block);
            gather_corners(lattice.view(), extent, particles.position, position.data());
            for_each_tetrahedron(position.data(), extent, cells, [&](const Tetrahedron& t) {
                density::atomic_add(&own, to_fixed(std::fabs(t.signed_volume())));
            });
        }
#pragma omp critical
        add(boxes, own);
    }
    return boxes.value();
}

}  // namespace aureole::density
