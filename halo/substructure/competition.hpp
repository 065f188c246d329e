// Which halo each particle of a group is offered to: of those that reach it the one with the highest density
// in phase space there.
// Cost: one density for each particle, and one for each halo that reaches it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halo/substructure/phase_profile.hpp"
#include "halo/substructure/phase_tree.hpp"

namespace aureole::halo {

/// A group's particles by place, to find those near a halo.
class PlaceSearch {
public:
    /// `length`: a typical one, above 0.
    PlaceSearch(const GroupPoints& points, double length);

    /// Members no farther than `radius` from `centre`, and perhaps some just beyond, rising.
    std::vector<Index> within(Vec3 centre, double radius) const;

private:
    PhasePoint scaled(Vec3 position) const;

    double per_length_;
    std::vector<PhasePoint> points_;
    PhaseTree tree_;
};

/// Per particle: which of `halos`, 0 when none of the others is denser there. Halo 0 reaches everything;
/// empty ones do not take part. Equal densities: the lower number.
std::vector<std::int32_t> compete(const GroupPoints& points, const PlaceSearch& search,
                                  std::span<const std::optional<PhaseProfile>> halos);

}  // namespace aureole::halo
