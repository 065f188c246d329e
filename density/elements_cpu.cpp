// Threads take blocks of the lattice; sums in the grid are atomic and exact, so it does not matter which.
#include <algorithm>
#include <vector>

#include "density/element_tasks.hpp"

namespace aureole::density {
namespace {

constexpr std::size_t tasks_between_reports = 1 << 10;

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

/// What a thread needs for one block after the other.
template <int carried>
class BlockDeposit {
public:
    BlockDeposit(const ParticlesView& particles, const Lattice& lattice, double speed_scale)
        : particles_(particles),
          lattice_(lattice.view()),
          speed_scale_(speed_scale),
          position_(corners_per_block),
          velocity_(carried > 0 ? corners_per_block : 0)
    {
    }

    void operator()(Index block, const Patch& patch)
    {
        const BlockExtent extent = LatticeBlocks{lattice_.side}.extent(block);
        gather_corners(lattice_, extent, particles_.position, position_.data());
        if constexpr (carried > 0) gather_corners(lattice_, extent, particles_.velocity, velocity_.data());
        const CellCoordinates cells(patch.sums.grid);
        const Vec3 period = cells.period();
        per_box_ = 1 / (period.x * period.y * period.z);
        for (Index i = 0; i < extent.cubes[0]; ++i)
            for (Index j = 0; j < extent.cubes[1]; ++j)
                for (Index k = 0; k < extent.cubes[2]; ++k)
                    deposit_cube(lattice_cube(position_.data(), cells, i, j, k), cells, patch);
    }

    const VolumeSum& volume() const { return volume_; }

private:
    void deposit_cube(const LatticeCube& cube, const CellCoordinates& cells, const Patch& patch)
    {
        for (int t = 0; t < tetrahedra_per_cube; ++t) {
            const Tetrahedron tetrahedron = cube.tetrahedron(t);
            volume_.add(tetrahedron.signed_volume() * per_box_);
            if constexpr (carried > 0)
                deposit_one(tetrahedron,
                            whole_piece(tetrahedron, cube.velocities(velocity_.data(), t, speed_scale_)),
                            cells, patch);
            else
                deposit_one(tetrahedron, whole_piece(tetrahedron), cells, patch);
        }
    }

    void deposit_one(const Tetrahedron& first, const Piece<carried>& whole, const CellCoordinates& cells,
                     const Patch& patch)
    {
        for_each_image(patch.sums.grid, cells.period(), [&](Vec3 shift) {
            Tetrahedron t = first;
            for (Vec3& corner : t.corner) corner = corner + shift;
            const std::size_t needed = overlap_scratch<carried>(bounding_cells(t));
            if (scratch_.size() < needed) scratch_.resize(needed);
            deposit_image(t, whole, patch.sums, scratch_.data());
            if (patch.streams) count_image(t, patch.sums, cells.quantum(), patch.streams);
        });
    }

    const ParticlesView& particles_;
    LatticeView lattice_;
    double speed_scale_, per_box_ = 0;
    VolumeSum volume_;
    std::vector<Vec3> position_, velocity_;
    std::vector<double> scratch_;
};

template <int carried>
double deposit_all(const ParticlesView& particles, const Lattice& lattice, const ElementWork& work)
{
    VolumeSum volume;
    for (std::size_t begin = 0; begin < work.tasks.size(); begin += tasks_between_reports) {
        const std::size_t end = std::min(begin + tasks_between_reports, work.tasks.size());
#pragma omp parallel
        {
            BlockDeposit<carried> deposit_block(particles, lattice, work.speed_scale);
#pragma omp for schedule(dynamic)
            for (std::size_t task = begin; task < end; ++task)
                deposit_block(work.tasks[task].block, work.patches[work.tasks[task].patch]);
#pragma omp critical
            volume.add(deposit_block.volume());
        }
        if (work.progress) work.progress(static_cast<double>(end) / static_cast<double>(work.tasks.size()));
    }
    return volume.value();
}

}  // namespace

double deposit_tasks_cpu(const ParticlesView& particles, const Lattice& lattice, const ElementWork& work)
{
    return work.moments ? deposit_all<3>(particles, lattice, work) : deposit_all<0>(particles, lattice, work);
}

double deposit_tasks(Exec exec, const ParticlesView& particles, const Lattice& lattice,
                     const ElementWork& work)
{
    AUREOLE_EXPECT(particles.where == Backend::cpu,
                   "tetrahedra are gathered in host memory, found particles on {}", name_of(particles.where));
    if (exec.backend == Backend::cpu) return deposit_tasks_cpu(particles, lattice, work);
    return deposit_tasks_cuda(particles, lattice, work);
}

}  // namespace aureole::density
