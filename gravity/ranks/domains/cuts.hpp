// Where the order along the curve is cut into domains.
#pragma once

#include <span>

#include "sim/comm/parts.hpp"

namespace aureole::gravity::domains {

/// The targets that groups of a walk have in common: domains end at global multiples of it.
inline constexpr std::uint64_t cut_unit = 64;

/// How domains are cut. No bit of the forces depends on it.
struct CutRule {
    enum class By { work, counts, places } by = By::work;
    std::vector<std::uint64_t> places;  ///< by places: parts - 1 multiples of cut_unit, ascending
    double hysteresis = 1.03;  ///< by work: keys stay while the largest over the mean work is at most this
    double most_over_mean =
        1.75;  ///< no domain holds more times the mean number of particles; work gives way
};

/// Keys and weights of the particles of one part, in any order; without weights each counts as one.
struct WeightedKeys {
    std::span<const std::uint64_t> key;
    std::span<const std::uint32_t> weight;
};

/// A weight is never zero.
constexpr std::uint64_t weight_of(std::uint32_t work) { return work > 0 ? work : 1; }

/// Keys of 63 bits below which, over all parts, the weights are close to the targets, which ascend: cut k is
/// between particles of different keys, off by at most `tolerance` unless more share one key. Histograms over
/// prefixes of keys, 10 bits a round, are added up: one all_reduce a round, usually two or three. Collective.
std::vector<std::uint64_t> find_key_cuts(comm::Parts& parts, const std::vector<WeightedKeys>& held,
                                         std::span<const std::uint64_t> targets, std::uint64_t tolerance);

/// The domain of a key: how many cuts are at it or below.
std::size_t domain_of(std::span<const std::uint64_t> key_cuts, std::uint64_t key);

/// The multiple of cut_unit nearest to `place`, or `n` where that is nearer or passed.
std::uint64_t nearest_cut(std::uint64_t place, std::uint64_t n);

/// Moves cuts of n particles into parts = cuts.size() + 1, as little as it takes, so that they ascend and no
/// part holds more than `most` (where parts * most is enough for n).
void limit_counts(std::span<std::uint64_t> cuts, std::uint64_t n, std::uint64_t most);

}  // namespace aureole::gravity::domains
