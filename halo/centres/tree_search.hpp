// The most-bound body of a large group, the same as by all pairs, at the cost of a few walks of a tree.
//
// Every member's potential is bounded from both sides: near members one by one, far nodes as point masses at
// their centres of mass. Such a node at distance d, with all of its members within b of its centre, errs by
// no more than sum_j m_j r_j^2 / (D^2 (D - b)), D^2 = d^2 + eps^2: the terms of the Legendre series from the
// second on (the first vanishes about the centre of mass; softening is a step into a fourth dimension, which
// the series does not mind). Where that says nothing, as of the long nodes at the rim, by no more than m (1 /
// D_min - 1 / D_max), over the node's box. Rounding is part of the bounds. Members whose deepest possible
// potential is not as deep as what another surely has drop out, the rest are bounded more tightly, and the
// last few are decided by sums in double. The first to be bounded is the leaf that packs most mass into its
// length. Cost n log n for the tree, one or two hundred pairs per member for the first walk.
#pragma once

#include <span>

#include "halo/centres/candidates.hpp"

namespace aureole::halo {

/// Of all members, or of `targets` (which may be the most bound of the group or not) when there are any.
MostBound most_bound_by_tree(const BoundQuery& query, std::span<const Index> targets = {});

/// Bounds of |phi| of every body, in the bodies' order, by one walk in which a node may err by `tolerance`. A
/// body with another very close to it, by the standards of float, has none.
std::vector<Candidate> bounds_by_tree(const BoundQuery& query, double tolerance);

}  // namespace aureole::halo
