// Which halo each particle of a group is offered to: of those that reach it the one with the highest density
// in phase space there, the densities being fitted to all halos together.
// Cost of a turn: one density for each particle, and one for each halo that reaches it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halo/substructure/group_points.hpp"
#include "halo/substructure/hierarchy.hpp"
#include "halo/substructure/phase_profile.hpp"
#include "halo/substructure/phase_tree.hpp"

namespace aureole::halo {

/// A group's particles by place, to find those near a halo.
class PlaceSearch {
public:
    /// `length`: a typical one, above 0.
    PlaceSearch(const GroupPoints& points, double length);

    /// Fills `found` with the members no farther than `radius` from `centre`, and perhaps some just beyond,
    /// in an order that depends on the points alone.
    void within(Vec3 centre, double radius, std::vector<Index>& found) const;

private:
    PhasePoint scaled(Vec3 position) const;

    double per_length_;
    std::vector<PhasePoint> points_;
    PhaseTree tree_;
};

/// Candidates that compete, the background first: it reaches everything. Empty ones do not take part.
using Halos = std::vector<std::optional<PhaseProfile>>;

struct CompetitionRules {
    int turns = 4;                      ///< of fitting, at least
    int most_turns = 4;                 ///< of fitting, while numbers of members of `rivals` still change
    std::vector<std::size_t> rivals{};  ///< halos that are followed until they settle
    /// Halos reach only what they hold; the background reaches everything, and has next to no density where
    /// it does not hold.
    bool bound_only = true;
    PhaseFloor floor{};
};

/// Expectation and maximisation (Dempster, Laird & Rubin 1977), some turns or until numbers of members change
/// little: each particle is shared among the
/// halos that reach it in proportion to their densities, and each halo's density is read anew from its
/// shares. So outskirts that a hard choice would cut off are not lost to the density that follows.
void share_and_refit(const GroupPoints& points, const PlaceSearch& search, const CompetitionRules& rules,
                     Halos& halos);

/// Per particle: which of `halos` is the densest there. Equal densities: the lower number.
std::vector<std::int32_t> densest(const GroupPoints& points, const PlaceSearch& search,
                                  const CompetitionRules& rules, const Halos& halos);

// Halos of comparable mass that pass through each other hang together in phase space down to their cores, so
// that one of them begins as a branch at a late level: a core too light to hold what surrounds it. Such
// rivals do not compete as a satellite and its host do, from the core outwards; they start from equal parts
// of what they have together.

/// Whether the pieces at which `branch` and `parent` parted have comparable numbers of members, and lie
/// farther apart than pieces of one core do.
bool are_rivals(const Branch& branch, const Branch& parent);

/// Shares `pool` out among `centres`: each particle goes to the one that is nearest in phase space, positions
/// and velocities in units of the dispersions of `whole` (ties: the first). One list for each centre, in the
/// order of the pool.
std::vector<std::vector<Index>> nearest_parts(const GroupPoints& points, std::span<const Index> pool,
                                              std::span<const PhaseCentre> centres, const Moments& whole);

}  // namespace aureole::halo
