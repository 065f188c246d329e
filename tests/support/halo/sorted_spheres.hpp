// Spheres in one list of masses, one after the other on the host: what the loops over many lists have to
// find, to the bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "halo/overdensity/mass_sum.hpp"
#include "halo/overdensity/overdensity.hpp"
#include "halo/properties/radial_bins.hpp"

namespace aureole::test {

class SortedSpheres {
public:
    explicit SortedSpheres(std::span<const halo::RadialMass> members)
    {
        std::vector<halo::RadialMass> sorted(members.begin(), members.end());
        std::erase_if(sorted, [](const halo::RadialMass& member) { return !(member.mass > 0); });
        if (sorted.empty()) return;
        const double largest = std::ranges::max_element(sorted, {}, &halo::RadialMass::mass)->mass;
        const int exponent = halo::mass_exponent(largest, static_cast<Index>(sorted.size()));
        std::ranges::sort(sorted, {}, &halo::RadialMass::squared);
        halo::MassSum sum{0, 0};
        for (std::size_t k = 0; k < sorted.size(); ++k) {
            sum = sum + halo::to_sum(sorted[k].mass, exponent);
            if (k + 1 < sorted.size() && sorted[k + 1].squared == sorted[k].squared) continue;
            squared_.push_back(sorted[k].squared);
            enclosed_.push_back(halo::to_mass(sum, exponent));
        }
    }

    halo::OverdensitySphere of_density(double density, halo::Crossing crossing) const
    {
        return crossing == halo::Crossing::outermost ? outermost(density) : innermost(density);
    }
    double mass_within(double squared) const
    {
        double mass = 0;
        for (std::size_t k = 0; k < squared_.size() && squared_[k] <= squared; ++k) mass = enclosed_[k];
        return mass;
    }
    double extent() const { return squared_.empty() ? 0 : std::sqrt(squared_.back()); }

private:
    halo::OverdensitySphere outermost(double density) const
    {
        for (std::size_t k = squared_.size(); k-- > 0;)
            if (halo::reaches(enclosed_[k], density, squared_[k]))
                return {enclosed_[k], halo::radius_of(enclosed_[k], density)};
        return {0, 0};
    }
    /// The first distance beyond which the mean density falls below `density` before the next mass is
    /// reached.
    halo::OverdensitySphere innermost(double density) const
    {
        if (squared_.empty() || !halo::reaches(enclosed_[0], density, squared_[0])) return {0, 0};
        std::size_t k = 0;
        while (k + 1 < squared_.size() && halo::reaches(enclosed_[k], density, squared_[k + 1])) ++k;
        return {enclosed_[k], halo::radius_of(enclosed_[k], density)};
    }

    std::vector<double> squared_;   ///< distances, rising; each once
    std::vector<double> enclosed_;  ///< mass up to and with each
};

}  // namespace aureole::test
