// Fields on an octree from particles: the entry point for adaptive cells. Leaves are deposited one batch at a
// time by the deposit of uniform grids, other nodes get sums and means of their children, and each finished
// patch of cells goes to a callback. Memory for cells is that of one batch, whatever the size of the tree.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>

#include "density/deposit/deposit.hpp"
#include "density/octree/octree_build.hpp"

namespace aureole::density {

struct OctreeConfig {
    Grid root;  ///< a cubic region with the cells of one patch: an even number along each axis
    RefinementRules rules;
    Fields fields;
    LatticeChoice lattice;
    Precision precision = Precision::double_precision;  ///< on a GPU
    bool shared = false;                                ///< on a GPU: as in DepositConfig
    std::size_t batch_bytes = std::size_t{256}
                              << 20;  ///< memory for the sums of a batch; at least one leaf is taken
    Progress progress{};              ///< of planning and depositing; may stop both
};

/// Lattice and tree, made before any cell is filled.
struct OctreePlan {
    OctreeConfig config;
    Lattice lattice;
    OctreeOfBlocks octree;
    double signed_volume = 0;  ///< sum over all tetrahedra in units of the box: 1 when the sheet is closed

    const Octree& tree() const { return octree.tree; }
    std::uint64_t tetrahedra() const { return lattice.cubes() * tetrahedra_per_cube; }
    std::size_t leaves_per_batch() const;
};

/// Fields of the cells of one node, z fastest, in the units of the particles.
class PatchFields {
public:
    Index node;
    double cell_volume, tetrahedron_mass, speed_unit;
    int n_sums;                       ///< of a cell: 1, or 5 with velocities
    std::span<const double> sums;     ///< of a cell one after the other; in units of tetrahedron_mass
    std::span<const double> streams;  ///< mean over the cells of leaves; empty without Fields::streams

    std::size_t n_cells() const { return sums.size() / static_cast<std::size_t>(n_sums); }
    double mass(std::size_t cell) const { return tetrahedron_mass * sum(cell, 0); }
    double density(std::size_t cell) const { return mass(cell) / cell_volume; }
    /// Velocity and dispersion as in density_grid.hpp; NaN without mass.
    Vec3 velocity(std::size_t cell) const;
    double dispersion(std::size_t cell) const;

private:
    double sum(std::size_t cell, std::size_t s) const
    {
        return sums[cell * static_cast<std::size_t>(n_sums) + s];
    }
};

using PatchSink = std::function<void(const PatchFields&)>;

/// Exact sums over the cells of all leaves, rounded once.
struct OctreeTotals {
    double mass = 0;
    Vec3 momentum;
};

/// Throws what plan_octree() throws for a root, patches or levels that cannot be.
void expect_possible(const OctreeConfig& config);

/// Makes lattice and tree. Throws aureole::Error as deposit() does, for roots that are no cube, patches with
/// an odd number of cells, and trees that are too deep or too large. Cost: O(cubes of the blocks of all
/// nodes).
OctreePlan plan_octree(const ConstParticlesView& particles, const OctreeConfig& config);

/// Fills all nodes and calls `sink` once for each, children before their parent, on the calling thread. Bits
/// are the same for any number of threads and any batch_bytes. Throws Stopped when the plan's progress asks
/// for it.
OctreeTotals deposit_octree(Exec exec, const ConstParticlesView& particles, const OctreePlan& plan,
                            const PatchSink& sink);

/// Memory of a deposit beside the particles, bytes.
struct OctreeMemory {
    Backend backend;
    std::size_t order;     ///< of the particles in the lattice while it is made
    std::size_t tree;      ///< nodes, and the blocks of the leaves
    std::size_t batch;     ///< of leaves, on the device and on the host
    std::size_t open;      ///< of nodes above the leaves that are not complete
    std::size_t lists;     ///< of leaves, and of the patches and tasks of a batch
    std::size_t chunks;    ///< of the lattice on their way to the device, on both; 0 on the CPU
    std::size_t building;  ///< temporary memory of the build, before the deposit begins

    std::size_t in_flight() const { return batch + open + lists + chunks; }
    std::size_t host() const { return order + tree + std::max(building, in_flight()); }
    std::size_t device() const { return backend == Backend::cpu ? 0 : batch + chunks; }
};

OctreeMemory octree_memory(Backend backend, const OctreePlan& plan);

}  // namespace aureole::density
