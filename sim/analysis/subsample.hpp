// One particle in K, for scaling studies: which ones is decided by their ids, so that the same are kept in
// any order, of any snapshot of a run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/backend.hpp"

namespace aureole::run {

/// The particles kept, rising: each with probability 1 / `factor`, by a random number (Philox) of `seed` and
/// its id. All for factor 1; throws aureole::Error for 0. O(N).
std::vector<Index> subsample(std::span<const std::uint64_t> id, std::uint64_t factor, std::uint64_t seed);

}  // namespace aureole::run
