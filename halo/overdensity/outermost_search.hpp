// The outermost crossings of densities about one centre, on the host. crossing.hpp says what these are,
// outermost_bound.hpp how far out they are looked for.
#pragma once

#include <span>
#include <vector>

#include "halo/overdensity/mass_sum.hpp"
#include "halo/overdensity/mass_tree.hpp"
#include "halo/overdensity/overdensity_tasks.hpp"
#include "halo/properties/radial_bins.hpp"

namespace aureole::halo::detail {

/// Points about a centre: one thread's memory, kept from call to call.
struct PointsNear {
    std::vector<MassTree::Range> ranges;
    std::vector<std::size_t> place;  ///< of each range in `near`
    std::vector<RadialMass> near;

    /// Fills `near` with squared distances and masses of all points within the radius, and of some beyond it,
    /// in the order of the tree. False, with nothing filled, when there are many and `alone` is false.
    bool collect(const MassTree& tree, Vec3 centre, double radius, bool alone);
};

class OutermostSearch {
public:
    /// `thresholds` come by falling density; `mass_exponent`: of exact sums.
    OutermostSearch(const MassTree& tree, std::span<const Threshold> thresholds, int mass_exponent)
        : tree_(tree), thresholds_(thresholds), mass_exponent_(mass_exponent)
    {
    }

    /// Writes result[place] of every threshold where it is known. False, with nothing done, when there is
    /// much to do and `alone` is false.
    bool run(Vec3 centre, OverdensitySphere* result, PointsNear& points, bool alone) const;

private:
    MassSum sum_of(std::span<const RadialMass> entries) const;
    std::size_t outermost_reaching(std::span<RadialMass> entries, double density, MassSum& mass) const;

    const MassTree& tree_;
    std::span<const Threshold> thresholds_;
    int mass_exponent_;
};

}  // namespace aureole::halo::detail
