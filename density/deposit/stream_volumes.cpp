#include "density/deposit/stream_volumes.hpp"

#include <cmath>
#include <map>

#include "density/sheet/sheet_volume.hpp"
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
    AUREOLE_EXPECT(particles.where == Backend::cpu && box.periodic() && std::isfinite(box.side),
                   "streams are those of host particles in a periodic box; found {} and a side of {}",
                   name_of(particles.where), box.side);
    return unsigned_sheet_volume_cpu(particles, lattice, CellCoordinates(box_as_one_cell(box)));
}

}  // namespace aureole::density
