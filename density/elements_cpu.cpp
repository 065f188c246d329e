// Threads take blocks of the lattice; sums in the grid are atomic and exact, so it does not matter which.
#include <algorithm>
#include <vector>

#include "density/element_tasks.hpp"

namespace aureole::density {
namespace {

constexpr std::size_t tasks_between_reports = 1 << 10;

/// What a thread needs for one block after the other.
template <int carried>
class BlockDeposit {
public:
    BlockDeposit(const ParticlesView& particles, const Lattice& lattice, double speed_scale)
        : particles_(particles),
          lattice_(lattice.view()),
          speed_scale_(speed_scale),
          position_(corners_per_block),
          in_cells_(corners_per_block),
          velocity_(carried > 0 ? corners_per_block : 0)
    {
    }

    void operator()(Index block, const Patch& patch)
    {
        const BlockExtent extent = LatticeBlocks{lattice_.side}.extent(block);
        if (block != gathered_) gather(block, extent);
        const CellCoordinates cells(patch.sums.grid);
        for_each_corner(extent, [&](Index c) { in_cells_[c] = cells.of(position_[c]); });
        const auto in_cells = [&](Index c) { return in_cells_[c]; };
        for (Index i = 0; i < extent.cubes[0]; ++i)
            for (Index j = 0; j < extent.cubes[1]; ++j)
                for (Index k = 0; k < extent.cubes[2]; ++k)
                    deposit_cube(joined_cube(in_cells, cells, i, j, k), cells, patch);
    }

private:
    template <class Body>
    static void for_each_corner(const BlockExtent& extent, Body&& body)
    {
        for (Index i = 0; i <= extent.cubes[0]; ++i)
            for (Index j = 0; j <= extent.cubes[1]; ++j)
                for (Index k = 0; k <= extent.cubes[2]; ++k) body(block_corner(i, j, k));
    }

    /// Patches that a block reaches into often follow each other.
    void gather(Index block, const BlockExtent& extent)
    {
        gather_corners(lattice_, extent, particles_.position, position_.data());
        if constexpr (carried > 0) gather_corners(lattice_, extent, particles_.velocity, velocity_.data());
        gathered_ = block;
    }

    void deposit_cube(const LatticeCube& cube, const CellCoordinates& cells, const Patch& patch)
    {
        if (!CornerExtent(cube.corner, 8).reaches(patch.sums.grid, cells.period())) return;
        for (int t = 0; t < tetrahedra_per_cube; ++t) deposit_first(cube, t, cells, patch);
    }

    void deposit_first(const LatticeCube& cube, int t, const CellCoordinates& cells, const Patch& patch)
    {
        const Tetrahedron tetrahedron = cube.tetrahedron(t);
        if constexpr (carried > 0)
            deposit_one(tetrahedron,
                        whole_piece(tetrahedron, cube.velocities(velocity_.data(), t, speed_scale_)), cells,
                        patch);
        else
            deposit_one(tetrahedron, whole_piece(tetrahedron), cells, patch);
    }

    void deposit_one(const Tetrahedron& first, const Piece<carried>& whole, const CellCoordinates& cells,
                     const Patch& patch)
    {
        for_each_image(patch.sums.grid, cells.period(), first, [&](Vec3 shift) {
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
    double speed_scale_;
    Index gathered_ = 0xffffffffu;  ///< the block whose corners are held; none at first
    std::vector<Vec3> position_, in_cells_, velocity_;
    std::vector<double> scratch_;
};

template <int carried>
void deposit_all(const ParticlesView& particles, const Lattice& lattice, const ElementWork& work)
{
    for (std::size_t begin = 0; begin < work.tasks.size(); begin += tasks_between_reports) {
        const std::size_t end = std::min(begin + tasks_between_reports, work.tasks.size());
#pragma omp parallel
        {
            BlockDeposit<carried> deposit_block(particles, lattice, work.speed_scale);
#pragma omp for schedule(dynamic)
            for (std::size_t task = begin; task < end; ++task)
                deposit_block(work.tasks[task].block, work.patches[work.tasks[task].patch]);
        }
        if (work.progress) work.progress(static_cast<double>(end) / static_cast<double>(work.tasks.size()));
    }
}

}  // namespace

void deposit_tasks_cpu(const ParticlesView& particles, const Lattice& lattice, const ElementWork& work)
{
    work.moments ? deposit_all<3>(particles, lattice, work) : deposit_all<0>(particles, lattice, work);
}

}  // namespace aureole::density
