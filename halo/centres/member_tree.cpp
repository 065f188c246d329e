#include "halo/centres/member_tree.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/spatial/build_nodes_dual.hpp"
#include "sim/core/spatial/median_order.hpp"

namespace aureole::halo {
namespace {

constexpr double inflated = 1 + 1e-9;  ///< covers the rounding of radii and moments

struct Place {
    double x[3];
    Index body;
};

struct PlaceAxes {
    static constexpr int count = 3;

    static double coordinate(const Place& place, int axis) { return place.x[axis]; }
    static double length(int, double difference) { return difference; }
    static bool before(const Place& a, const Place& b, int axis)
    {
        return a.x[axis] < b.x[axis] || (a.x[axis] == b.x[axis] && a.body < b.body);
    }
};

/// Distance of the farthest corner of the node's box from its centre.
double corner_distance(const MemberNode& node)
{
    return length(larger(node.high - node.centre, node.centre - node.low)) * inflated;
}

}  // namespace

struct MemberTree::Builder : Hierarchy<MemberNode> {
    BodiesView bodies;

    MemberNode leaf(Index k) const
    {
        const std::size_t first = begin(k);
        const BodiesView own{size(k), bodies.x + first, bodies.y + first, bodies.z + first,
                             bodies.mass + first};
        MemberNode made{box_around(own), {}};
        for (std::size_t i = 0; i < own.n; ++i) made.mass += own.mass[i];
        made.centre = made.mass > 0 ? centre_of_mass(own) : made.middle();
        for (std::size_t i = 0; i < own.n; ++i) {
            const Vec3 d = own.position(i) - made.centre;
            made.second += own.mass[i] * dot(d, d) * inflated;
            made.radius = std::max(made.radius, length(d) * inflated);
        }
        return made;
    }

    static MemberNode merge(const MemberNode& a, const MemberNode& b)
    {
        MemberNode made{a.around(b), {}};
        made.mass = a.mass + b.mass;
        made.centre = made.mass > 0 ? a.centre + (b.mass / made.mass) * (b.centre - a.centre) : made.middle();
        for (const MemberNode* child : {&a, &b}) {
            const double shift = length(child->centre - made.centre);
            made.second += (child->second + child->mass * shift * shift) * inflated;
            made.radius = std::max(made.radius, (child->radius + shift) * inflated);
        }
        made.radius = std::min(made.radius, corner_distance(made));
        return made;
    }
};

MemberTree::MemberTree(const BodiesView& bodies)
    : shape_(BalancedTree::over(bodies.n, leaf_size)), nodes_(shape_.n_places())
{
    sort_bodies(bodies);
    build_nodes_cpu(shape_, Builder{{shape_, nodes_.data()}, this->bodies()});
}

void MemberTree::sort_bodies(const BodiesView& bodies)
{
    std::vector<Place> places(bodies.n);
    for (std::size_t k = 0; k < bodies.n; ++k)
        places[k] = {{bodies.x[k], bodies.y[k], bodies.z[k]}, static_cast<Index>(k)};
    order_by_medians(shape_, std::span(places), PlaceAxes{});
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

}  // namespace aureole::halo
