#include "density/octree/octree_deposit.hpp"

#include <algorithm>
#include <cmath>

#include "density/deposit/density_grid.hpp"
#include "density/octree/finished_leaves.hpp"
#include "density/octree/leaf_batch.hpp"
#include "density/sheet/sheet_volume.hpp"
#include "sim/core/error.hpp"

namespace aureole::density {
namespace {

/// Bytes of the sums of one leaf while it is deposited.
std::size_t leaf_bytes(const OctreePlan& plan)
{
    return plan.tree().cells_per_node() * plan.config.fields.bytes_per_cell();
}

/// Bytes of the lists of all leaves and of the largest batch, as LeafBatch holds them.
std::size_t list_bytes(const OctreePlan& plan)
{
    const std::vector<Index> leaves = leaves_depth_first(plan.tree());
    const std::size_t capacity = plan.leaves_per_batch();
    std::size_t most_tasks = 0;
    for (std::size_t begin = 0; begin < leaves.size(); begin += capacity) {
        std::size_t tasks = 0;
        for (std::size_t k = begin; k < std::min(begin + capacity, leaves.size()); ++k)
            tasks += plan.octree.blocks(leaves[k]).size();
        most_tasks = std::max(most_tasks, tasks);
    }
    return leaves.size() * sizeof(Index) + capacity * (sizeof(Grid) + sizeof(Patch)) +
           most_tasks * sizeof(TetrahedronTask);
}

void expect_cube(const Grid& root)
{
    const double size = root.axis[0].high - root.axis[0].low;
    AUREOLE_EXPECT(root.box.periodic() && std::isfinite(root.box.side),
                   "the box has the side {}, expected a periodic box with a finite side", root.box.side);
    for (const GridAxis& axis : root.axis) {
        const double side = axis.high - axis.low;
        if (!(side > 0) || !std::isfinite(side) || std::abs(side - size) > 1e-12 * size)
            throw ArgumentError(fmt::format(
                "density: the region is {} x {} x {}, expected a cube: an octree halves it along all "
                "axes",
                root.axis[0].high - root.axis[0].low, root.axis[1].high - root.axis[1].low,
                root.axis[2].high - root.axis[2].low));
        if (!(axis.low >= -root.box.side && axis.high <= 2 * root.box.side))
            throw ArgumentError(
                fmt::format("density: the region from {} to {} is far from the box of side {}, expected one "
                            "that is not farther than a side outside of it",
                            axis.low, axis.high, root.box.side));
        if (side > root.box.side)
            throw ArgumentError(
                fmt::format("density: the region from {} to {} is larger than the box of side {}", axis.low,
                            axis.high, root.box.side));
    }
}

}  // namespace

void expect_possible(const OctreeConfig& config)
{
    expect_cube(config.root);
    const std::int64_t cells = config.root.axis[0].cells;
    for (const GridAxis& axis : config.root.axis)
        if (axis.cells != cells || cells < 2 || cells > 1024 || cells % 2 != 0 || !axis.whole())
            throw ArgumentError(
                fmt::format("density: a patch of {} x {} x {} cells was asked for, expected the same even "
                            "number from 2 to 1024 along each axis",
                            config.root.axis[0].cells, config.root.axis[1].cells, config.root.axis[2].cells));
    // positions are kept to 2^-52 of the box: 2^-22 of such a cell
    constexpr double most = 1 << 30;
    const double finest =
        std::ldexp(static_cast<double>(cells), static_cast<int>(std::min<Index>(config.rules.levels, 1000)));
    if (!(finest * config.root.box.side <= most * (config.root.axis[0].high - config.root.axis[0].low)))
        throw ArgumentError(
            fmt::format("density: {} levels of patches of {} cells are too fine for double positions, "
                        "expected at most 2^30 of the smallest cells along the box",
                        config.rules.levels, cells));
}

Vec3 PatchFields::velocity(std::size_t cell) const
{
    return speed_unit * mean_velocity(sum(cell, 0), {sum(cell, 1), sum(cell, 2), sum(cell, 3)});
}

double PatchFields::dispersion(std::size_t cell) const
{
    return speed_unit *
           one_dimensional_dispersion(sum(cell, 0), {sum(cell, 1), sum(cell, 2), sum(cell, 3)}, sum(cell, 4));
}

std::size_t OctreePlan::leaves_per_batch() const
{
    const std::size_t fit = config.batch_bytes / leaf_bytes(*this);
    return std::clamp<std::size_t>(fit, 1, tree().n_leaves());
}

OctreePlan plan_octree(const ConstParticlesView& p, const OctreeConfig& config)
{
    AUREOLE_EXPECT(p.where == Backend::cpu, "an octree needs particles in host memory, found them on {}",
                   name_of(p.where));
    expect_possible(config);
    config.progress.at(0, "order of the lattice");
    OctreePlan plan{config, make_lattice(p, config.root.box, config.lattice), {}};
    plan.signed_volume = signed_sheet_volume(p, plan.lattice, CellCoordinates(config.root));
    plan.octree = build_octree(p, plan.lattice, config.root, config.rules, config.progress);
    return plan;
}

OctreeTotals deposit_octree(Exec exec, const ConstParticlesView& p, const OctreePlan& plan,
                            const PatchSink& sink)
{
    AUREOLE_EXPECT(p.where == Backend::cpu, "a deposit needs particles in host memory, found them on {}",
                   name_of(p.where));
    const double unit = plan.config.fields.moments() ? speed_unit(p) : 1;
    const std::vector<Index> leaves = leaves_depth_first(plan.tree());
    FinishedLeaves finished(plan, unit, sink);
    LeafBatch batch(exec, plan, unit);
    for (std::size_t begin = 0; begin < leaves.size(); begin += batch.capacity()) {
        const std::size_t count = std::min(batch.capacity(), leaves.size() - begin);
        const auto done = [&](std::size_t n) {
            return static_cast<double>(n) / static_cast<double>(leaves.size());
        };
        batch.deposit({p, plan.lattice}, {leaves.data() + begin, count},
                      plan.config.progress.part(done(begin), done(begin + count)));
        for (std::size_t k = 0; k < count; ++k)
            finished.take(leaves[begin + k], batch.sums(k), batch.streams(k));
    }
    return finished.totals();
}

OctreeMemory octree_memory(Backend backend, const OctreePlan& plan)
{
    const Octree& tree = plan.tree();
    const std::size_t node = sizeof(OctreeNode) + 4 * sizeof(Index) + sizeof(std::size_t);
    const std::size_t numbers =
        static_cast<std::size_t>(plan.config.fields.sums_per_cell()) + (plan.config.fields.streams ? 1 : 0);
    const std::size_t open_nodes = tree.n_levels() + 1;  // and the one that is read
    const std::size_t leaves = plan.leaves_per_batch();
    const bool moments = plan.config.fields.moments();
    return {.backend = backend,
            .order = 2 * sizeof(Index) * plan.lattice.particle.size(),
            .tree = tree.n_nodes() * node + plan.octree.block.size() * sizeof(Index),
            .batch = leaves * leaf_bytes(plan),
            .open = open_nodes * tree.cells_per_node() * numbers * sizeof(double),
            .lists = list_bytes(plan),
            .chunks = backend == Backend::cpu
                          ? 0
                          : tetrahedron_chunks_bytes(leaves, plan.octree.block.size(), moments),
            .building = plan.octree.building_bytes};
}

}  // namespace aureole::density
