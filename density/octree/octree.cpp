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

}  // namespace aureole::density
