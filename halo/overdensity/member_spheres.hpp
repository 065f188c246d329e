// Spheres about the centres of many lists of masses, each in the masses of its list alone, such as the bound
// members of subhalos, whose surroundings belong to their hosts. crossing.hpp says where a sphere ends.
//
// Members are sorted by list and distance, and masses summed outward as integers (mass_sum.hpp): the order of
// the input changes no bit, and both backends have the same. Members stay in the memory of the backend; the
// host gets a number per list and density.
#pragma once

#include <span>
#include <vector>

#include "halo/arena.hpp"
#include "halo/overdensity/overdensity.hpp"
#include "halo/overdensity/radial_lists.hpp"

namespace aureole::halo {

class MemberSpheres {
public:
    /// Cost: a radix sort of the members by 63 bits and those of a list's number. What it takes from `arena`
    /// (scratch_bytes()) has to stay taken as long as this lives.
    MemberSpheres(Exec exec, const RadialLists& of, Arena& arena);

    /// Of density[list * width + t], which is not asked for where it is NaN or not above 0; `width` of them
    /// for each list. Both 0: no sphere. Cost: a pass over the members.
    std::vector<OverdensitySphere> of_densities(std::span<const double> density,
                                                Crossing crossing = Crossing::outermost) const;
    /// Masses in spheres, their surfaces included.
    std::vector<double> masses_within(std::span<const ListSphere> spheres) const;
    /// Per list: distance of the farthest mass, 0 without any.
    std::vector<double> extents() const;

    /// For the memory forecast: of `n` members in lists of twenty.
    static std::size_t scratch_bytes(Backend where, std::size_t n);

private:
    void sort(const RadialLists& of);
    void sum_outward(const RadialLists& of);

    Exec exec_;
    Arena& arena_;
    RadialOrder order_;
};

/// Per list: the largest of values that are finite and not negative, 0 of none.
std::vector<double> largest_of_lists(Exec exec, const MembersView& lists, const double* value, Arena& arena);

}  // namespace aureole::halo
