#include "halo/substructure/competition.hpp"

#include <limits>

namespace aureole::halo {

namespace {

std::vector<PhasePoint> places(const GroupPoints& points, double per_length)
{
    std::vector<PhasePoint> result;
    result.reserve(points.size());
    for (const Vec3 x : points.position)
        result.push_back({static_cast<float>(per_length * x.x), static_cast<float>(per_length * x.y),
                          static_cast<float>(per_length * x.z), 0, 0, 0});
    return result;
}

/// Where a halo is denser than the first one.
struct Claim {
    Index particle;
    double log_density;
};

}  // namespace

PlaceSearch::PlaceSearch(const GroupPoints& points, double length)
    : per_length_(1 / length), points_(places(points, per_length_)), tree_(points_)
{
}

std::vector<Index> PlaceSearch::within(Vec3 centre, double radius) const
{
    const Vec3 c = per_length_ * centre;
    return tree_.within({static_cast<float>(c.x), static_cast<float>(c.y), static_cast<float>(c.z), 0, 0, 0},
                        static_cast<float>(radius * per_length_));
}

std::vector<std::int32_t> compete(const GroupPoints& points, const PlaceSearch& search,
                                  std::span<const std::optional<PhaseProfile>> halos)
{
    const std::size_t n = points.size();
    std::vector<double> highest(n, -std::numeric_limits<double>::infinity());
    if (halos[0]) {
#pragma omp parallel for if (n > parallel_threshold)
        for (std::size_t i = 0; i < n; ++i)
            highest[i] = halos[0]->log_density(points.position[i], points.velocity[i]);
    }
    std::vector<std::vector<Claim>> claims(halos.size());
#pragma omp parallel for schedule(dynamic) if (halos.size() > 2)
    for (std::size_t h = 1; h < halos.size(); ++h) {
        if (!halos[h]) continue;
        for (const Index i : search.within(halos[h]->centre().position, halos[h]->reach())) {
            const double density = halos[h]->log_density(points.position[i], points.velocity[i]);
            if (density > highest[i]) claims[h].push_back({i, density});
        }
    }
    std::vector<std::int32_t> winner(n, 0);
    for (std::size_t h = 1; h < halos.size(); ++h)
        for (const Claim& claim : claims[h])
            if (claim.log_density > highest[claim.particle]) {
                highest[claim.particle] = claim.log_density;
                winner[claim.particle] = static_cast<std::int32_t>(h);
            }
    return winner;
}

}  // namespace aureole::halo
