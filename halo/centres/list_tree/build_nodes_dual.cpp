// The nodes of the trees: a node is made from its eight members or children in their order.
#include "halo/centres/list_tree/list_tree.hpp"
#include "halo/list_nodes_dual.hpp"
#include "sim/core/spatial/bounding_box.hpp"

namespace aureole::halo::list_tree {
namespace {

using segments::ListNode;

AUREOLE_HD CellBounds no_cells()
{
    constexpr Index most = 0xffffffffu;
    return {{most, most, most}, {0, 0, 0}};
}

AUREOLE_HD CellBounds cells_of(const Body& body, double side)
{
    CellBounds box;
    const double x[3] = {body.x, body.y, body.z};
    for (int axis = 0; axis < 3; ++axis)
        box.low[axis] = box.high[axis] = centre_search::cell_of(x[axis], side, cell_bits);
    return box;
}

/// Adds masses about a common centre: sums first, the centre afterwards.
struct Gathering {
    Vec3 origin, moment{};
    double mass = 0;

    AUREOLE_HD void add(double m, Vec3 at)
    {
        mass += m;
        moment = moment + m * (at - origin);
    }
    /// Without second moments.
    AUREOLE_HD Multipole<double> result() const
    {
        const Vec3 centre = mass > 0 ? origin + (1 / mass) * moment : origin;
        return {{centre.x, centre.y, centre.z, mass, 0, 0, 0, 0, 0, 0}};
    }
};

AUREOLE_HD Vec3 place_of(const Multipole<double>& m) { return {m.term[0], m.term[1], m.term[2]}; }
AUREOLE_HD Vec3 place_of(const Body& b) { return {b.x, b.y, b.z}; }

/// Second moments of a mass at the distance d.
AUREOLE_HD void add_second(Multipole<double>& to, double mass, Vec3 d)
{
    double* const q = to.term + 4;
    const Vec3 md = mass * d;
    q[0] += md.x * d.x;
    q[1] += md.y * d.y;
    q[2] += md.z * d.z;
    q[3] += md.x * d.y;
    q[4] += md.x * d.z;
    q[5] += md.y * d.z;
}

/// In float, and no less for the rounding of scaled places.
AUREOLE_HD float radius_above(double radius) { return static_cast<float>(radius * (1 + 1e-6) + 1e-14); }

/// From `at` to the farthest corner of a box of cells.
AUREOLE_HD double farthest_corner(const CellBounds& box, Vec3 at, double half_cell)
{
    constexpr auto cells = static_cast<double>(Index{1} << cell_bits);
    const double x[3] = {at.x, at.y, at.z};
    double squared = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double low = (2.0 * box.low[axis] - cells) * half_cell;
        const double high = (2.0 * (box.high[axis] + 1.0) - cells) * half_cell;
        const double reach = larger(x[axis] - low, high - x[axis]);
        squared += reach * reach;
    }
    return std::sqrt(squared);
}

AUREOLE_HD void build_leaf(const ListTrees& trees, const ListNode& leaf)
{
    const ListFrame& frame = trees.frame[leaf.list];
    const double side = frame.longest * frame.length;
    CellBounds box = no_cells();
    Gathering sums{place_of(trees.body[leaf.begin])};
    for (std::uint64_t k = leaf.begin; k < leaf.end; ++k) {
        const Body body = trees.body[k];
        box = box.around(cells_of(body, side));
        sums.add(body.mass, place_of(body));
    }
    Multipole<double> node = sums.result();
    double squared_radius = 0;
    for (std::uint64_t k = leaf.begin; k < leaf.end; ++k) {
        const Vec3 d = place_of(trees.body[k]) - place_of(node);
        add_second(node, trees.body[k].mass, d);
        squared_radius = larger(squared_radius, dot(d, d));
    }
    trees.node.radius[leaf.at] = radius_above(std::sqrt(squared_radius));
    trees.node.box[leaf.at] = box;
    trees.node.ball[leaf.at] = ball_around(box);
    trees.node.store(leaf.at, node);
}

AUREOLE_HD void build_parent(const ListTrees& trees, const ListNode& own)
{
    const std::uint64_t first = own.first_child;
    const Index n = own.n_children;
    CellBounds box = no_cells();
    Gathering sums{place_of(trees.node.load(first))};
    for (Index c = 0; c < n; ++c) {
        const Multipole<double> child = trees.node.load(first + c);
        box = box.around(trees.node.box[first + c]);
        sums.add(child.term[3], place_of(child));
    }
    Multipole<double> node = sums.result();
    double radius = 0;
    for (Index c = 0; c < n; ++c) {
        const Multipole<double> child = trees.node.load(first + c);
        const Vec3 d = place_of(child) - place_of(node);
        add_second(node, child.term[3], d);
        for (int k = 4; k < Multipole<double>::terms; ++k) node.term[k] += child.term[k];
        radius = larger(radius, std::sqrt(dot(d, d)) + static_cast<double>(trees.node.radius[first + c]));
    }
    const double corner = farthest_corner(box, place_of(node), half_cell(trees.frame[own.list]));
    trees.node.radius[own.at] = radius_above(smaller(radius, corner));
    trees.node.box[own.at] = box;
    trees.node.ball[own.at] = ball_around(box);
    trees.node.store(own.at, node);
}

AUREOLE_HD void build_bucket(const ListTrees& trees, Index number)
{
    const ListSegment bucket = segment_at(trees.members, number, bucket_size);
    if (bucket.begin == bucket.end || !trees.has_tree(bucket.list)) return;
    const auto in_list = static_cast<Index>((bucket.begin - trees.members.begin[bucket.list]) / leaf_size);
    const std::uint64_t first = trees.node_at(bucket.list, 0, in_list);
    const auto n = static_cast<Index>((bucket.end - bucket.begin - 1) / leaf_size + 1);
    CellBounds box = no_cells();
    for (Index c = 0; c < n; ++c) box = box.around(trees.node.box[first + c]);
    trees.node.bucket[number] = ball_around(box);
}

struct Builder {
    ListTrees trees;

    AUREOLE_HD bool has_tree(Index list) const { return trees.has_tree(list); }
    AUREOLE_HD void leaf(const ListNode& leaf) const { build_leaf(trees, leaf); }
    AUREOLE_HD void parent(const ListNode& node) const { build_parent(trees, node); }
};

}  // namespace

void build_nodes(Exec exec, const ListTrees& trees)
{
    segments::build_list_nodes<leaf_size>(exec, trees.members, trees.levels, Builder{trees});
    for_each(exec, static_cast<Index>(most_segments(trees.members, bucket_size)),
             [=] AUREOLE_HD(Index k) { build_bucket(trees, k); });
}

}  // namespace aureole::halo::list_tree
