// A node as it is computed: from the bodies of a leaf, or from two children. The same on either backend and
// wherever the children come from: of equal children the parent has equal bits.
#pragma once

#include <cmath>

#include "gravity/tree/build.hpp"

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

}  // namespace aureole::gravity::tree
