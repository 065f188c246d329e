// Spherical overdensities the slow way: innermost crossings through all particles by rising distance,
// outermost ones by a sum over all particles for every particle, O(N^2). Shares no code with the search.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "halo/overdensity/overdensity.hpp"

namespace aureole::test {

inline constexpr double unit_sphere = 4 * 3.14159265358979323846 / 3;

class OverdensityReference {
public:
    OverdensityReference(const Particles& p, Vec3 centre, double side)
        : widest_(side > 0 ? side / 2 : INFINITY)
    {
        const auto along = [&](double a, double b) {
            const double d = std::abs(a - b);
            return side > 0 ? std::min(std::fmod(d, side), side - std::fmod(d, side)) : d;
        };
        for (std::size_t i = 0; i < p.size(); ++i) {
            const Vec3 x = p.position.load(i);
            if (p.mass.host()[i] > 0)
                body_.emplace_back(
                    std::hypot(along(x.x, centre.x), along(x.y, centre.y), along(x.z, centre.z)),
                    p.mass.host()[i]);
        }
        std::sort(body_.begin(), body_.end());
        double mass = 0;
        for (const auto& body : body_) through_.push_back(mass += body.second);
    }

    halo::OverdensitySphere sphere(double density, halo::Crossing crossing = halo::Crossing::outermost) const
    {
        return crossing == halo::Crossing::outermost ? outermost(density) : innermost(density);
    }

private:
    static constexpr std::size_t most_squared = 10000;  ///< with more bodies, running sums stand for O(N^2)

    static double needed(double density, double radius)
    {
        return density * unit_sphere * std::pow(radius, 3);
    }

    double mass_within(double radius) const
    {
        if (body_.size() > most_squared) {
            const auto end =
                std::upper_bound(body_.begin(), body_.end(), std::pair<double, double>(radius, INFINITY));
            return end == body_.begin() ? 0 : through_[static_cast<std::size_t>(end - body_.begin()) - 1];
        }
        double mass = 0;
        for (const auto& [distance, m] : body_)
            if (distance <= radius) mass += m;
        return mass;
    }

    halo::OverdensitySphere outermost(double density) const
    {
        if (widest_ < INFINITY && mass_within(widest_) >= needed(density, widest_)) return {NAN, NAN};
        double last = INFINITY;
        for (auto body = body_.rbegin(); body != body_.rend(); ++body) {
            if (body->first > widest_ || body->first == last) continue;
            last = body->first;
            const double mass = mass_within(body->first);
            if (mass >= needed(density, body->first)) return {mass, std::cbrt(mass / density / unit_sphere)};
        }
        return {0, 0};
    }

    halo::OverdensitySphere innermost(double density) const
    {
        double mass = 0;
        for (std::size_t k = 0; k < body_.size() && body_[k].first < widest_; ++k) {
            const double here = body_[k].first;
            const double next = k + 1 < body_.size() ? body_[k + 1].first : INFINITY;
            mass += body_[k].second;
            if (next == here) continue;
            if (here == body_[0].first && mass < needed(density, here)) return {0, 0};
            const double radius = std::cbrt(mass / density / unit_sphere);
            if (radius < std::min(next, widest_)) return {mass, radius};
        }
        return {NAN, NAN};
    }

    double widest_;
    std::vector<std::pair<double, double>> body_;  ///< distance, mass
    std::vector<double> through_;                  ///< mass of all bodies up to each
};

}  // namespace aureole::test
