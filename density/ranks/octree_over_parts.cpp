#include "density/ranks/octree_over_parts.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "density/octree/finished_leaves.hpp"
#include "density/octree/leaf_batch.hpp"
#include "density/ranks/deposit_by_space.hpp"
#include "sim/core/device.hpp"
#include "sim/core/error.hpp"

namespace aureole::density {
namespace {

using comm::Parts;

template <class T>
void append(Parts::Box& to, std::span<const T> values)
{
    const auto bytes = std::as_bytes(values);
    to.insert(to.end(), bytes.begin(), bytes.end());
}

/// The same tree at all parts, each with its own blocks in the leaves, and the tetrahedra of all blocks in
/// each node.
struct BuiltTrees {
    std::vector<OctreeOfBlocks> held;
    std::vector<std::uint64_t> tetrahedra;
};

BuiltTrees build(Parts& parts, const SheetOverParts& sheet, const OctreeConfig& config)
{
    std::vector<OctreeBuilder> builders;
    parts.agreed_phase([&](int, int k) {
        const PartBlocks& own = sheet.held[static_cast<std::size_t>(k)];
        builders.emplace_back(own.corners(), own.block, config.root, config.rules);
    });
    BuiltTrees built;
    while (builders[0].has_level()) {
        std::vector<std::vector<std::uint64_t>> counted;
        parts.agreed_phase([&](int, int k) {
            config.progress.at(0, "levels of the octree");
            counted.push_back(builders[static_cast<std::size_t>(k)].count());
        });
        const std::vector<std::uint64_t> all = parts.all_reduce(counted, comm::Reduction::sum);
        parts.agreed_phase([&](int, int k) { builders[static_cast<std::size_t>(k)].refine(all); });
        built.tetrahedra.insert(built.tetrahedra.end(), all.begin(), all.end());
    }
    for (OctreeBuilder& builder : builders) built.held.push_back(builder.take());
    return built;
}

std::vector<LeafRun> runs_of_leaves(const std::vector<Index>& leaves, const BuiltTrees& built,
                                    std::size_t parts)
{
    constexpr std::uint64_t of_leaf = 64;  // tetrahedra that take as long as a leaf without any
    std::vector<std::uint64_t> work;
    for (const Index leaf : leaves) work.push_back(of_leaf + built.tetrahedra[leaf]);
    const std::vector<std::size_t> cuts = even_cuts(work, parts);
    std::vector<LeafRun> runs;
    for (std::size_t part = 0; part < parts; ++part) runs.push_back({cuts[part], cuts[part + 1]});
    return runs;
}

/// Of each leaf of a run how many blocks, then the blocks of all of them.
Parts::Box packed_lists(const OctreeOfBlocks& from, std::span<const Index> leaves)
{
    Parts::Box box;
    for (const Index leaf : leaves) {
        const auto n = static_cast<Index>(from.blocks(leaf).size());
        append(box, std::span(&n, 1));
    }
    for (const Index leaf : leaves) append(box, from.blocks(leaf));
    return box;
}

/// The blocks of all parts in the leaves of one run.
void take_lists(OctreeOfBlocks& tree, std::span<const Index> leaves, const std::vector<Parts::Box>& boxes)
{
    std::vector<std::vector<Index>> of_leaf(leaves.size());
    for (const Parts::Box& box : boxes) {
        std::vector<Index> numbers(box.size() / sizeof(Index));
        if (!box.empty()) std::memcpy(numbers.data(), box.data(), box.size());
        std::size_t at = leaves.size();
        for (std::size_t k = 0; k < leaves.size(); ++k) {
            const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(at);
            of_leaf[k].insert(of_leaf[k].end(), begin, begin + numbers[k]);
            at += numbers[k];
        }
    }
    tree.first.assign(tree.tree.n_nodes() + std::size_t{1}, 0);
    for (std::size_t k = 0; k < leaves.size(); ++k)
        tree.first[leaves[k] + std::size_t{1}] = of_leaf[k].size();
    for (std::size_t node = 0; node + 1 < tree.first.size(); ++node) tree.first[node + 1] += tree.first[node];
    tree.block.resize(tree.first.back());
    for (std::size_t k = 0; k < leaves.size(); ++k) {
        std::ranges::sort(of_leaf[k]);
        std::ranges::copy(of_leaf[k],
                          tree.block.begin() + static_cast<std::ptrdiff_t>(tree.first[leaves[k]]));
    }
}

std::vector<Index> blocks_of(const OctreeOfBlocks& tree, std::span<const Index> leaves)
{
    std::vector<Index> blocks;
    for (const Index leaf : leaves)
        blocks.insert(blocks.end(), tree.blocks(leaf).begin(), tree.blocks(leaf).end());
    std::ranges::sort(blocks);
    const auto rest = std::ranges::unique(blocks);
    blocks.erase(rest.begin(), rest.end());
    return blocks;
}

std::span<const Index> leaves_of(const std::vector<Index>& leaves, LeafRun run)
{
    return std::span(leaves).subspan(run.begin, run.end - run.begin);
}

Lattice without_particles(const Lattice& from)
{
    Lattice lattice;
    lattice.side = from.side;
    lattice.axes = from.axes;
    lattice.first_id = from.first_id;
    lattice.tetrahedron_mass = from.tetrahedron_mass;
    lattice.particle_mass = from.particle_mass;
    return lattice;
}

/// The sums of a batch of leaves on their way: sums of all of them, then stream counts of all of them.
class BatchBox {
public:
    explicit BatchBox(const OctreePlan& plan)
        : n_sums_(plan.tree().cells_per_node() *
                  static_cast<std::size_t>(plan.config.fields.sums_per_cell())),
          n_streams_(plan.config.fields.streams ? plan.tree().cells_per_node() : 0)
    {
    }

    Parts::Box packed(const LeafBatch& batch, std::size_t leaves) const
    {
        Parts::Box box(leaves * (n_sums_ * sizeof(FixedSum) + n_streams_ * sizeof(Index)));
        for (std::size_t k = 0; k < leaves; ++k) {
            std::memcpy(box.data() + k * n_sums_ * sizeof(FixedSum), batch.sums(k),
                        n_sums_ * sizeof(FixedSum));
            if (n_streams_ > 0)
                std::memcpy(box.data() + leaves * n_sums_ * sizeof(FixedSum) + k * n_streams_ * sizeof(Index),
                            batch.streams(k), n_streams_ * sizeof(Index));
        }
        return box;
    }
    const FixedSum* sums(const Parts::Box& box, std::size_t k) const
    {
        return reinterpret_cast<const FixedSum*>(box.data()) + k * n_sums_;
    }
    const Index* streams(const Parts::Box& box, std::size_t leaves, std::size_t k) const
    {
        if (n_streams_ == 0) return nullptr;
        return reinterpret_cast<const Index*>(box.data() + leaves * n_sums_ * sizeof(FixedSum)) +
               k * n_streams_;
    }

private:
    std::size_t n_sums_, n_streams_;
};

/// The leaves of a run that are in batch `round` of `capacity` leaves.
LeafRun batch_of(LeafRun run, std::size_t round, std::size_t capacity)
{
    const std::size_t begin = std::min(run.end, run.begin + round * capacity);
    return {begin, std::min(run.end, begin + capacity)};
}

}  // namespace

OctreeOverParts plan_octree_over_parts(Parts& parts, std::span<const ConstParticlesView> shares,
                                       const OctreeConfig& config)
{
    parts.common_check([&] { expect_possible(config); });
    const bool moments = config.fields.moments();
    const auto n_parts = static_cast<std::size_t>(parts.size());
    OctreeOverParts result;
    result.sheet = share_sheet(parts, shares, config.root.box, config.lattice, moments);
    const double volume =
        volumes_over_parts(parts, result.sheet, CellCoordinates(config.root)).with_sign.value();
    BuiltTrees built = build(parts, result.sheet, config);
    const std::vector<Index> leaves = leaves_depth_first(built.held[0].tree);
    result.runs = runs_of_leaves(leaves, built, n_parts);

    Parts::Boxes lists = parts.boxes();
    BlocksToParts wanted(built.held.size());
    parts.agreed_phase([&](int, int k) {
        const auto own = static_cast<std::size_t>(k);
        for (std::size_t part = 0; part < n_parts; ++part) {
            lists[own][part] = packed_lists(built.held[own], leaves_of(leaves, result.runs[part]));
            wanted[own].push_back(blocks_of(built.held[own], leaves_of(leaves, result.runs[part])));
        }
    });
    const Parts::Boxes in = parts.exchange(std::move(lists));
    result.blocks = send_blocks(parts, result.sheet.held, wanted, moments);
    parts.agreed_phase([&](int part, int k) {
        const auto own = static_cast<std::size_t>(k);
        take_lists(built.held[own], leaves_of(leaves, result.runs[static_cast<std::size_t>(part)]), in[own]);
        OctreePlan plan{config, without_particles(result.sheet.lattice), std::move(built.held[own]), volume};
        plan.config.batch_bytes = config.batch_bytes / n_parts;
        result.plans.push_back(std::move(plan));
    });
    return result;
}

OctreeTotals deposit_octree_over_parts(Exec exec, Parts& parts, const OctreeOverParts& octree,
                                       const PatchSink& sink)
{
    const OctreePlan& plan = octree.plans[0];
    const std::vector<Index> leaves = leaves_depth_first(plan.tree());
    const std::size_t capacity = plan.leaves_per_batch();
    std::size_t rounds = 0;
    for (const LeafRun run : octree.runs)
        rounds = std::max(rounds, (run.end - run.begin + capacity - 1) / capacity);
    const BatchBox boxes(plan);
    std::vector<std::unique_ptr<LeafBatch>> batches;
    std::optional<FinishedLeaves> finished;
    parts.agreed_phase([&](int part, int k) {
        if (part == 0) finished.emplace(plan, octree.sheet.speed_unit, sink);
        batches.push_back(std::make_unique<LeafBatch>(exec, octree.plans[static_cast<std::size_t>(k)],
                                                      octree.sheet.speed_unit));
    });
    for (std::size_t round = 0; round < rounds; ++round) {
        Parts::Boxes home = parts.boxes();
        parts.agreed_phase([&](int part, int k) {
            const auto own = static_cast<std::size_t>(k);
            const LeafRun now = batch_of(octree.runs[static_cast<std::size_t>(part)], round, capacity);
            if (now.begin == now.end) return;
            const auto done = [&](std::size_t r) {
                return static_cast<double>(r) / static_cast<double>(rounds);
            };
            batches[own]->deposit(
                octree.blocks[own].corners(), leaves_of(leaves, now),
                part == 0 ? plan.config.progress.part(done(round), done(round + 1)) : Progress{});
            home[own][0] = boxes.packed(*batches[own], now.end - now.begin);
        });
        const Parts::Boxes in = parts.exchange(std::move(home));
        parts.agreed_phase([&](int part, int) {
            if (part != 0) return;
            for (std::size_t from = 0; from < in[0].size(); ++from) {
                const LeafRun now = batch_of(octree.runs[from], round, capacity);
                for (std::size_t k = 0; k < now.end - now.begin; ++k)
                    finished->take(leaves[now.begin + k], boxes.sums(in[0][from], k),
                                   boxes.streams(in[0][from], now.end - now.begin, k));
            }
        });
    }
    return finished ? finished->totals() : OctreeTotals{};
}

}  // namespace aureole::density
