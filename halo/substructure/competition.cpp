#include "halo/substructure/competition.hpp"

#include <algorithm>
#include <cmath>
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

const double log_negligible = std::log(1e-2);  ///< of a halo's density over the background's: no share
constexpr double log_unheld = -14;  ///< a millionth: of the background's density where it holds nothing
constexpr double settled = 0.005;   ///< relative change of a halo's members in a turn

/// Per halo but the background: where it is not negligible, and its density over the background's.
using Ratios = std::vector<std::vector<Share>>;

Ratios density_ratios(const GroupPoints& points, const PlaceSearch& search, const CompetitionRules& rules,
                      const Halos& halos)
{
    const std::size_t n = points.size();
    std::vector<double> background(n, -std::numeric_limits<double>::infinity());
    if (halos[0]) {
#pragma omp parallel for if (n > parallel_members)
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3 x = points.position[i], v = points.velocity[i];
            const bool held = !rules.bound_only || halos[0]->holds(x, v);
            background[i] = halos[0]->log_density(x, v) + (held ? 0 : log_unheld);
        }
    }
    Ratios ratios(halos.size());
#pragma omp parallel if (n > parallel_members && halos.size() > 2)
    {
        std::vector<Index> near;
#pragma omp for schedule(dynamic)
        for (std::size_t h = 1; h < halos.size(); ++h) {
            if (!halos[h]) continue;
            search.within(halos[h]->centre().position, halos[h]->reach(), near);
            for (const Index i : near) {
                const Vec3 x = points.position[i], v = points.velocity[i];
                if (rules.bound_only && !halos[h]->holds(x, v)) continue;
                const double log_ratio = halos[h]->log_density(x, v) - background[i];
                if (log_ratio > log_negligible)
                    ratios[h].push_back({i, std::exp(std::min(log_ratio, 300.0))});
            }
            std::ranges::sort(ratios[h], {}, &Share::particle);  // few are left of those that are near
        }
    }
    return ratios;
}

}  // namespace

PlaceSearch::PlaceSearch(const GroupPoints& points, double length)
    : per_length_(1 / length), points_(places(points, per_length_)), tree_(points_)
{
}

void PlaceSearch::within(Vec3 centre, double radius, std::vector<Index>& found) const
{
    const Vec3 c = per_length_ * centre;
    tree_.within({static_cast<float>(c.x), static_cast<float>(c.y), static_cast<float>(c.z), 0, 0, 0},
                 static_cast<float>(radius * per_length_), found);
}

void share_and_refit(const GroupPoints& points, const PlaceSearch& search, const CompetitionRules& rules,
                     Halos& halos)
{
    std::vector<double> members(halos.size(), 0), change(halos.size());
    const auto has_settled = [&](std::size_t h) { return change[h] < settled; };
    for (int turn = 0; turn < rules.most_turns; ++turn) {
        Ratios ratios = density_ratios(points, search, rules, halos);
        std::vector<double> sum(points.size(), 1);
        for (const auto& halo : ratios)
            for (const auto& [i, ratio] : halo) sum[i] += ratio;
        ratios[0].reserve(sum.size());
        for (std::size_t i = 0; i < sum.size(); ++i) ratios[0].push_back({static_cast<Index>(i), 1});
        std::ranges::fill(change, 0);
#pragma omp parallel for schedule(dynamic) if (points.size() > parallel_members && halos.size() > 1)
        for (std::size_t h = 0; h < halos.size(); ++h) {
            if (!halos[h] || ratios[h].empty()) continue;
            double now = 0;
            for (auto& [i, share] : ratios[h]) now += share /= sum[i];
            change[h] = std::abs(now - members[h]) / now;
            members[h] = now;
            halos[h].emplace(points, ratios[h], PhaseCentre(halos[h]->centre()), rules.floor);
        }
        if (turn + 1 >= rules.turns && std::ranges::all_of(rules.rivals, has_settled)) return;
    }
}

std::vector<std::int32_t> densest(const GroupPoints& points, const PlaceSearch& search,
                                  const CompetitionRules& rules, const Halos& halos)
{
    std::vector<std::int32_t> winner(points.size(), 0);
    std::vector<double> highest(points.size(), 1);
    const Ratios ratios = density_ratios(points, search, rules, halos);
    for (std::size_t h = 1; h < halos.size(); ++h)
        for (const auto& [i, ratio] : ratios[h])
            if (ratio > highest[i]) {
                highest[i] = ratio;
                winner[i] = static_cast<std::int32_t>(h);
            }
    return winner;
}

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
