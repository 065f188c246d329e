// The most-bound body of a group: bounds of potentials, the decision among those that bounds leave, and the
// two searches that rest on both. Sewell et al. (2015) search halo by halo; the bounds make the result exact.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "halo/centres/bodies.hpp"
#include "halo/centres/potential_kernels.hpp"

namespace aureole::halo {

/// A group and what its centre is to be. The most bound body has the least phi + kinetic, ties to the
/// smallest id, with phi_i = -sum_j m_j / sqrt(r_ij^2 + eps^2) over the other members (those at no distance
/// left out when eps = 0). Each term is a double; their sum is the same in any order (SplitSum), and rounded
/// once. Beyond the range of double it is infinite.
struct BoundQuery {
    const Bodies& bodies;
    double softening;                   ///< eps
    std::span<const double> kinetic{};  ///< energy per mass of each body; none: the potential alone decides

    double kinetic_of(std::size_t body) const { return kinetic.empty() ? 0.0 : kinetic[body]; }
};

struct MostBound {
    Index body = 0;
    double energy = 0;  ///< phi + kinetic
};

/// low <= |phi| <= high, proven, rounding included.
struct Candidate {
    Index body;
    double low = 0, high = std::numeric_limits<double>::infinity();
};

/// Scales by powers of two: half the extent, the softening and the sum of masses come to at most 1.
struct BodiesScale {
    Vec3 middle;
    double length, mass;

    explicit BodiesScale(const BoundQuery& query);
    /// What a potential in scaled units is in those of the bodies.
    double potential_unit() const { return length / mass; }
};

/// Float sums of one block of targets as bounds. Every coordinate is rounded to 2^-24 of itself: next to a
/// target at most `slip` of distance is wrong, what is farther errs in proportion. With s the computed
/// softened distance, |1/s - 1/s_true| <= 2 slip / s^2 when s >= 2 slip; a target with a pair below that
/// stays without bounds.
class BlockBounds {
public:
    /// `reach`: largest coordinate of a target relative to the block's origin, in scaled units.
    explicit BlockBounds(double reach);

    /// `far`: what else may be wrong with the sum. In scaled units.
    Candidate candidate(Index body, const BlockSums& sums, int lane, double far = 0) const;

private:
    double slip_;
};

/// Raises `best` to the least depth, |phi| - kinetic, that one of the candidates surely has.
void raise_best(const BoundQuery& query, const std::vector<Candidate>& candidates, double& best);

/// Leaves those that may be as deep as `best`, in their order.
void keep_possible(const BoundQuery& query, double best, std::vector<Candidate>& candidates);

/// The most bound of the candidates (one at least) by sums in double over all bodies: n for each.
MostBound decide(const BoundQuery& query, std::vector<Candidate>& candidates);

/// Kept from group to group by each thread.
struct AllPairsScratch {
    std::vector<float> x, y, z, mass;
    std::vector<Candidate> candidates;
};

/// By all pairs: float sums with proven bounds for all bodies, double sums for those that the bounds leave.
/// Cost n^2, 15 vector operations for 16 pairs.
MostBound most_bound_by_all_pairs(const BoundQuery& query, AllPairsScratch& scratch);

/// By a tree (tree_search.cpp): the same body, at the cost of n log n for the tree and one or two hundred
/// pairs per member for the first walk. Of all members, or of `targets` (which may be the most bound of the
/// group or not) when there are any.
MostBound most_bound_by_tree(const BoundQuery& query, std::span<const Index> targets = {});

/// Bounds of |phi| of every body, in the bodies' order, by one walk in which a node may err by `tolerance`. A
/// body with another very close to it, by the standards of float, has none.
std::vector<Candidate> bounds_by_tree(const BoundQuery& query, double tolerance);

}  // namespace aureole::halo
