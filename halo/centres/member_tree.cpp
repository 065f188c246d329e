#include "halo/centres/member_tree.hpp"

#include <algorithm>
#include <cmath>

namespace aureole::halo {
namespace {

constexpr double inflated = 1 + 1e-9;  ///< covers the rounding of radii and moments

struct Place {
    double x[3];
    Index body;
};

int longest_axis(const Place* begin, const Place* end)
{
    double span[3];
    for (int axis = 0; axis < 3; ++axis) {
        double low = begin->x[axis], high = low;
        for (const Place* p = begin; p != end; ++p) {
            low = std::min(low, p->x[axis]);
            high = std::max(high, p->x[axis]);
        }
        span[axis] = high - low;
    }
    return static_cast<int>(std::max_element(span, span + 3) - span);
}

KdTree shape_for(std::size_t n)
{
    KdTree shape{};
    shape.n = static_cast<Index>(n);
    while ((n + (std::size_t{1} << shape.depth) - 1) >> shape.depth > MemberTree::leaf_size) ++shape.depth;
    return shape;
}

Vec3 least(Vec3 a, Vec3 b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
Vec3 largest(Vec3 a, Vec3 b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }
double length(Vec3 d) { return std::sqrt(dot(d, d)); }

/// Distance of the farthest corner of the node's box from its centre.
double corner_distance(const MemberNode& node)
{
    return length(largest(node.high - node.centre, node.centre - node.low)) * inflated;
}

}  // namespace

MemberTree::MemberTree(const BodiesView& bodies) : shape_(shape_for(bodies.n))
{
    sort_bodies(bodies);
    nodes_.resize(2 * std::size_t{shape_.n_leaves()});
    const bool large = bodies.n > parallel_threshold;
    for (int depth = shape_.depth; depth >= 0; --depth) {
        const Index first = Index{1} << depth;
#pragma omp parallel for if (large && first > 16)
        for (Index k = first; k < 2 * first; ++k) nodes_[k] = shape_.is_leaf(k) ? leaf_of(k) : parent_of(k);
    }
}

void MemberTree::sort_bodies(const BodiesView& bodies)
{
    std::vector<Place> places(bodies.n);
    for (std::size_t k = 0; k < bodies.n; ++k)
        places[k] = {{bodies.x[k], bodies.y[k], bodies.z[k]}, static_cast<Index>(k)};
    const bool large = bodies.n > parallel_threshold;
    for (int depth = 0; depth < shape_.depth; ++depth) {
        const Index first = Index{1} << depth;
#pragma omp parallel for schedule(dynamic) if (large && first > 1)
        for (Index k = first; k < 2 * first; ++k) {
            Place* begin = places.data() + shape_.begin(k);
            Place* end = places.data() + shape_.end(k);
            if (begin == end) continue;
            const int axis = longest_axis(begin, end);
            std::nth_element(begin, places.data() + shape_.begin(2 * k + 1), end,
                             [axis](const Place& a, const Place& b) {
                                 return a.x[axis] < b.x[axis] || (a.x[axis] == b.x[axis] && a.body < b.body);
                             });
        }
    }
    order_.resize(bodies.n);
    for (std::vector<double>* array : {&x_, &y_, &z_, &mass_}) array->resize(bodies.n);
    for (std::size_t at = 0; at < bodies.n; ++at) {
        const Index k = places[at].body;
        order_[at] = k;
        x_[at] = bodies.x[k];
        y_[at] = bodies.y[k];
        z_[at] = bodies.z[k];
        mass_[at] = bodies.mass[k];
    }
}

MemberNode MemberTree::leaf_of(Index k) const
{
    const BodiesView all = bodies();
    const std::size_t begin = shape_.begin(k), end = shape_.end(k);
    const BodiesView own{end - begin, all.x + begin, all.y + begin, all.z + begin, all.mass + begin};
    MemberNode node;
    const Extent extent = extent_of(own);
    node.low = extent.low;
    node.high = extent.high;
    for (std::size_t i = 0; i < own.n; ++i) node.mass += own.mass[i];
    node.centre = node.mass > 0 ? centre_of_mass(own) : extent.middle();
    for (std::size_t i = 0; i < own.n; ++i) {
        const Vec3 d = own.position(i) - node.centre;
        node.second += own.mass[i] * dot(d, d) * inflated;
        node.radius = std::max(node.radius, length(d) * inflated);
    }
    return node;
}

MemberNode MemberTree::parent_of(Index k) const
{
    const MemberNode &a = nodes_[KdTree::left(k)], &b = nodes_[KdTree::left(k) + 1];
    MemberNode node;
    node.low = least(a.low, b.low);
    node.high = largest(a.high, b.high);
    node.mass = a.mass + b.mass;
    node.centre = node.mass > 0 ? a.centre + (b.mass / node.mass) * (b.centre - a.centre)
                                : 0.5 * (node.low + node.high);
    for (const MemberNode* child : {&a, &b}) {
        const double shift = length(child->centre - node.centre);
        node.second += (child->second + child->mass * shift * shift) * inflated;
        node.radius = std::max(node.radius, (child->radius + shift) * inflated);
    }
    node.radius = std::min(node.radius, corner_distance(node));
    return node;
}

}  // namespace aureole::halo
