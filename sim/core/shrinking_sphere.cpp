#include "sim/core/shrinking_sphere.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aureole {
namespace {

using detail::least_in_sphere, detail::shrink_factor;

/// Members that one thread looks at together; sums of blocks are added in order.
constexpr std::size_t block_size = 8192;

struct Kept {
    std::size_t n = 0;
    double mass = 0;
    Vec3 moment;

    Vec3 centre() const { return mass > 0 ? (1 / mass) * moment : Vec3{}; }
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
Kept inner_of(const PointMasses& points, const std::vector<Index>& members, Vec3 centre, double radius,
              std::vector<Index>& to)
{
    const std::size_t n_blocks = (members.size() + block_size - 1) / block_size;
    std::vector<Kept> blocks(n_blocks);
    to.resize(members.size());
#pragma omp parallel for if (n_blocks > 1)
    for (std::size_t b = 0; b < n_blocks; ++b) {
        const std::size_t begin = b * block_size, n = std::min(block_size, members.size() - begin);
        blocks[b] = keep_inner(points, std::span(members).subspan(begin, n), centre, radius, &to[begin]);
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

double farthest(const PointMasses& points, const std::vector<Index>& members, Vec3 centre)
{
    double r2 = 0;
#pragma omp parallel for reduction(max : r2) if (members.size() > block_size)
    for (std::size_t k = 0; k < members.size(); ++k) {
        const Vec3 d = points.load(members[k]) - centre;
        r2 = std::max(r2, dot(d, d));
    }
    return std::sqrt(r2);
}

}  // namespace

InnerSphere shrinking_sphere(const PointMasses& points, std::vector<Index> members)
{
    const std::size_t enough = std::max(least_in_sphere, members.size() / 100);
    std::vector<Index> inner;
    Vec3 centre = inner_of(points, members, {}, std::numeric_limits<double>::infinity(), inner).centre();
    double radius = farthest(points, members, centre);
    while (members.size() > enough && radius > 0) {
        radius *= shrink_factor;
        const Kept kept = inner_of(points, members, centre, radius, inner);
        if (kept.n < enough) break;
        members.swap(inner);
        centre = kept.centre();
    }
    return {centre, std::move(members)};
}

}  // namespace aureole
