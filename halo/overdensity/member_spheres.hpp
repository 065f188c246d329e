// Spheres about one centre in a given list of masses alone, such as the bound members of a subhalo, whose
// surroundings belong to its host. crossing.hpp says where a sphere ends.
#pragma once

#include <span>
#include <vector>

#include "halo/overdensity/crossing.hpp"
#include "halo/overdensity/overdensity.hpp"
#include "halo/properties/radial_bins.hpp"

namespace aureole::halo {

/// Masses by distance from a centre, with sums of integers (mass_sum.hpp): the order of the input changes no
/// bit. Cost: a sort of the masses; a sphere costs one pass over them at most.
class MemberSpheres {
public:
    /// `members`: finite squared distances and masses, in any order. Those without mass do not count.
    explicit MemberSpheres(std::span<const RadialMass> members);

    /// Both 0: no sphere. `density` is finite and above 0.
    OverdensitySphere of_density(double density, Crossing crossing = Crossing::outermost) const;

    double mass_within(double radius) const;  ///< the surface included
    double extent() const;                    ///< distance of the farthest mass, 0 without any

private:
    OverdensitySphere outermost(double density) const;
    OverdensitySphere innermost(double density) const;

    std::vector<double> squared_;   ///< distances, rising; each once
    std::vector<double> enclosed_;  ///< mass up to and with each
};

}  // namespace aureole::halo
