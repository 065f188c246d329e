#include "halo/fof/linking_length.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "halo/particle_summary.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

constexpr double boundary_constant =
    0.653;                     // n l^3 at the boundary (More et al. 2011, percolation threshold)
constexpr double flat = 1e-6;  // of the longest axis

double extent_along(std::span<const double> x, std::span<const ParticleType> type, std::uint8_t linking_types)
{
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!type_links(linking_types, type[i])) continue;
        low = std::min(low, x[i]);
        high = std::max(high, x[i]);
    }
    return high - low;
}

}  // namespace

std::size_t number_linking(const Particles& host, std::uint8_t linking_types)
{
    const auto type = host.type.host();
    return static_cast<std::size_t>(std::count_if(
        type.begin(), type.end(), [&](ParticleType t) { return type_links(linking_types, t); }));
}

double mean_separation(const Box& box, std::size_t n_linking)
{
    AUREOLE_EXPECT(box.periodic(), "a mean separation needs a periodic box: give an absolute linking length");
    AUREOLE_EXPECT(n_linking > 0, "no particle links, so there is no mean separation: check the types");
    return box.side / std::cbrt(static_cast<double>(n_linking));
}

double bounding_box_separation(const Particles& host, std::uint8_t linking_types)
{
    const std::size_t n = number_linking(host, linking_types);
    AUREOLE_EXPECT(n > 0, "no particle links, so there is no mean separation: check the types");
    const auto type = host.type.host();
    const std::array<double, 3> extent{extent_along(host.position.x.host(), type, linking_types),
                                       extent_along(host.position.y.host(), type, linking_types),
                                       extent_along(host.position.z.host(), type, linking_types)};
    const double longest = *std::max_element(extent.begin(), extent.end());
    AUREOLE_EXPECT(longest > 0 && std::isfinite(longest),
                   "the {} linking particles span {}: give an absolute linking length", n, longest);
    double relative_volume = 1;  // in units of the longest axis, so that it cannot overflow
    int dimensions = 0;
    for (const double e : extent)
        if (e > flat * longest) {
            relative_volume *= e / longest;
            ++dimensions;
        }
    return longest * std::pow(relative_volume / static_cast<double>(n), 1.0 / dimensions);
}

double length_of_boundary_density(double number_density)
{
    AUREOLE_EXPECT(number_density > 0 && std::isfinite(number_density),
                   "boundary density {}, expected a positive, finite number per volume", number_density);
    return std::cbrt(boundary_constant / number_density);
}

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
