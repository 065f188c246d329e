// Threads take small runs of lattice cubes; sums in the grid are atomic and exact, so it does not matter
// which.
#include <algorithm>
#include <vector>

#include "density/deposit_element.hpp"
#include "density/deposit_twins.hpp"

namespace aureole::density {
namespace {

constexpr std::uint64_t cubes_between_reports = 1 << 15;

/// What a thread needs for one tetrahedron after the other.
template <int carried>
class ElementDeposit {
public:
    ElementDeposit(const GridSums& to, const CellCoordinates& cells, Index* streams)
        : to_(to), cells_(cells), streams_(streams)
    {
    }

    void operator()(const Tetrahedron& first, const Piece<carried>& whole)
    {
        for_each_image(to_.grid, cells_.period(), [&](Vec3 shift) {
            Tetrahedron t = first;
            for (Vec3& corner : t.corner) corner = corner + shift;
            const std::size_t needed = overlap_scratch<carried>(bounding_cells(t));
            if (scratch_.size() < needed) scratch_.resize(needed);
            deposit_image(t, whole, to_, scratch_.data());
            if (streams_) count_image(t, to_, cells_.quantum(), streams_);
        });
    }

private:
    GridSums to_;
    const CellCoordinates& cells_;
    Index* streams_;
    std::vector<double> scratch_;
};

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

/// Returns the sum of all signed volumes in boxes.
template <int carried>
double deposit_all(const ParticlesView& p, const Lattice& lattice, const DepositConfig& config,
                   double speed_scale, DensityGrid& grid)
{
    const CellCoordinates cells(config.grid);
    const GridSums to{config.grid, grid.sums()};
    const LatticeView view = lattice.view();
    const Vec3 period = cells.period();
    const double per_box = 1 / (period.x * period.y * period.z);
    Index* const streams = config.fields.streams ? grid.stream_counts() : nullptr;
    VolumeSum volume;
    for (std::uint64_t begin = 0; begin < lattice.cubes(); begin += cubes_between_reports) {
        const std::uint64_t end = std::min(begin + cubes_between_reports, lattice.cubes());
#pragma omp parallel
        {
            ElementDeposit<carried> deposit_one(to, cells, streams);
            VolumeSum own;
#pragma omp for schedule(dynamic, 32)
            for (std::uint64_t c = begin; c < end; ++c) {
                const LatticeCube cube = lattice_cube(view, p, cells, c);
                for (int t = 0; t < tetrahedra_per_cube; ++t) {
                    const Tetrahedron tetrahedron = cube.tetrahedron(t);
                    if constexpr (carried > 0)
                        deposit_one(tetrahedron,
                                    whole_piece(tetrahedron, cube.velocities(p, t, speed_scale)));
                    else
                        deposit_one(tetrahedron, whole_piece(tetrahedron));
                    own.add(tetrahedron.signed_volume() * per_box);
                }
            }
#pragma omp critical
            volume.add(own);
        }
        if (config.progress) config.progress(static_cast<double>(end) / static_cast<double>(lattice.cubes()));
    }
    return volume.value();
}

}  // namespace

void deposit_elements_cpu(const ParticlesView& p, const Lattice& lattice, const DepositConfig& config,
                          double speed_scale, DensityGrid& grid)
{
    grid.signed_volume = config.fields.moments() ? deposit_all<3>(p, lattice, config, speed_scale, grid)
                                                 : deposit_all<0>(p, lattice, config, speed_scale, grid);
}

}  // namespace aureole::density
