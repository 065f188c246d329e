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

CubeBoxes::CubeBoxes(const BlockCorners& corners, const CellCoordinates& cells)
    : corners_of_(corners), cells_(cells), corners_(corners_per_block)
{
}

std::span<const PeriodicBox> CubeBoxes::of(Index block)
{
    const BlockExtent extent = corners_of_.blocks().extent(block);
    corners_of_.positions(block, corners_.data());
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

std::vector<PeriodicBox> block_boxes(const BlockCorners& corners, std::span<const Index> blocks,
                                     const CellCoordinates& cells)
{
    std::vector<PeriodicBox> boxes(blocks.size());
#pragma omp parallel
    {
        CubeBoxes cubes(corners, cells);
#pragma omp for schedule(dynamic)
        for (std::size_t k = 0; k < boxes.size(); ++k) boxes[k] = cubes.around(blocks[k]);
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

}  // namespace

OctreeBuilder::OctreeBuilder(const BlockCorners& corners, std::vector<Index> blocks, const Grid& root,
                             const RefinementRules& rules)
    : corners_(corners),
      blocks_(std::move(blocks)),
      rules_(rules),
      cells_(root),
      boxes_(block_boxes(corners, blocks_, cells_)),
      built_{Octree::alone(root), {0}, {}, 0},
      level_{{0, boxes_.size()}, std::vector<Index>(boxes_.size())}
{
    std::iota(level_.block.begin(), level_.block.end(), Index{0});
}

std::vector<std::uint64_t> OctreeBuilder::count()
{
    count_cubes();
    std::vector<std::uint64_t> tetrahedra(level_.n_nodes());
    for (std::size_t n = 0; n < tetrahedra.size(); ++n)
        for (std::size_t p = level_.first[n]; p < level_.first[n + 1]; ++p)
            tetrahedra[n] += std::uint64_t{tetrahedra_per_cube} * cubes_[p];
    return tetrahedra;
}

/// Runs over blocks, so that each is gathered once a level.
void OctreeBuilder::count_cubes()
{
    const std::size_t n_blocks = boxes_.size();
    std::vector<std::size_t> first(n_blocks + 1, 0), pair(level_.block.size());
    std::vector<Index> node(level_.block.size());
    for (const Index block : level_.block) ++first[block + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t n = 0; n < level_.n_nodes(); ++n)
        for (std::size_t p = level_.first[n]; p < level_.first[n + 1]; ++p) {
            const std::size_t at = next[level_.block[p]]++;
            pair[at] = p;
            node[at] = first_node() + static_cast<Index>(n);
        }
    cubes_.assign(level_.block.size(), 0);
    note_bytes(bytes_of(level_.first, level_.block, first, next, pair, node, cubes_));
#pragma omp parallel
    {
        CubeBoxes cubes(corners_, cells_);
#pragma omp for schedule(dynamic)
        for (std::size_t block = 0; block < n_blocks; ++block) {
            if (first[block] == first[block + 1]) continue;
            const std::span<const PeriodicBox> boxes = cubes.of(blocks_[block]);
            for (std::size_t at = first[block]; at < first[block + 1]; ++at)
                cubes_[pair[at]] = cubes_that_reach(boxes, node[at]);
        }
    }
}

OctreeBuilder::CubeCount OctreeBuilder::cubes_that_reach(std::span<const PeriodicBox> boxes, Index node) const
{
    const CellCube cube = cube_of(built_.tree, node);
    CubeCount count = 0;
    for (const PeriodicBox& box : boxes)
        if (cube.reached_by(box, cells_.period())) ++count;
    return count;
}

void OctreeBuilder::refine(std::span<const std::uint64_t> tetrahedra)
{
    const Index begin = first_node();
    std::vector<std::size_t> refined;
    for (std::size_t n = 0; n < level_.n_nodes(); ++n)
        if (depth_ < rules_.levels && tetrahedra[n] > rules_.refine_above) refined.push_back(n);
    ++depth_;
    make_room(refined);
    auto next_refined = refined.begin();
    for (std::size_t n = 0; n < level_.n_nodes(); ++n) {
        if (next_refined != refined.end() && *next_refined == n) {
            ++next_refined;
            tree().refine(begin + static_cast<Index>(n));
        } else {
            for (std::size_t p = level_.first[n]; p < level_.first[n + 1]; ++p)
                if (cubes_[p] > 0) built_.block.push_back(blocks_[level_.block[p]]);
        }
        built_.first.push_back(built_.block.size());
    }
    if (!refined.empty()) tree().first_of_level.push_back(tree().n_nodes());
    level_ = blocks_of_children(refined);
}

/// Reserves exactly what the level adds to the tree; throws when the tree is too large.
void OctreeBuilder::make_room(const std::vector<std::size_t>& refined)
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
                   std::ranges::count(std::span(cubes_).subspan(begin, end - begin), CubeCount{0}));
    };
    std::size_t blocks = built_.block.size() + reaching(0, cubes_.size());
    for (const std::size_t n : refined) blocks -= reaching(level_.first[n], level_.first[n + 1]);
    tree().reserve(nodes);
    built_.block.reserve(blocks);
    built_.first.reserve(built_.first.size() + level_.n_nodes());
}

void OctreeBuilder::note_bytes(std::size_t of_level)
{
    built_.building_bytes = std::max(built_.building_bytes, bytes_of(boxes_, blocks_) + of_level);
}

/// A child takes the blocks of its parent that have cubes in the parent and whose bounding boxes reach
/// into the child.
LevelBlocks OctreeBuilder::blocks_of_children(const std::vector<std::size_t>& refined)
{
    const auto children = first_node();  // of the level that was just made
    LevelBlocks next{std::vector<std::size_t>(8 * refined.size() + 1, 0), {}};
    const auto for_each_block = [&](std::size_t child, auto&& body) {
        const std::size_t n = refined[child / 8];
        const CellCube cube = cube_of(built_.tree, children + static_cast<Index>(child));
        for (std::size_t p = level_.first[n]; p < level_.first[n + 1]; ++p)
            if (cubes_[p] > 0 && cube.reached_by(boxes_[level_.block[p]], cells_.period()))
                body(level_.block[p]);
    };
    const std::size_t n_children = 8 * refined.size();
#pragma omp parallel for schedule(dynamic, 8) if (n_children > 64)
    for (std::size_t child = 0; child < n_children; ++child)
        for_each_block(child, [&](Index) { ++next.first[child + 1]; });
    std::partial_sum(next.first.begin(), next.first.end(), next.first.begin());
    next.block.resize(next.first.back());
    note_bytes(bytes_of(level_.first, level_.block, cubes_, refined, next.first, next.block));
#pragma omp parallel for schedule(dynamic, 8) if (n_children > 64)
    for (std::size_t child = 0; child < n_children; ++child) {
        std::size_t at = next.first[child];
        for_each_block(child, [&](Index block) { next.block[at++] = block; });
    }
    return next;
}

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
    std::vector<Index> blocks(LatticeBlocks{lattice.side}.count());
    std::iota(blocks.begin(), blocks.end(), Index{0});
    OctreeBuilder builder({particles, lattice}, std::move(blocks), root, rules);
    while (builder.has_level()) {
        progress.at(0, "levels of the octree");
        builder.refine(builder.count());
    }
    return builder.take();
}

}  // namespace aureole::density
