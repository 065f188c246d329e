// One particle in K, for scaling studies: which ones is decided by their ids, so that the same are kept in
// any order, of any snapshot of a run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/config/snapshot_choice.hpp"
#include "sim/core/particles.hpp"

namespace aureole::run {

/// The particles kept, rising: each with probability 1 / `factor`, by a random number (Philox) of `seed` and
/// its id. All for factor 1; throws aureole::Error for 0. O(N).
std::vector<Index> subsample(std::span<const std::uint64_t> id, std::uint64_t factor, std::uint64_t seed);

/// Indices of the particles that a snapshot of this choice holds, rising: those of its types, each with
/// probability share(), by the same random numbers. O(N).
std::vector<Index> chosen_particles(const Particles& host, const SnapshotChoice& choice, std::uint64_t seed);

}  // namespace aureole::run
