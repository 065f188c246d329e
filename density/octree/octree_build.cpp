#include "density/octree/octree_build.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "density/deposit/deposit_tetrahedron.hpp"
#include "sim/core/error.hpp"

namespace aureole::density {

PeriodicInterval PeriodicInterval::of(double low, double high, double period)
{
    if (!(high - low < period)) return {0, period};
    const double shift = low < 0 ? period : low >= period ? -period : 0;
    return {low + shift, high + shift};
}

CubeBoxes::CubeBoxes(const ConstParticlesView& particles, const Lattice& lattice,
                     const CellCoordinates& cells)
    : particles_(particles), lattice_(lattice.view()), cells_(cells), corners_(corners_per_block)
{
}

std::span<const PeriodicBox> CubeBoxes::of(Index block)
{
    const BlockExtent extent = LatticeBlocks{lattice_.side}.extent(block);
    gather_corners(lattice_, extent, particles_.position, corners_.data());
    for (Index i = 0; i <= extent.cubes[0]; ++i)
        for (Index j = 0; j <= extent.cubes[1]; ++j)
            for (Index k = 0; k <= extent.cubes[2]; ++k) {
                Vec3& corner = corners_[block_corner(i, j, k)];
                corner = cells_.of(corner);
            }
    const auto in_cells = [&](Index c) { return corners_[c]; };
    const Vec3 period = cells_.period();
    boxes_.clear();
    for (Index i = 0; i < extent.cubes[0]; ++i)
        for (Index j = 0; j < extent.cubes[1]; ++j)
            for (Index k = 0; k < extent.cubes[2]; ++k) {
                const CornerExtent cube(joined_cube(in_cells, cells_, i, j, k).corner, 8);
                PeriodicBox box;
                for (int a = 0; a < 3; ++a)
                    box.axis[a] = PeriodicInterval::of(component(cube.low, a), component(cube.high, a),
                                                       component(period, a));
                boxes_.push_back(box);
            }
    return boxes_;
}

namespace {

/// Grown to hold one more, at the image nearest to what there is; stays below two periods.
void include(PeriodicInterval& all, const PeriodicInterval& one, double period)
{
    if (all.high - all.low >= period) return;
    const double apart = ((one.low + one.high) - (all.low + all.high)) / 2;
    const double shift = -std::rint(apart / period) * period;
    all.low = std::min(all.low, one.low + shift);
    all.high = std::max(all.high, one.high + shift);
}

}  // namespace

PeriodicBox CubeBoxes::around(Index block)
{
    const std::span<const PeriodicBox> cubes = of(block);
    PeriodicBox box = cubes.front();
    for (int a = 0; a < 3; ++a) {
        const double period = component(cells_.period(), a);
        for (const PeriodicBox& cube : cubes) include(box.axis[a], cube.axis[a], period);
        box.axis[a] = PeriodicInterval::of(box.axis[a].low, box.axis[a].high, period);
    }
    return box;
}

std::vector<PeriodicBox> block_boxes(const ConstParticlesView& particles, const Lattice& lattice,
                                     const CellCoordinates& cells)
{
    std::vector<PeriodicBox> boxes(LatticeBlocks{lattice.side}.count());
#pragma omp parallel
    {
        CubeBoxes cubes(particles, lattice, cells);
#pragma omp for schedule(dynamic)
        for (std::size_t block = 0; block < boxes.size(); ++block)
            boxes[block] = cubes.around(static_cast<Index>(block));
    }
    return boxes;
}

namespace {
constexpr double most_cells = 1e11;
constexpr std::size_t most_nodes = no_child - 8;

template <class... T>
std::size_t bytes_of(const std::vector<T>&... vectors)
{
    return ((vectors.capacity() * sizeof(T)) + ...);
}

/// The blocks that may reach into each node of one level.
struct LevelBlocks {
    std::vector<std::size_t> first;  ///< of each node, and the end
    std::vector<Index> block;

    std::size_t n_nodes() const { return first.size() - 1; }
};

using CubeCount = std::uint16_t;  // a block has 512

class OctreeBuilder {
public:
    OctreeBuilder(const ConstParticlesView& particles, const Lattice& lattice, const Grid& root,
                  const RefinementRules& rules, const Progress& progress)
        : particles_(particles),
          lattice_(lattice),
          rules_(rules),
          progress_(progress),
          cells_(root),
          boxes_(block_boxes(particles, lattice, cells_)),
          built_{Octree::alone(root), {0}, {}, 0}
    {
    }

    OctreeOfBlocks build()
    {
        LevelBlocks level{{0, boxes_.size()}, std::vector<Index>(boxes_.size())};
        std::iota(level.block.begin(), level.block.end(), Index{0});
        for (Index depth = 0; level.n_nodes() > 0; ++depth) {
            progress_.at(0, "levels of the octree");
            const std::vector<CubeCount> cubes = cubes_within(level);
            level = next_level(level, cubes, depth < rules_.levels);
        }
        return std::move(built_);
    }

private:
    Octree& tree() { return built_.tree; }
    Index first_node() const { return *(built_.tree.first_of_level.end() - 2); }

    /// The number of cubes that reach into a node of the last level, for each pair of the node and a block.
    /// Runs over blocks, so that each is gathered once a level.
    std::vector<CubeCount> cubes_within(const LevelBlocks& level)
    {
        const std::size_t n_blocks = boxes_.size();
        std::vector<std::size_t> first(n_blocks + 1, 0), pair(level.block.size());
        std::vector<Index> node(level.block.size());
        for (const Index block : level.block) ++first[block + 1];
        std::partial_sum(first.begin(), first.end(), first.begin());
        std::vector<std::size_t> next(first.begin(), first.end() - 1);
        for (std::size_t n = 0; n < level.n_nodes(); ++n)
            for (std::size_t p = level.first[n]; p < level.first[n + 1]; ++p) {
                const std::size_t at = next[level.block[p]]++;
                pair[at] = p;
                node[at] = first_node() + static_cast<Index>(n);
            }
        std::vector<CubeCount> count(level.block.size());
        note_bytes(bytes_of(level.first, level.block, first, next, pair, node, count));
#pragma omp parallel
        {
            CubeBoxes cubes(particles_, lattice_, cells_);
#pragma omp for schedule(dynamic)
            for (std::size_t block = 0; block < n_blocks; ++block) {
                if (first[block] == first[block + 1]) continue;
                const std::span<const PeriodicBox> boxes = cubes.of(static_cast<Index>(block));
                for (std::size_t at = first[block]; at < first[block + 1]; ++at)
                    count[pair[at]] = cubes_that_reach(boxes, node[at]);
            }
        }
        return count;
    }

    CubeCount cubes_that_reach(std::span<const PeriodicBox> boxes, Index node) const
    {
        const CellCube cube = cube_of(built_.tree, node);
        CubeCount count = 0;
        for (const PeriodicBox& box : boxes)
            if (cube.reached_by(box, cells_.period())) ++count;
        return count;
    }

    /// Refines the nodes of the last level that have too many tetrahedra; keeps the blocks of the others.
    LevelBlocks next_level(const LevelBlocks& level, const std::vector<CubeCount>& cubes, bool may_refine)
    {
        const Index begin = first_node();
        const std::vector<std::size_t> refined =
            may_refine ? crowded(level, cubes) : std::vector<std::size_t>{};
        make_room(level, cubes, refined);
        auto next_refined = refined.begin();
        for (std::size_t n = 0; n < level.n_nodes(); ++n) {
            if (next_refined != refined.end() && *next_refined == n) {
                ++next_refined;
                tree().refine(begin + static_cast<Index>(n));
            } else {
                for (std::size_t p = level.first[n]; p < level.first[n + 1]; ++p)
                    if (cubes[p] > 0) built_.block.push_back(level.block[p]);
            }
            built_.first.push_back(built_.block.size());
        }
        if (!refined.empty()) tree().first_of_level.push_back(tree().n_nodes());
        return blocks_of_children(level, cubes, refined);
    }

    /// The nodes of a level with more than rules_.refine_above tetrahedra, in rising order.
    std::vector<std::size_t> crowded(const LevelBlocks& level, const std::vector<CubeCount>& cubes) const
    {
        std::vector<std::size_t> nodes;
        for (std::size_t n = 0; n < level.n_nodes(); ++n) {
            std::uint64_t tetrahedra = 0;
            for (std::size_t p = level.first[n]; p < level.first[n + 1]; ++p)
                tetrahedra += std::uint64_t{tetrahedra_per_cube} * cubes[p];
            if (tetrahedra > rules_.refine_above) nodes.push_back(n);
        }
        return nodes;
    }

    /// Reserves exactly what the level adds to the tree; throws when the tree is too large.
    void make_room(const LevelBlocks& level, const std::vector<CubeCount>& cubes,
                   const std::vector<std::size_t>& refined)
    {
        const std::size_t nodes = tree().nodes.size() + 8 * refined.size();
        const auto cells = static_cast<double>(tree().cells_per_node());
        if (nodes > most_nodes || static_cast<double>(nodes) * cells > most_cells)
            throw Error(fmt::format(
                "density: the octree has more than {} cells or {} nodes; allow more tetrahedra in a node or "
                "ask for larger cells",
                most_cells, most_nodes));
        const auto reaching = [&](std::size_t begin, std::size_t end) {
            return end - begin -
                   static_cast<std::size_t>(
                       std::ranges::count(std::span(cubes).subspan(begin, end - begin), CubeCount{0}));
        };
        std::size_t blocks = built_.block.size() + reaching(0, cubes.size());
        for (const std::size_t n : refined) blocks -= reaching(level.first[n], level.first[n + 1]);
        tree().reserve(nodes);
        built_.block.reserve(blocks);
        built_.first.reserve(built_.first.size() + level.n_nodes());
    }

    void note_bytes(std::size_t of_level)
    {
        built_.building_bytes = std::max(built_.building_bytes, bytes_of(boxes_) + of_level);
    }

    /// A child takes the blocks of its parent that have cubes in the parent and whose bounding boxes reach
    /// into the child.
    LevelBlocks blocks_of_children(const LevelBlocks& level, const std::vector<CubeCount>& cubes,
                                   const std::vector<std::size_t>& refined)
    {
        const auto children = first_node();  // of the level that was just made
        LevelBlocks next{std::vector<std::size_t>(8 * refined.size() + 1, 0), {}};
        const auto for_each_block = [&](std::size_t child, auto&& body) {
            const std::size_t n = refined[child / 8];
            const CellCube cube = cube_of(built_.tree, children + static_cast<Index>(child));
            for (std::size_t p = level.first[n]; p < level.first[n + 1]; ++p)
                if (cubes[p] > 0 && cube.reached_by(boxes_[level.block[p]], cells_.period()))
                    body(level.block[p]);
        };
        const std::size_t n_children = 8 * refined.size();
#pragma omp parallel for schedule(dynamic, 8) if (n_children > 64)
        for (std::size_t child = 0; child < n_children; ++child)
            for_each_block(child, [&](Index) { ++next.first[child + 1]; });
        std::partial_sum(next.first.begin(), next.first.end(), next.first.begin());
        next.block.resize(next.first.back());
        note_bytes(bytes_of(level.first, level.block, cubes, refined, next.first, next.block));
#pragma omp parallel for schedule(dynamic, 8) if (n_children > 64)
        for (std::size_t child = 0; child < n_children; ++child) {
            std::size_t at = next.first[child];
            for_each_block(child, [&](Index block) { next.block[at++] = block; });
        }
        return next;
    }

    ConstParticlesView particles_;
    const Lattice& lattice_;
    RefinementRules rules_;
    const Progress& progress_;
    CellCoordinates cells_;
    std::vector<PeriodicBox> boxes_;
    OctreeOfBlocks built_;
};

}  // namespace

CellCube cube_of(const Octree& tree, Index node)
{
    const double size = static_cast<double>(tree.cells()) /
                        static_cast<double>(std::uint64_t{1} << tree.nodes[node].level);  // exact
    CellCube cube{{}, size};
    for (std::size_t a = 0; a < 3; ++a) cube.low[a] = size * tree.place[node][a];
    return cube;
}

double usual_smallest_cell(const Box& box, std::size_t n_particles, Index every)
{
    return box.side / (16 * std::cbrt(static_cast<double>(n_particles)) / every);
}

Index levels_down_to(const Grid& root, double smallest_cell)
{
    const double halvings = std::log2(root.axis[0].cell_size() / smallest_cell * (1 + 1e-9));
    AUREOLE_EXPECT(halvings < 64,
                   "smallest cell: found {}, expected a size that a double can tell from nothing in a box of "
                   "side {}",
                   smallest_cell, root.box.side);
    return halvings < 0 ? 0 : static_cast<Index>(halvings);
}

OctreeOfBlocks build_octree(const ConstParticlesView& particles, const Lattice& lattice, const Grid& root,
                            const RefinementRules& rules, const Progress& progress)
{
    return OctreeBuilder(particles, lattice, root, rules, progress).build();
}

}  // namespace aureole::density
