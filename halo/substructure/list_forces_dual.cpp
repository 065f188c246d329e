// The nodes of the trees for potentials: a node is made from its members or children in their order.
#include "halo/list_nodes_dual.hpp"
#include "halo/substructure/list_forces.hpp"

namespace aureole::halo {
namespace {

using segments::ListNode;

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
struct NodeMass {
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

AUREOLE_HD void build_leaf(const ForceLists& of, const ListNode& leaf)
{
    const ForceBody first = of.sources.body[leaf.begin];
    NodeMass sums;
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
    of.node[leaf.at] = node;
    of.box[leaf.at] = box;
}

AUREOLE_HD void build_parent(const ForceLists& of, const ListNode& own)
{
    const std::uint64_t first = own.first_child;
    const Index n = own.n_children;
    const ForceNode origin = of.node[first];
    NodeMass sums;
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
    of.node[own.at] = node;
    of.box[own.at] = box;
}

struct Builder {
    ForceLists of;

    AUREOLE_HD bool has_tree(Index list) const { return of.has_tree(list); }
    AUREOLE_HD void leaf(const ListNode& leaf) const { build_leaf(of, leaf); }
    AUREOLE_HD void parent(const ListNode& node) const { build_parent(of, node); }
};

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
    if (lists.node)
        segments::build_list_nodes<force_leaf>(exec, lists.sources.lists, lists.levels, Builder{lists});
}

}  // namespace aureole::halo
