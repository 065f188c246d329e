#include "halo/substructure/phase_profile.hpp"

#include <algorithm>
#include <cmath>

namespace aureole::halo {
namespace {

constexpr std::size_t least_in_shell = 24;  ///< a fifth of a dispersion's and of a density's noise
constexpr std::size_t most_shells = 32;
constexpr double outer_slope = -4;      ///< of ln rho beyond the last shell: where M converges
constexpr double reach_of_members = 2;  ///< in units of the farthest member's distance

}  // namespace

struct PhaseProfile::Member {
    double radius, squared_speed, weight;
};

PhaseProfile::PhaseProfile(const GroupPoints& points, std::span<const Index> members,
                           const PhaseCentre& centre, const PhaseFloor& floor)
    : centre_(centre), least_radius_(floor.length)
{
    double mass = 0;
    for (const Index i : members) mass += points.mass[i];
    std::vector<Member> sorted;
    sorted.reserve(members.size());
    for (const Index i : members) {
        const Vec3 dx = points.position[i] - centre.position, dv = points.velocity[i] - centre.velocity;
        sorted.push_back({std::sqrt(dot(dx, dx)), dot(dv, dv), mass > 0 ? points.mass[i] : 1.0});
    }
    std::ranges::stable_sort(sorted, {}, &Member::radius);
    const std::size_t n = sorted.size(),
                      n_shells = std::clamp(n / least_in_shell, std::size_t{1}, most_shells);
    double inner = 0;
    for (std::size_t k = 0; k < n_shells; ++k) {
        const std::size_t begin = k * n / n_shells, end = (k + 1) * n / n_shells;
        const double outer = std::max(sorted[end - 1].radius, inner + floor.length);
        add_shell(std::span(sorted).subspan(begin, end - begin), inner, outer, floor);
        inner = outer;
    }
    reach_ = reach_of_members * inner;
}

void PhaseProfile::add_shell(std::span<const Member> members, double inner, double outer,
                             const PhaseFloor& floor)
{
    double weight = 0, squared_speed = 0;
    for (const Member& m : members) {
        weight += m.weight;
        squared_speed += m.weight * m.squared_speed;
    }
    weight = std::max(weight, 1e-300);
    const double volume = 4.1887902047863905 * (outer * outer * outer - inner * inner * inner);
    const double sigma = std::max(std::sqrt(squared_speed / (3 * weight)), floor.speed);
    const double radius = std::max(members[members.size() / 2].radius, floor.length);
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
