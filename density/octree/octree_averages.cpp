#include "density/octree/octree_averages.hpp"

namespace aureole::density {

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
