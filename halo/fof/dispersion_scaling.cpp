#include "halo/fof/dispersion_scaling.hpp"

#include <cmath>

namespace aureole::halo {
namespace {

struct Motion {
    Vec3 mean;
    double dispersion = 0;
};

/// Sums in input order: the same for any number of threads.
Motion motion_of(const Vec3View& velocity, std::span<const Index> members)
{
    Motion motion;
    const Vec3 origin = velocity.load(members[0]);  // common motion, however large, leaves no rounding
    const double weight = 1 / static_cast<double>(members.size());
    Vec3 sum;
    for (const Index i : members) sum = sum + (velocity.load(i) - origin);
    motion.mean = origin + weight * sum;
    double squares = 0;
    for (const Index i : members) {
        const Vec3 v = velocity.load(i) - motion.mean;
        squares += dot(v, v);
    }
    motion.dispersion = std::sqrt(weight * squares / 3);
    return motion;
}

}  // namespace

void scale_by_dispersion(const Vec3View& velocity, const Groups& groups)
{
    const Members members = members_of(groups);
#pragma omp parallel for schedule(dynamic) if (groups.label.size() > parallel_threshold)
    for (std::size_t g = 0; g < members.size(); ++g) {
        const Motion motion = motion_of(velocity, members.of(g));
        const double scale = motion.dispersion > 0 ? 1 / motion.dispersion : 0;
        for (const Index i : members.of(g)) velocity.store(i, scale * (velocity.load(i) - motion.mean));
    }
    for (std::size_t i = 0; i < groups.label.size(); ++i)
        if (groups.label[i] < 0) velocity.store(static_cast<Index>(i), {0, 0, 0});
}

}  // namespace aureole::halo
