#include "density/octree/octree.hpp"

namespace aureole::density {

Octree Octree::alone(const Grid& root)
{
    const Vec3 low{root.axis[0].low, root.axis[1].low, root.axis[2].low};
    Octree tree{root, {}, {no_child}, {{0, 0, 0}}, {0, 1}};
    tree.nodes.push_back({low, root.axis[0].high - root.axis[0].low, no_child, 0});
    return tree;
}

Grid Octree::grid(Index node) const
{
    Grid grid = root;
    for (std::size_t a = 0; a < 3; ++a) {
        GridAxis& axis = grid.axis[a];
        if (nodes[node].level == 0) continue;
        const std::int64_t first = std::int64_t{place[node][a]} * root.axis[a].cells;
        axis.window = {first, first + root.axis[a].cells - 1};
        axis.cells = root.axis[a].cells << nodes[node].level;
    }
    return grid;
}

void Octree::reserve(std::size_t nodes_in_all)
{
    nodes.reserve(nodes_in_all);
    parent.reserve(nodes_in_all);
    place.reserve(nodes_in_all);
}

void Octree::refine(Index node)
{
    const OctreeNode mother = nodes[node];
    const std::array<Index, 3> at = place[node];
    nodes[node].first_child = n_nodes();
    const double size = nodes[0].size / static_cast<double>(std::uint64_t{2} << mother.level);
    for (Index child = 0; child < 8; ++child) {
        const std::array<Index, 3> its{2 * at[0] + (child >> 2), 2 * at[1] + (child >> 1 & 1),
                                       2 * at[2] + (child & 1)};
        const Vec3 low = nodes[0].low + size * Vec3{static_cast<double>(its[0]), static_cast<double>(its[1]),
                                                    static_cast<double>(its[2])};
        nodes.push_back({low, size, no_child, mother.level + 1});
        parent.push_back(node);
        place.push_back(its);
    }
}

OctreeAverages::OctreeAverages(const Octree& tree, int n_sums, bool streams)
    : tree_(tree), n_sums_(static_cast<std::size_t>(n_sums)), streams_(streams)
{
}

OctreeAverages::OpenNode& OctreeAverages::open_node(Index node)
{
    OpenNode& open = open_[node];
    if (open.patch.sums.empty()) {
        open.patch.sums.resize(tree_.cells_per_node() * n_sums_);
        if (streams_) open.patch.streams.resize(tree_.cells_per_node());
    }
    return open;
}

void OctreeAverages::add_octant(Index child, const PatchSums& from, PatchSums& to) const
{
    const std::size_t n = tree_.cells(), half = n / 2;
    const std::size_t x = child >> 2, y = child >> 1 & 1, z = child & 1;
    std::size_t cell = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t k = 0; k < n; ++k, ++cell) {
                const std::size_t at = ((x * half + i / 2) * n + y * half + j / 2) * n + z * half + k / 2;
                for (std::size_t s = 0; s < n_sums_; ++s)
                    to.sums[at * n_sums_ + s] += from.sums[cell * n_sums_ + s];
                if (streams_) to.streams[at] += from.streams[cell] / 8;
            }
}

std::vector<Index> leaves_depth_first(const Octree& tree)
{
    std::vector<Index> leaves, next{0};
    leaves.reserve(tree.n_leaves());
    while (!next.empty()) {
        const Index node = next.back();
        next.pop_back();
        if (tree.is_leaf(node)) {
            leaves.push_back(node);
            continue;
        }
        for (Index child = 8; child-- > 0;) next.push_back(tree.nodes[node].first_child + child);
    }
    return leaves;
}

}  // namespace aureole::density
