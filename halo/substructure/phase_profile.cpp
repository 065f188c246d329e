#include "halo/substructure/phase_profile.hpp"

#include <algorithm>
#include <cmath>

namespace aureole::halo {
namespace {

constexpr double least_in_shell = 24;  ///< a fifth of a dispersion's and of a density's noise
constexpr double least_shells = 4;     ///< members for fewer make a Plummer sphere
constexpr double most_shells = 32;
constexpr int outer_parts = 3;          ///< of the last shell, so that one far member says little
constexpr double outer_slope = -4;      ///< of ln rho beyond the last shell: where M converges
constexpr double reach_of_members = 2;  ///< in units of the farthest member's distance
constexpr double sphere_volume = 4.1887902047863905;

}  // namespace

struct PhaseProfile::Member {
    double radius, squared_speed, probability, weight;
};

PhaseProfile::PhaseProfile(const GroupPoints& points, std::span<const Share> members,
                           const PhaseCentre& centre, const PhaseFloor& floor)
    : centre_(centre), floor_(floor)
{
    double mass = 0, count = 0;
    for (const auto& [i, probability] : members) {
        mass += points.mass[i];
        count += probability;
    }
    has_mass_ = mass > 0;
    std::vector<Member> sorted;
    sorted.reserve(members.size());
    for (const auto& [i, probability] : members) {
        const Vec3 dx = points.position[i] - centre.position, dv = points.velocity[i] - centre.velocity;
        const double weight = probability * (has_mass_ ? points.mass[i] : 1.0);
        sorted.push_back({std::sqrt(dot(dx, dx)), dot(dv, dv), probability, weight});
    }
    std::ranges::stable_sort(sorted, {}, &Member::radius);
    const double n_shells = std::min(std::floor(count / least_in_shell), most_shells);
    if (n_shells < least_shells)
        make_plummer(sorted, 0.5 * count);
    else
        make_shells(sorted, count / n_shells, n_shells);
    reach_ = reach_of_members * std::max(sorted.back().radius, floor.length);
    find_potential();
}

/// One-dimensional, weighted by mass.
double PhaseProfile::dispersion(std::span<const Member> members) const
{
    double weight = 0, squared_speed = 0;
    for (const Member& m : members) {
        weight += m.weight;
        squared_speed += m.weight * m.squared_speed;
    }
    return std::max(weight > 0 ? std::sqrt(squared_speed / (3 * weight)) : 0, floor_.speed);
}

/// The first members from `begin` on that together count as `count`, at least one.
std::size_t PhaseProfile::end_of(std::span<const Member> members, std::size_t begin, double count)
{
    double counted = 0;
    std::size_t end = begin;
    while (end < members.size() && (end == begin || counted < count)) counted += members[end++].probability;
    return end;
}

/// Of equal counts; dispersions of whole shells, densities of their parts.
void PhaseProfile::make_shells(std::span<const Member> members, double count, double n_shells)
{
    double inner = 0;
    for (double shell = 1; !members.empty(); ++shell) {
        const bool last = shell >= n_shells;
        const std::size_t n = last ? members.size() : end_of(members, 0, count);
        const double sigma = dispersion(members.first(n));
        for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
            end = last ? end_of(members, begin, count / outer_parts) : n;
            const auto part = members.subspan(begin, end - begin);
            double weight = 0;
            for (const Member& m : part) weight += m.weight;
            const double outer = std::max(part.back().radius, inner + floor_.length);
            const double volume = sphere_volume * (outer * outer * outer - inner * inner * inner);
            // equal masses on either side: where a density as r^-3 has its mean
            add_shell(part[part.size() / 2].radius, weight / volume, sigma, outer, weight);
            inner = outer;
        }
        members = members.subspan(n);
    }
}

/// A Plummer sphere of the members' mass, half-mass radius and dispersion, as a table.
void PhaseProfile::make_plummer(std::span<const Member> members, double half_count)
{
    constexpr double half_mass_radius = 1.3048, mean_squared_sigma = 0.589;  // in units of b, of sigma(0)^2
    double mass = 0;
    for (const Member& m : members) mass += m.weight;
    const double b =
        std::max(members[end_of(members, 0, half_count) - 1].radius / half_mass_radius, floor_.length);
    const double sigma = dispersion(members);
    double enclosed = 0;
    for (double s = 0.125; s < 12; s *= 1.5) {  // radii in units of b
        const double outer = 1.25 * s, square = 1 + s * s;
        const double within = mass * std::pow(1 + 1 / (outer * outer), -1.5);
        const double density = mass / (sphere_volume * b * b * b) * std::pow(square, -2.5);
        const double local = sigma / std::sqrt(mean_squared_sigma * std::sqrt(square));
        add_shell(s * b, density, std::max(local, floor_.speed), outer * b, within - enclosed);
        enclosed = within;
    }
}

void PhaseProfile::add_shell(double radius, double density, double sigma, double outer, double mass)
{
    shells_.push_back({std::log(std::max(radius, floor_.length)), std::log(std::max(density, 1e-300)),
                       std::log(sigma), outer, mass, 0});
}

/// From outside in: a shell's mass counts as lying halfway through it.
void PhaseProfile::find_potential()
{
    double enclosed = 0;
    for (const Shell& shell : shells_) enclosed += shell.mass;
    double potential = -enclosed / shells_.back().outer_radius;
    for (std::size_t k = shells_.size(); k-- > 0;) {
        shells_[k].potential = potential;
        if (k == 0) break;
        enclosed -= shells_[k].mass;
        const double inner = shells_[k - 1].outer_radius, outer = shells_[k].outer_radius;
        potential -= (enclosed + 0.5 * shells_[k].mass) * (1 / inner - 1 / outer);
    }
}

bool PhaseProfile::holds(Vec3 position, Vec3 velocity) const
{
    if (!has_mass_) return true;
    const Vec3 dx = position - centre_.position, dv = velocity - centre_.velocity;
    const double radius = std::sqrt(dot(dx, dx));
    // faster than where the potential is deepest: most of a host's particles about a satellite
    if (radius > shells_.front().outer_radius && 0.5 * dot(dv, dv) + shells_.front().potential > 0)
        return false;
    // within a shell the potential is that at its outer side or deeper; the next shell's inner side is a
    // bound from below, and leaves the choice to the potential of all members
    const auto shell = std::ranges::lower_bound(shells_, radius, {}, &Shell::outer_radius);
    double potential = 0;
    if (shell == shells_.end())
        potential = shells_.back().potential * shells_.back().outer_radius / radius;
    else if (shell == shells_.begin())
        return true;
    else
        potential = (shell - 1)->potential;
    return 0.5 * dot(dv, dv) + potential <= 0;
}

double PhaseProfile::log_density(Vec3 position, Vec3 velocity) const
{
    const Vec3 dx = position - centre_.position, dv = velocity - centre_.velocity;
    const double log_radius = std::log(std::max(std::sqrt(dot(dx, dx)), floor_.length));
    const auto above = std::ranges::upper_bound(shells_, log_radius, {}, &Shell::log_radius);
    double log_density = shells_.front().log_density, log_sigma = shells_.front().log_sigma;
    if (above == shells_.end()) {
        const double beyond = log_radius - shells_.back().log_radius;
        log_density = shells_.back().log_density + outer_slope * beyond;
        log_sigma = shells_.back().log_sigma - 0.5 * beyond;
    } else if (above != shells_.begin()) {
        const Shell &a = *(above - 1), &b = *above;
        const double t = (log_radius - a.log_radius) / (b.log_radius - a.log_radius);  // a below, b above
        log_density = a.log_density + t * (b.log_density - a.log_density);
        log_sigma = a.log_sigma + t * (b.log_sigma - a.log_sigma);
    }
    return log_density - 3 * log_sigma - 0.5 * dot(dv, dv) * std::exp(-2 * log_sigma);
}

}  // namespace aureole::halo
