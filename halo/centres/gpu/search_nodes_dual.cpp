// The nodes of a search on the GPU: masses at centres, with what bounds their potential. Sums are in double,
// bounds are rounded up.
#include <limits>

#include "halo/centres/gpu/search_data.hpp"
#include "halo/list_nodes_dual.hpp"
#include "sim/core/spatial/bounding_box.hpp"

namespace aureole::halo::centre_search {
namespace {

constexpr double inflated = 1 + 1e-9;  ///< covers the rounding of radii and moments in double

AUREOLE_HD float float_above(double x)
{
#if defined(__CUDA_ARCH__)
    return __double2float_ru(x);
#else
    const auto nearest = static_cast<float>(x);
    return nearest < x ? std::nextafter(nearest, std::numeric_limits<float>::infinity()) : nearest;
#endif
}

AUREOLE_HD Vec3 place_of(const Body& body) { return {body.x, body.y, body.z}; }
AUREOLE_HD Vec3 place_of(const TreeNode& node) { return {node.x, node.y, node.z}; }

/// A node without mass: never looked into.
AUREOLE_HD TreeNode nothing_at(Vec3 x) { return {x.x, x.y, x.z, 0, 0, 0, 0, {0, 0, 0}, {0, 0, 0}}; }

/// With A = 3/2 (M - trace(M) / 3), M the moments, the quadrupole in direction n is n A n, and no eigenvalue
/// of a symmetric A without trace is larger than sqrt(2/3) |A|.
AUREOLE_HD float largest_quadrupole(const Moments& moments)
{
    const double* m = moments.second;
    const double trace = m[0] + m[1] + m[2];
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double diagonal = m[axis] - trace / 3;
        square += diagonal * diagonal + 2 * m[3 + axis] * m[3 + axis];
    }
    return float_above(inflated * (std::sqrt(1.5 * square) + 1e-12 * trace));
}

/// Adds a mass at the distance d.
AUREOLE_HD void add_mass(Moments& to, double mass, Vec3 d)
{
    to.mass += mass;
    to.second[0] += mass * d.x * d.x;
    to.second[1] += mass * d.y * d.y;
    to.second[2] += mass * d.z * d.z;
    to.second[3] += mass * d.x * d.y;
    to.second[4] += mass * d.x * d.z;
    to.second[5] += mass * d.y * d.z;
}

/// How far members reach from the centre along each axis, and how far any of them is from it.
struct Reach {
    Vec3 below{}, above{};
    double radius = 0;

    AUREOLE_HD void include(Vec3 below_centre, Vec3 above_centre, double distance)
    {
        below = larger(below, below_centre);
        above = larger(above, above_centre);
        radius = larger(radius, distance);
    }

    AUREOLE_HD void write(TreeNode& node) const
    {
        const Vec3 corner = larger(below, above);
        node.radius = float_above(inflated * smaller(radius, std::sqrt(dot(corner, corner)) * inflated));
        const double low[3] = {below.x, below.y, below.z}, high[3] = {above.x, above.y, above.z};
        for (int axis = 0; axis < 3; ++axis) {
            node.below[axis] = float_above(inflated * low[axis]);
            node.above[axis] = float_above(inflated * high[axis]);
        }
    }
};

struct Builder {
    SearchNodes to;
    const Body* body;

    AUREOLE_HD bool has_tree(Index) const { return true; }

    AUREOLE_HD void leaf(const ListNode& leaf) const
    {
        const Vec3 origin = place_of(body[leaf.begin]);
        Vec3 moment{};
        double mass = 0;
        for (std::uint64_t k = leaf.begin; k < leaf.end; ++k) {
            mass += body[k].mass;
            moment = moment + body[k].mass * (place_of(body[k]) - origin);
        }
        TreeNode node = nothing_at(origin);
        Moments moments{};
        if (mass > 0) {
            const Vec3 centre = origin + (1 / mass) * moment;
            node = nothing_at(centre);
            Reach reach;
            double third = 0;
            for (std::uint64_t k = leaf.begin; k < leaf.end; ++k) {
                const Vec3 d = place_of(body[k]) - centre;
                const double distance = length(d);
                add_mass(moments, body[k].mass, d);
                third += body[k].mass * (distance * distance * distance);
                reach.include(-1.0 * d, d, distance);
            }
            moments.mass = mass;
            write(node, moments, third, reach);
        }
        to.node[leaf.at] = node;
        to.moments[leaf.at] = moments;
    }

    /// From bounds of the children: (sum m r^3)^(1/3) about the centre is at most as much about their own
    /// centres and m^(1/3) times the distance of these (Minkowski).
    AUREOLE_HD void parent(const ListNode& own) const
    {
        const TreeNode* const child = to.node + own.first_child;
        const Moments* const of_child = to.moments + own.first_child;
        const Vec3 origin = place_of(child[0]);
        Vec3 moment{};
        double mass = 0;
        for (Index c = 0; c < own.n_children; ++c) {
            mass += of_child[c].mass;
            moment = moment + of_child[c].mass * (place_of(child[c]) - origin);
        }
        TreeNode node = nothing_at(origin);
        Moments moments{};
        if (mass > 0) {
            const Vec3 centre = origin + (1 / mass) * moment;
            node = nothing_at(centre);
            Reach reach;
            double third = 0;
            for (Index c = 0; c < own.n_children; ++c) {
                if (!(of_child[c].mass > 0)) continue;
                const Vec3 d = place_of(child[c]) - centre;
                const double distance = length(d);
                add_mass(moments, of_child[c].mass, d);
                for (int k = 0; k < 6; ++k) moments.second[k] += of_child[c].second[k];
                const double root =
                    std::cbrt(static_cast<double>(child[c].third)) + std::cbrt(of_child[c].mass) * distance;
                third += root * root * root;
                const Vec3 below{child[c].below[0], child[c].below[1], child[c].below[2]},
                    above{child[c].above[0], child[c].above[1], child[c].above[2]};
                reach.include(below - d, above + d, child[c].radius + distance);
            }
            write(node, moments, third, reach);
        }
        to.node[own.at] = node;
        to.moments[own.at] = moments;
    }

    AUREOLE_HD static void write(TreeNode& node, const Moments& moments, double third, const Reach& reach)
    {
        node.mass = static_cast<float>(moments.mass);
        node.quadrupole = largest_quadrupole(moments);
        node.third = float_above(inflated * third);
        reach.write(node);
    }
};

}  // namespace

void build_nodes(Exec exec, const MembersView& members, const Levels& levels, const Body* body,
                 const SearchNodes& nodes)
{
    build_list_nodes<bucket_size>(exec, members, levels, Builder{nodes, body});
}

}  // namespace aureole::halo::centre_search
