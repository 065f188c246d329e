// The nodes of the trees for potentials, level by level: a thread for each node, which is made from its
// members or children in their order.
#include "halo/substructure/list_forces.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {
namespace {

using segments::most_segments;
using segments::segment_at;

AUREOLE_HD float farthest_corner(const ForceBox& box, const ForceNode& node)
{
    const float c[3] = {node.x, node.y, node.z};
    float squared = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const float above = box.high[axis] - c[axis], below = c[axis] - box.low[axis];
        const float far = above > below ? above : below;
        squared += far * far;
    }
    return std::sqrt(squared);
}

/// Masses about a first one.
struct MassSum {
    float mass = 0, x = 0, y = 0, z = 0;

    AUREOLE_HD void add(float m, float dx, float dy, float dz)
    {
        mass += m;
        x += m * dx;
        y += m * dy;
        z += m * dz;
    }
    AUREOLE_HD ForceNode node(float x0, float y0, float z0) const
    {
        const float per = mass > 0 ? 1 / mass : 0;
        return {x0 + per * x, y0 + per * y, z0 + per * z, mass, 0, 0, 0, 0, 0, 0, 0, 0};
    }
};

AUREOLE_HD void add_second(ForceNode& to, float mass, float dx, float dy, float dz)
{
    to.xx += mass * dx * dx;
    to.yy += mass * dy * dy;
    to.zz += mass * dz * dz;
    to.xy += mass * dx * dy;
    to.xz += mass * dx * dz;
    to.yz += mass * dy * dz;
}

AUREOLE_HD void build_leaf(const ForceLists& of, Index number)
{
    const auto leaf = segment_at(of.sources.lists, number, force_leaf);
    if (leaf.begin == leaf.end || !of.has_tree(leaf.list)) return;
    const ForceBody first = of.sources.body[leaf.begin];
    MassSum sums;
    ForceBox box{};
    for (std::uint64_t k = leaf.begin; k < leaf.end; ++k) {
        const ForceBody b = of.sources.body[k];
        include(box, b, k == leaf.begin);
        sums.add(b.mass, b.x - first.x, b.y - first.y, b.z - first.z);
    }
    ForceNode node = sums.node(first.x, first.y, first.z);
    for (std::uint64_t k = leaf.begin; k < leaf.end; ++k) {
        const ForceBody b = of.sources.body[k];
        add_second(node, b.mass, b.x - node.x, b.y - node.y, b.z - node.z);
    }
    node.radius = farthest_corner(box, node);
    of.node[number] = node;
    of.box[number] = box;
}

AUREOLE_HD void build_parent(const ForceLists& of, int level, Index number)
{
    const auto own = segment_at(of.sources.lists, number, std::uint64_t{1} << ForceLists::node_bits(level));
    if (own.begin == own.end || !of.has_tree(own.list)) return;
    const int child_bits = ForceLists::node_bits(level - 1);
    const std::uint64_t from = own.begin - of.sources.lists.begin[own.list];
    const std::uint64_t first = of.node_at(own.list, level - 1, static_cast<Index>(from >> child_bits));
    const auto n = static_cast<Index>((own.end - own.begin - 1) >> child_bits) + 1;
    const ForceNode origin = of.node[first];
    MassSum sums;
    ForceBox box = of.box[first];
    for (Index c = 0; c < n; ++c) {
        const ForceNode child = of.node[first + c];
        box = box.around(of.box[first + c]);
        sums.add(child.mass, child.x - origin.x, child.y - origin.y, child.z - origin.z);
    }
    ForceNode node = sums.node(origin.x, origin.y, origin.z);
    float radius = 0;
    for (Index c = 0; c < n; ++c) {
        const ForceNode child = of.node[first + c];
        const float dx = child.x - node.x, dy = child.y - node.y, dz = child.z - node.z;
        node.xx += child.xx;
        node.yy += child.yy;
        node.zz += child.zz;
        node.xy += child.xy;
        node.xz += child.xz;
        node.yz += child.yz;
        add_second(node, child.mass, dx, dy, dz);
        const float reach = std::sqrt(dx * dx + dy * dy + dz * dz) + child.radius;
        radius = reach > radius ? reach : radius;
    }
    const float corner = farthest_corner(box, node);
    node.radius = corner < radius ? corner : radius;
    const std::uint64_t at = of.levels.base[level] + number;
    of.node[at] = node;
    of.box[at] = box;
}

}  // namespace

void take_force_nodes(ForceLists& lists, std::uint64_t longest, Arena& arena)
{
    lists.levels = segments::levels_above(force_leaf, lists.sources.lists, longest);
    if (longest <= most_for_pairs) return;
    const std::size_t n = lists.levels.base[lists.levels.n];
    lists.node = arena.take<ForceNode>(n);
    lists.box = arena.take<ForceBox>(n);
}

void build_force_nodes(Exec exec, const ForceLists& lists)
{
    if (!lists.node) return;
    const auto count = [&](int level) {
        return static_cast<Index>(
            most_segments(lists.sources.lists, std::uint64_t{1} << ForceLists::node_bits(level)));
    };
    for_each(exec, count(0), [=] AUREOLE_HD(Index k) { build_leaf(lists, k); });
    for (int level = 1; level < lists.levels.n; ++level)
        for_each(exec, count(level), [=] AUREOLE_HD(Index k) { build_parent(lists, level, k); });
}

}  // namespace aureole::halo
