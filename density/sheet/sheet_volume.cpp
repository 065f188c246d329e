#include "density/sheet/sheet_volume.hpp"

#include <cmath>
#include <vector>

#include "density/sheet/tessellation.hpp"
#include "sim/core/error.hpp"

namespace aureole::density {
namespace {

/// The sum of term(v) over all tetrahedra, where v is the signed volume in units of the box.
template <class Term>
double sum_of_volumes(const ConstParticlesView& particles, const Lattice& lattice,
                      const CellCoordinates& cells, Term&& term)
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

double signed_sheet_volume(const ConstParticlesView& particles, const Lattice& lattice,
                           const CellCoordinates& cells)
{
    return sum_of_volumes(particles, lattice, cells, [](double volume) { return volume; });
}

double mean_streams(const ConstParticlesView& particles, Box box, const Lattice& lattice)
{
    AUREOLE_EXPECT(particles.where == Backend::cpu && box.periodic() && std::isfinite(box.side),
                   "the mean number of streams needs particles in host memory and a periodic box, found "
                   "particles on {} and a box of side {}",
                   name_of(particles.where), box.side);
    return sum_of_volumes(particles, lattice, CellCoordinates(box_as_one_cell(box)),
                          [](double volume) { return std::fabs(volume); });
}

}  // namespace aureole::density
