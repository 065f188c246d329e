// The loops behind build.hpp, written once for both backends.
#include "gravity/tree/build.hpp"

#include <cmath>

#include "gravity/tree/curve_order.hpp"
#include "sim/core/atomics.hpp"
#include "sim/core/for_each_chained_dual.hpp"

namespace aureole::gravity::tree {

/// A node as it is computed: from the bodies of a leaf, or from two children.
struct Node {
    NodeHead head{};
    NodeTail tail{};
    NodeBox box{};
    float softening = 0;  ///< of all sources; when they differ, the largest, negative
};

namespace detail {

/// Second moments about a point, in double while they are summed.
struct SecondMoments {
    double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;

    AUREOLE_HD void add(double mass, Vec3 d)
    {
        xx += mass * d.x * d.x;
        xy += mass * d.x * d.y;
        xz += mass * d.x * d.z;
        yy += mass * d.y * d.y;
        yz += mass * d.y * d.z;
        zz += mass * d.z * d.z;
    }
    AUREOLE_HD void add(const NodeTail& child, double radius)
    {
        const double r2 = radius * radius;
        xx += r2 * child.xx;
        xy += r2 * child.xy;
        xz += r2 * child.xz;
        yy += r2 * child.yy;
        yz += r2 * child.yz;
        zz += r2 * child.zz;
    }
    AUREOLE_HD void store(double radius, NodeTail& to) const
    {
        const double per = radius > 0 ? 1 / (radius * radius) : 0;
        to.xx = static_cast<float>(per * xx);
        to.xy = static_cast<float>(per * xy);
        to.xz = static_cast<float>(per * xz);
        to.yy = static_cast<float>(per * yy);
        to.yz = static_cast<float>(per * yz);
        to.zz = static_cast<float>(per * zz);
    }
};

AUREOLE_HD inline void include(NodeBox& box, Vec3 low, Vec3 high)
{
    box.low[0] = fminf(box.low[0], static_cast<float>(low.x));
    box.low[1] = fminf(box.low[1], static_cast<float>(low.y));
    box.low[2] = fminf(box.low[2], static_cast<float>(low.z));
    box.high[0] = fmaxf(box.high[0], static_cast<float>(high.x));
    box.high[1] = fmaxf(box.high[1], static_cast<float>(high.y));
    box.high[2] = fmaxf(box.high[2], static_cast<float>(high.z));
}

/// In float, never less than `x`.
AUREOLE_HD inline float rounded_up(double x) { return static_cast<float>(x) * 1.0000003f; }

AUREOLE_HD inline Vec3 centre_of(const NodeHead& head) { return {head.x, head.y, head.z}; }

/// Distance of the farthest corner of a box from the centre of mass.
AUREOLE_HD inline double farthest_corner(const NodeBox& box)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        const double reach = fmaxf(-box.low[k], box.high[k]);
        sum += reach * reach;
    }
    return sqrt(sum);
}

}  // namespace detail

AUREOLE_HD inline Node make_leaf(const TreeView& tree, Index first, Index count)
{
    using namespace detail;
    double mass = 0;
    Vec3 weighted, plain;
    for (Index j = first; j < first + count; ++j) {
        const Body b = tree.bodies[j];
        const Vec3 x{b.x, b.y, b.z};
        mass += b.mass;
        weighted = weighted + b.mass * x;
        plain = plain + x;
    }
    const Vec3 centre = mass > 0 ? (1 / mass) * weighted : (1.0 / count) * plain;
    Node leaf;
    double radius2 = 0;
    SecondMoments moments;
    if (tree.body_softening) leaf.softening = tree.body_softening[first];
    for (Index j = first; j < first + count; ++j) {
        const Body b = tree.bodies[j];
        const Vec3 d = Vec3{b.x, b.y, b.z} - centre;
        const double r2 = dot(d, d);
        radius2 = r2 > radius2 ? r2 : radius2;
        moments.add(b.mass, d);
        include(leaf.box, d, d);
        if (tree.body_softening && tree.body_softening[j] != leaf.softening)
            leaf.softening = -fmaxf(fabsf(leaf.softening), tree.body_softening[j]);
    }
    const float radius = rounded_up(sqrt(radius2));
    leaf.head = {centre.x, centre.y, centre.z, static_cast<float>(mass), radius};
    moments.store(radius, leaf.tail);
    leaf.tail.first = first;
    leaf.tail.count = count;
    return leaf;
}

/// The parent of two neighbours; `number` is its own.
AUREOLE_HD inline Node parent_of(const Node& left, const Node& right, Index number)
{
    using namespace detail;
    const double m_left = left.head.mass, m_right = right.head.mass, mass = m_left + m_right;
    const double part = mass > 0 ? m_right / mass : 0.5;
    const Vec3 centre = centre_of(left.head) + part * (centre_of(right.head) - centre_of(left.head));
    // from the centre as it was rounded, or coincident bodies could lie outside the radius
    const Vec3 to_left = centre_of(left.head) - centre, to_right = centre_of(right.head) - centre;

    Node parent;
    const auto low = [](const NodeBox& b) { return Vec3{b.low[0], b.low[1], b.low[2]}; };
    const auto high = [](const NodeBox& b) { return Vec3{b.high[0], b.high[1], b.high[2]}; };
    include(parent.box, to_left + low(left.box), to_left + high(left.box));
    include(parent.box, to_right + low(right.box), to_right + high(right.box));
    const double by_children = fmax(length(to_left) + left.head.radius, length(to_right) + right.head.radius);
    const float radius = rounded_up(fmin(by_children, farthest_corner(parent.box) * 1.000001));
    parent.head = {centre.x, centre.y, centre.z, static_cast<float>(mass), radius};

    SecondMoments moments;
    moments.add(left.tail, left.head.radius);
    moments.add(m_left, to_left);
    moments.add(right.tail, right.head.radius);
    moments.add(m_right, to_right);
    moments.store(radius, parent.tail);
    parent.tail.first = number;
    parent.tail.count = 0;
    parent.softening = left.softening == right.softening
                           ? left.softening
                           : -fmaxf(fabsf(left.softening), fabsf(right.softening));
    return parent;
}

AUREOLE_HD inline void store_node(const NodeArrays& nodes, Index slot, const Node& node)
{
    nodes.heads[slot] = node.head;
    nodes.tails[slot] = node.tail;
    nodes.boxes[slot] = node.box;
    if (nodes.softening) nodes.softening[slot] = node.softening;
}

AUREOLE_HD inline Node load_node(const NodeArrays& nodes, Index slot)
{
    return {nodes.heads[slot], nodes.tails[slot], nodes.boxes[slot],
            nodes.softening ? nodes.softening[slot] : 0};
}

namespace {

constexpr int long_key_bits = 3 * key_bits;

AUREOLE_HD int leading_zeros(std::uint64_t x)
{
#if defined(__CUDA_ARCH__)
    return __clzll(static_cast<long long>(x));
#else
    return __builtin_clzll(x);
#endif
}

/// Equal leading bits of two keys of 63 bits that differ.
AUREOLE_HD int common_bits(std::uint64_t a, std::uint64_t b) { return leading_zeros(a ^ b) - 1; }

/// Of the bodies at places i - 1 and i, whose keys and deep keys are equal.
AUREOLE_HD int common_bits_beyond(Vec3 a, Vec3 b, Index i, const CellRuns& runs)
{
    const int of_places = leading_zeros((i - 1) ^ i) - 32;
    const CellRun* const run = run_at(runs, i);
    if (!run) return of_places;
    const std::uint64_t key_a = curve_key(a, run->frame), key_b = curve_key(b, run->frame);
    return key_a != key_b ? common_bits(key_a, key_b) : long_key_bits + of_places;
}

/// What leaves a body starts: the run of a node, grown to its parents while they are small enough.
struct Run {
    Index first, last;
};

/// The leaf of body i, or where the search found that i does not begin it.
AUREOLE_HD Run leaf_from(Index i, Index leaf_size, const Likeness* likeness)
{
    Run leaf{i, i};
    while (leaf.first == i) {
        const Likeness left = likeness[leaf.first], right = likeness[leaf.last + 1];
        const Likeness split = left > right ? left : right;
        if (split == 0) break;  // the root
        Run parent = leaf;
        while (parent.last - parent.first < leaf_size && likeness[parent.first] >= split) --parent.first;
        while (parent.last - parent.first < leaf_size && likeness[parent.last + 1] >= split) ++parent.last;
        if (parent.last - parent.first >= leaf_size) break;
        leaf = parent;
    }
    return leaf;
}

/// A node on its way up: the leaves it holds and what it is.
struct Climber {
    Index first, last;
    Node node;
};

}  // namespace

void compare_neighbours(Exec exec, const ConstParticlesView& p, Index n, const Frame* frame,
                        const std::uint64_t* keys, const Index* order, const CellRuns& of, Likeness* likeness)
{
    const CellRuns runs = of;
    for_each_chained(exec, n + 1, [=] AUREOLE_HD(Index i) {
        int common = -1;
        if (i > 0 && i < n) {
            const std::uint64_t a = keys[i - 1], b = keys[i];
            if (a != b) {
                common = common_bits(a, b);
            } else {
                const Vec3 x_a = p.position.load(order[i - 1]), x_b = p.position.load(order[i]);
                const std::uint64_t low_a = deep_curve_key(x_a, *frame).low;
                const std::uint64_t low_b = deep_curve_key(x_b, *frame).low;
                common = low_a != low_b ? long_key_bits + common_bits(low_a, low_b)
                                        : 2 * long_key_bits + common_bits_beyond(x_a, x_b, i, runs);
            }
        }
        likeness[i] = static_cast<Likeness>(1 + common);
    });
}

void find_leaves(Exec exec, Index n, Index leaf_size, const Likeness* likeness, std::uint8_t* starts)
{
    for_each_chained(exec, n, [=] AUREOLE_HD(Index i) {
        starts[i] = leaf_from(i, leaf_size, likeness).first == i ? 1 : 0;
    });
}

void gather_bodies(Exec exec, const ConstParticlesView& p, Index n, const Frame* frame, const Index* order,
                   Body* bodies, float* softening, const TypeSoftening& given)
{
    const TypeSoftening lengths = given;
    for_each_chained(exec, n, [=] AUREOLE_HD(Index k) {
        const Index i = order[k];
        const double length = frame->length_scale;
        const Vec3 x = p.position.load(i);
        bodies[k] = {length * x.x, length * x.y, length * x.z, frame->mass_scale * p.mass[i]};
        if (softening) softening[k] = static_cast<float>(length * lengths.length[p.type_of(i)]);
    });
}

void build_nodes(Exec exec, const TreeView& tree, const LeafCount& leaves, const Index* leaf_starts,
                 const Likeness* likeness, const NodeArrays& nodes)
{
    const LeafCount count = leaves;
    for_each_chained(exec, count.most, [=] AUREOLE_HD(Index leaf) { nodes.meetings[leaf] = 0; });
    const auto climb = [=] AUREOLE_HD(Index leaf) {
        const Index n_leaves = count.get();
        if (leaf >= n_leaves) return;
        const auto boundary = [=](Index k) { return k < n_leaves ? leaf_starts[k] : tree.n_bodies; };
        const Index begin = boundary(leaf);
        Climber at{leaf, leaf, make_leaf(tree, begin, boundary(leaf + 1) - begin)};
        Likeness left = likeness[begin], right = likeness[boundary(leaf + 1)];
        for (;;) {
            if (left == 0 && right == 0) {
                store_node(nodes, root_slot, at.node);
                store_node(nodes, empty_slot, Node{});
                return;
            }
            const bool is_right = left > right;  // the node splits from its left neighbour last
            const Index parent = is_right ? at.first : at.last + 1;
            store_node(nodes, 2 * parent + is_right, at.node);
            const Index other_end = is_right ? at.last : at.first;
            const Index met = atomic_exchange_published(&nodes.meetings[parent], other_end + 1);
            if (met == 0) return;  // the sibling will come by
            const Node sibling = load_node(nodes, 2 * parent + !is_right);
            (is_right ? at.first : at.last) = met - 1;
            // asked for here, so that memory works beside the arithmetic
            const Likeness beyond = likeness[is_right ? boundary(at.first) : boundary(at.last + 1)];
            at.node = is_right ? parent_of(sibling, at.node, parent) : parent_of(at.node, sibling, parent);
            (is_right ? left : right) = beyond;
        }
    };
    constexpr Index block = 64;  // few leaves on many multiprocessors
    if (exec.backend == Backend::cpu)
        for_each_uneven(exec, count.most, climb);
    else
        for_each_chained(exec, count.most, climb, block);
}

}  // namespace aureole::gravity::tree
