#include "halo/substructure/phase_profile.hpp"

#include <algorithm>
#include <cmath>

namespace aureole::halo {
namespace {

constexpr double least_in_shell = 24;  ///< a fifth of a dispersion's and of a density's noise
constexpr double most_shells = 32;
constexpr double outer_slope = -4;      ///< of ln rho beyond the last shell: where M converges
constexpr double reach_of_members = 2;  ///< in units of the farthest member's distance

}  // namespace

struct PhaseProfile::Member {
    double radius, squared_speed, probability, weight;
};

PhaseProfile::PhaseProfile(const GroupPoints& points, std::span<const Share> members,
                           const PhaseCentre& centre, const PhaseFloor& floor)
    : centre_(centre), least_radius_(floor.length)
{
    double mass = 0, count = 0;
    for (const auto& [i, probability] : members) {
        mass += points.mass[i];
        count += probability;
    }
    std::vector<Member> sorted;
    sorted.reserve(members.size());
    for (const auto& [i, probability] : members) {
        const Vec3 dx = points.position[i] - centre.position, dv = points.velocity[i] - centre.velocity;
        const double weight = probability * (mass > 0 ? points.mass[i] : 1.0);
        sorted.push_back({std::sqrt(dot(dx, dx)), dot(dv, dv), probability, weight});
    }
    std::ranges::stable_sort(sorted, {}, &Member::radius);
    const double n_shells = std::clamp(std::floor(count / least_in_shell), 1.0, most_shells);
    double inner = 0, counted = 0, shell = 1;
    for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
        while (end < sorted.size() &&
               (end == begin || shell == n_shells || counted < count * shell / n_shells))
            counted += sorted[end++].probability;
        const double outer = std::max(sorted[end - 1].radius, inner + floor.length);
        add_shell(std::span(sorted).subspan(begin, end - begin), inner, outer, floor);
        inner = outer;
        ++shell;
    }
    reach_ = reach_of_members * inner;
}

void PhaseProfile::add_shell(std::span<const Member> members, double inner, double outer,
                             const PhaseFloor& floor)
{
    double weight = 0, squared_speed = 0, count = 0, middle = 0;
    for (const Member& m : members) {
        count += m.probability;
        weight += m.weight;
        squared_speed += m.weight * m.squared_speed;
    }
    weight = std::max(weight, 1e-300);
    const double volume = 4.1887902047863905 * (outer * outer * outer - inner * inner * inner);
    const double sigma = std::max(std::sqrt(squared_speed / (3 * weight)), floor.speed);
    double below = 0;
    for (const Member& m : members)
        if (below += m.probability; below * 2 >= count) {
            middle = m.radius;
            break;
        }
    const double radius = std::max(middle, floor.length);
    shells_.push_back({std::log(radius), std::log(weight / volume), std::log(sigma)});
}

double PhaseProfile::log_density(Vec3 position, Vec3 velocity) const
{
    const Vec3 dx = position - centre_.position, dv = velocity - centre_.velocity;
    const double log_radius = std::log(std::max(std::sqrt(dot(dx, dx)), least_radius_));
    const auto above = std::ranges::upper_bound(shells_, log_radius, {}, &Shell::log_radius);
    double log_density = shells_.front().log_density, log_sigma = shells_.front().log_sigma;
    if (above == shells_.end()) {
        const double beyond = log_radius - shells_.back().log_radius;
        log_density = shells_.back().log_density + outer_slope * beyond;
        log_sigma = shells_.back().log_sigma - 0.5 * beyond;
    } else if (above != shells_.begin()) {
        const Shell &a = *(above - 1), &b = *above;
        const double t = (log_radius - a.log_radius) / (b.log_radius - a.log_radius);
        log_density = a.log_density + t * (b.log_density - a.log_density);
        log_sigma = a.log_sigma + t * (b.log_sigma - a.log_sigma);
    }
    return log_density - 3 * log_sigma - 0.5 * dot(dv, dv) * std::exp(-2 * log_sigma);
}

}  // namespace aureole::halo
