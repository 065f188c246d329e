#include "sim/core/shrinking_sphere.hpp"

#include <algorithm>
#include <cmath>

namespace aureole {
namespace {

constexpr double shrink_factor = 0.95;
constexpr std::size_t least_in_sphere = 50;

Vec3 centre_of_mass(const PointMasses& points, const std::vector<Index>& members)
{
    double mass = 0;
    Vec3 position;
    for (Index i : members) {
        mass += points.mass[i];
        position = position + points.mass[i] * points.load(i);
    }
    return mass > 0 ? (1 / mass) * position : Vec3{};
}

double distance(const PointMasses& points, Index i, Vec3 centre)
{
    const Vec3 d = points.load(i) - centre;
    return std::sqrt(dot(d, d));
}

}  // namespace

InnerSphere shrinking_sphere(const PointMasses& points, std::vector<Index> members)
{
    const std::size_t enough = std::max(least_in_sphere, members.size() / 100);
    Vec3 centre = centre_of_mass(points, members);
    double radius = 0;
    for (Index i : members) radius = std::max(radius, distance(points, i, centre));
    std::vector<Index> inner;
    while (members.size() > enough && radius > 0) {
        radius *= shrink_factor;
        inner.clear();
        for (Index i : members)
            if (distance(points, i, centre) <= radius) inner.push_back(i);
        if (inner.size() < enough) break;
        members.swap(inner);
        centre = centre_of_mass(points, members);
    }
    return {centre, std::move(members)};
}

}  // namespace aureole
