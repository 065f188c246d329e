// The most-bound body of a group by all pairs: float sums with proven bounds for all bodies, double sums
// for those that the bounds leave (Sewell et al. 2015 search halo by halo; the bounds make the result exact).
// Cost n^2, 15 vector operations for 16 pairs.
#pragma once

#include "halo/centres/candidates.hpp"

namespace aureole::halo {

/// Kept from group to group by each thread.
struct AllPairsScratch {
    std::vector<float> x, y, z, mass;
    std::vector<Candidate> candidates;
};

MostBound most_bound_by_all_pairs(const BoundQuery& query, AllPairsScratch& scratch);

}  // namespace aureole::halo
