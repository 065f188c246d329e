#include "halo/overdensity/member_spheres.hpp"

#include <algorithm>
#include <cmath>

#include "halo/overdensity/mass_sum.hpp"

namespace aureole::halo {

MemberSpheres::MemberSpheres(std::span<const RadialMass> members)
{
    std::vector<RadialMass> sorted(members.begin(), members.end());
    std::erase_if(sorted, [](const RadialMass& member) { return !(member.mass > 0); });
    if (sorted.empty()) return;
    const auto lighter = [](const RadialMass& a, const RadialMass& b) { return a.mass < b.mass; };
    const double largest = std::ranges::max_element(sorted, lighter)->mass;
    const int exponent = mass_exponent(largest, static_cast<Index>(sorted.size()));
    std::ranges::sort(sorted, {}, &RadialMass::squared);
    MassSum sum{0, 0};
    for (std::size_t k = 0; k < sorted.size(); ++k) {
        sum = sum + to_sum(sorted[k].mass, exponent);
        if (k + 1 < sorted.size() && sorted[k + 1].squared == sorted[k].squared) continue;
        squared_.push_back(sorted[k].squared);
        enclosed_.push_back(to_mass(sum, exponent));
    }
}

OverdensitySphere MemberSpheres::of_density(double density, Crossing crossing) const
{
    return crossing == Crossing::outermost ? outermost(density) : innermost(density);
}

OverdensitySphere MemberSpheres::outermost(double density) const
{
    for (std::size_t k = squared_.size(); k-- > 0;)
        if (reaches(enclosed_[k], density, squared_[k]))
            return {enclosed_[k], radius_of(enclosed_[k], density)};
    return {0, 0};
}

/// The first distance beyond which the mean density falls below `density` before the next mass is reached.
OverdensitySphere MemberSpheres::innermost(double density) const
{
    if (squared_.empty() || !reaches(enclosed_[0], density, squared_[0])) return {0, 0};
    std::size_t k = 0;
    while (k + 1 < squared_.size() && reaches(enclosed_[k], density, squared_[k + 1])) ++k;
    return {enclosed_[k], radius_of(enclosed_[k], density)};
}

double MemberSpheres::mass_within(double radius) const
{
    const auto beyond = std::ranges::upper_bound(squared_, radius * radius);
    return beyond == squared_.begin() ? 0
                                      : enclosed_[static_cast<std::size_t>(beyond - squared_.begin()) - 1];
}

double MemberSpheres::extent() const { return squared_.empty() ? 0 : std::sqrt(squared_.back()); }

}  // namespace aureole::halo
