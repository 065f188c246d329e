// The door for octrees: particles in, the fields of one patch of cells after the other out. Leaves are
// deposited a batch at a time by the kernel of uniform grids; other nodes get sums and means of their
// children. Memory for cells is that of one batch, however large the tree.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>

#include "density/deposit/deposit.hpp"
#include "density/octree/octree_build.hpp"

namespace aureole::density {

struct OctreeConfig {
    Grid root;  ///< a cube of the box, the cells of a patch along each axis: an even number
    RefinementRules rules;
    Fields fields;
    LatticeChoice lattice;
    Precision precision = Precision::double_precision;  ///< on a GPU
    bool shared = false;                                ///< on a GPU: as in DepositConfig
    std::size_t batch_bytes = std::size_t{256} << 20;   ///< for sums of leaves in flight; at least one leaf
    std::function<void(double)>
        progress{};  ///< is told the fraction done, now and then, by the calling thread
};

/// What is known before a cell is filled.
struct OctreePlan {
    OctreeConfig config;
    Lattice lattice;
    OctreeOfBlocks octree;
    double signed_volume = 0;  ///< of all tetrahedra, in boxes: 1 when the sheet is closed

    const Octree& tree() const { return octree.tree; }
    std::uint64_t elements() const { return lattice.cubes() * tetrahedra_per_cube; }
    std::size_t leaves_per_batch() const;
};

/// Fields of one node's cells, z running fastest, in the units of the particles.
class PatchFields {
public:
    Index node;
    double cell_volume, element_mass, speed_unit;
    int n_sums;                       ///< of a cell: 1, or 5 with velocities
    std::span<const double> sums;     ///< of a cell one after the other; mass in those of elements
    std::span<const double> streams;  ///< mean over the leaves' cells; empty where they were not asked for

    std::size_t n_cells() const { return sums.size() / static_cast<std::size_t>(n_sums); }
    double mass(std::size_t cell) const { return element_mass * sum(cell, 0); }
    double density(std::size_t cell) const { return mass(cell) / cell_volume; }
    /// NaN where there is no mass; as is the dispersion, which is that of deposit.hpp.
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

/// Lattice and tree. Throws aureole::Error as deposit() does, and for roots that are no cube, patches of an
/// odd number of cells, trees too deep or too large. O(cubes of the blocks of all nodes).
OctreePlan plan_octree(const ParticlesView& particles, const OctreeConfig& config);

/// Fills all nodes and hands each to `sink` once, children before their parent, by the calling thread. The
/// bits are the same for any number of threads and any batch_bytes.
OctreeTotals deposit_octree(Exec exec, const ParticlesView& particles, const OctreePlan& plan,
                            const PatchSink& sink);

/// Beyond the particles, bytes.
struct OctreeMemory {
    Backend backend;
    std::size_t order;     ///< of the lattice, while it is made
    std::size_t tree;      ///< nodes, and the blocks of the leaves
    std::size_t batch;     ///< of leaves, on the device and on the host
    std::size_t open;      ///< nodes above the leaves in flight
    std::size_t lists;     ///< of leaves, and of the patches and tasks of a batch
    std::size_t chunks;    ///< on their way to the device, there and on the host; 0 where there is none
    std::size_t building;  ///< what making the tree took beside it, before anything was in flight

    std::size_t in_flight() const { return batch + open + lists + chunks; }
    std::size_t host() const { return order + tree + std::max(building, in_flight()); }
    std::size_t device() const { return backend == Backend::cpu ? 0 : batch + chunks; }
};

OctreeMemory octree_memory(Backend backend, const OctreePlan& plan);

}  // namespace aureole::density
