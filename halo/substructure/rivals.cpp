#include "halo/substructure/rivals.hpp"

#include <algorithm>

namespace aureole::halo {
namespace {

constexpr double least_ratio = 0.2;  ///< of the members of two pieces
/// In dispersions of all that the parent began with. What the noise of one core makes two of lies nearer:
/// within a core, a dispersion or less apart.
constexpr double least_separation = 1.5;

/// In units of the dispersions of `whole`; what does not vary does not count.
double squared_distance(Vec3 dx, Vec3 dv, const Moments& whole)
{
    return (whole.size > 0 ? dot(dx, dx) / (whole.size * whole.size) : 0) +
           (whole.speed > 0 ? dot(dv, dv) / (whole.speed * whole.speed) : 0);
}

}  // namespace

bool are_rivals(const Branch& branch, const Branch& parent)
{
    if (static_cast<double>(branch.members.size()) < least_ratio * static_cast<double>(branch.n_sibling))
        return false;
    const Vec3 dx = branch.moments.position - branch.sibling.position;
    const Vec3 dv = branch.moments.velocity - branch.sibling.velocity;
    return squared_distance(dx, dv, parent.moments) >= least_separation * least_separation;
}

std::vector<std::vector<Index>> nearest_parts(const GroupPoints& points, std::span<const Index> pool,
                                              std::span<const PhaseCentre> centres, const Moments& whole)
{
    std::vector<std::vector<Index>> parts(centres.size());
    std::vector<double> distance(centres.size());
    for (const Index i : pool) {
        for (std::size_t k = 0; k < centres.size(); ++k)
            distance[k] = squared_distance(points.position[i] - centres[k].position,
                                           points.velocity[i] - centres[k].velocity, whole);
        const auto nearest = std::ranges::min_element(distance) - distance.begin();
        parts[static_cast<std::size_t>(nearest)].push_back(i);
    }
    return parts;
}

}  // namespace aureole::halo
