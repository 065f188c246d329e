// From the outside in: all mass within the bound is known, so taking off the farthest particles gives the
// mass within any nearer one, exactly and in any order. The farthest quarter of the particles is dropped
// whole where all of the mass does not reach the density at its inner edge, else it is looked at alone, in
// the same way.
#include "halo/overdensity/outermost_search.hpp"

#include <algorithm>

#include "halo/properties/member_sums.hpp"

namespace aureole::halo::detail {

bool OutermostSearch::run(Vec3 centre, OverdensitySphere* result, PointsNear& points, bool alone) const
{
    const bool periodic = tree_.box().periodic();
    const double widest = periodic ? tree_.box().side / 2 : tree_.farthest(centre) * (1 + 1e-9);
    std::span<const Threshold> left = thresholds_;  // the lowest density, whose sphere is the widest, is last
    while (!left.empty()) {
        const double density = left.back().density;
        const double radius = tree_.outermost_bound(centre, density, widest);
        if (!points.collect(tree_, centre, radius, alone)) return false;
        std::erase_if(points.near, [&](const RadialMass& entry) { return entry.squared > radius * radius; });
        MassSum mass = sum_of(points.near);
        if (periodic && radius >= widest &&
            reaches(to_mass(mass, mass_exponent_), density, widest * widest)) {
            left = left.first(left.size() - 1);  // wider than the box: not known
            continue;
        }
        std::span<RadialMass> near = points.near;
        for (; !left.empty(); left = left.first(left.size() - 1)) {
            const Threshold& t = left.back();
            near = near.first(outermost_reaching(near, t.density, mass));
            const double found = to_mass(mass, mass_exponent_);
            result[t.place] = near.empty() ? OverdensitySphere{0, 0}
                                           : OverdensitySphere{found, radius_of(found, t.density)};
        }
    }
    return true;
}

bool PointsNear::collect(const MassTree& tree, Vec3 centre, double radius, bool alone)
{
    ranges.clear();
    tree.ranges_near(centre, radius, ranges);
    place.assign(1, 0);
    for (const MassTree::Range& range : ranges) place.push_back(place.back() + range.end - range.begin);
    const std::size_t n = place.back(), n_ranges = ranges.size();
    if (n > long_list && !alone) return false;
    near.resize(n);
#pragma omp parallel for if (n > long_list)
    for (std::size_t k = 0; k < n_ranges; ++k) {
        RadialMass* to = near.data() + place[k];
        for (const MassTree::Point& point : tree.of(ranges[k])) {
            const Vec3 d = tree.box().nearest(point.position - centre);
            *to++ = {dot(d, d), point.mass};
        }
    }
    return true;
}

MassSum OutermostSearch::sum_of(std::span<const RadialMass> entries) const
{
    MassSum sum{0, 0};
    for (const RadialMass& entry : entries) sum = sum + to_sum(entry.mass, mass_exponent_);
    return sum;
}

/// The number of entries, first in the list on return, up to and with the outermost distance at which all
/// mass up to there reaches the density; 0: there is none. `mass`: of the entries and all that is nearer, on
/// return of that distance, or of what is nearer than all entries.
std::size_t OutermostSearch::outermost_reaching(std::span<RadialMass> entries, double density,
                                                MassSum& mass) const
{
    constexpr std::size_t few = 64;  // that are sorted
    const auto nearer = [](const RadialMass& a, const RadialMass& b) { return a.squared < b.squared; };
    const auto reached = [&](double squared) {
        return reaches(to_mass(mass, mass_exponent_), density, squared);
    };
    while (entries.size() > few) {
        const std::size_t inner = entries.size() - entries.size() / 4;
        std::nth_element(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(inner), entries.end(),
                         nearer);
        const std::span<RadialMass> outer = entries.subspan(inner);
        if (!reached(outer.front().squared))
            mass = mass - sum_of(outer);
        else if (const std::size_t kept = outermost_reaching(outer, density, mass); kept > 0)
            return inner + kept;
        entries = entries.first(inner);
    }
    std::sort(entries.begin(), entries.end(), nearer);
    for (std::size_t n = entries.size(); n > 0;) {
        const double squared = entries[n - 1].squared;
        if (reached(squared)) return n;
        for (; n > 0 && entries[n - 1].squared == squared; --n)  // they entered together
            mass = mass - to_sum(entries[n - 1].mass, mass_exponent_);
    }
    return 0;
}

}  // namespace aureole::halo::detail
