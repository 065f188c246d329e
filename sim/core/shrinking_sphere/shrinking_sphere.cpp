#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace aureole {
namespace {

using detail::least_in_sphere, detail::least_radius, detail::shrink_factor;

/// Members that one thread looks at together; sums of blocks are added in order.
constexpr std::size_t block_size = 8192;

struct Kept {
    std::size_t n = 0;
    double mass = 0;
    Vec3 moment;

    Vec3 centre() const
    {
        if (!(mass > 0)) return {};
        const double inverse = 1 / mass;
        if (std::isfinite(inverse)) return inverse * moment;
        return {moment.x / mass, moment.y / mass, moment.z / mass};
    }
};

/// Copies the members within `radius` of `centre` to `to`, in order.
Kept keep_inner(const PointMasses& points, std::span<const Index> members, Vec3 centre, double radius,
                Index* to)
{
    Kept kept;
    for (Index i : members) {
        const Vec3 x = points.load(i), d = x - centre;
        if (dot(d, d) > radius * radius) continue;
        to[kept.n++] = i;
        kept.mass += points.mass[i];
        kept.moment = kept.moment + points.mass[i] * x;
    }
    return kept;
}

/// The same for all members, with gaps in `to` closed.
Kept inner_of(const PointMasses& points, std::span<const Index> members, Vec3 centre, double radius,
              memory::CountedVector<Index>& to)
{
    const std::size_t n_blocks = (members.size() + block_size - 1) / block_size;
    std::vector<Kept> blocks(n_blocks);
    to.resize(members.size());
#pragma omp parallel for if (n_blocks > 1)
    for (std::size_t b = 0; b < n_blocks; ++b) {
        const std::size_t begin = b * block_size, n = std::min(block_size, members.size() - begin);
        blocks[b] = keep_inner(points, members.subspan(begin, n), centre, radius, &to[begin]);
    }
    Kept all;
    for (std::size_t b = 0; b < n_blocks; ++b) {
        const auto from = to.begin() + static_cast<std::ptrdiff_t>(b * block_size);
        std::copy_n(from, blocks[b].n, to.begin() + static_cast<std::ptrdiff_t>(all.n));
        all.n += blocks[b].n;
        all.mass += blocks[b].mass;
        all.moment = all.moment + blocks[b].moment;
    }
    to.resize(all.n);
    return all;
}

double farthest(const PointMasses& points, std::span<const Index> members, Vec3 centre)
{
    double r2 = 0;
#pragma omp parallel for reduction(max : r2) if (members.size() > block_size)
    for (std::size_t k = 0; k < members.size(); ++k) {
        const Vec3 d = points.load(members[k]) - centre;
        r2 = std::max(r2, dot(d, d));
    }
    return std::sqrt(r2);
}

/// A power of two that brings the largest of the members' values to about 1; exact but for what underflows.
int scale_of(std::initializer_list<std::span<const double>> arrays, std::span<const Index> members)
{
    double largest = 0;
    for (const std::span<const double> values : arrays)
        for (const Index i : members) largest = std::max(largest, std::abs(values[i]));
    return largest > 0 && std::isfinite(largest) ? -std::ilogb(largest) : 0;
}

std::vector<double> scaled(std::span<const double> values, int scale)
{
    std::vector<double> result(values.begin(), values.end());
    for (double& value : result) value = std::scalbn(value, scale);
    return result;
}

/// The spheres from `radius` about `centre` inwards. A radius that is not finite ends the search.
InnerSphere shrunk(const PointMasses& points, memory::CountedVector<Index> members, Vec3 centre,
                   double radius, memory::CountedVector<Index>& inner, const Progress& progress)
{
    const double first = radius;
    const std::size_t enough = std::max(least_in_sphere, members.size() / 100);
    while (members.size() > enough && radius >= least_radius && std::isfinite(radius)) {
        progress.at(1 - radius / first, "shrinking spheres");
        radius *= shrink_factor;
        const Kept kept = inner_of(points, members, centre, radius, inner);
        if (kept.n < enough) break;
        members.swap(inner);
        centre = kept.centre();
    }
    return {centre, std::move(members)};
}

}  // namespace

InnerSphere shrinking_sphere(const PointMasses& points, memory::CountedVector<Index> members,
                             const Progress& progress)
{
    memory::CountedVector<Index> inner;
    const auto whole = [&](const PointMasses& of) {
        return inner_of(of, members, {}, std::numeric_limits<double>::infinity(), inner);
    };
    const Kept all = whole(points);
    const double radius = farthest(points, members, all.centre());
    const bool in_range =
        std::isfinite(radius) && finite(all.centre()) && (all.mass == 0 || std::isfinite(1 / all.mass));
    if (in_range) return shrunk(points, std::move(members), all.centre(), radius, inner, progress);

    // squares of distances or moments overflow, or sums of masses underflow: the same in units in which they
    // do not
    const int lengths = scale_of({points.x, points.y, points.z}, members);
    const int masses = scale_of({points.mass}, members);
    const std::vector<double> m = scaled(points.mass, masses), x = scaled(points.x, lengths),
                              y = scaled(points.y, lengths), z = scaled(points.z, lengths);
    const PointMasses near{m, x, y, z};
    const Vec3 centre = whole(near).centre();
    const double reach = farthest(near, members, centre);
    InnerSphere sphere = shrunk(near, std::move(members), centre, reach, inner, progress);
    for (double* axis : {&sphere.centre.x, &sphere.centre.y, &sphere.centre.z})
        *axis = std::scalbn(*axis, -lengths);
    return sphere;
}

}  // namespace aureole
