// Which part describes which groups: whole ones, in batches that fit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace aureole::halo {

/// Groups that one part works on together.
struct GroupBatch {
    std::vector<std::uint32_t> group;  ///< rows, rising
    std::uint64_t n_members = 0;
};

/// The same on every rank, for equal numbers of members and parts.
struct GroupShares {
    std::vector<std::vector<GroupBatch>> of_part;  ///< rows rise from batch to batch
    std::vector<std::uint32_t> owner;              ///< of each group, its part
    std::vector<std::uint64_t> load;               ///< of each part: the sum of its groups' costs

    /// Groups of so many members each, by falling number as finders number them: the one of largest cost
    /// first, each to the part of least load, the first of these. A batch has at most `most_members` or is
    /// one group.
    static GroupShares of(std::span<const std::uint64_t> n_members, std::size_t n_parts,
                          std::uint64_t most_members);

    std::size_t n_batches() const;  ///< of the part that has most

    /// Whether one group costs more than twice the mean of all parts, so that the others wait for its part.
    static bool is_uneven(std::span<const std::uint64_t> n_members, std::size_t n_parts);
};

/// n log n in integers: what it costs to describe a group of n members.
std::uint64_t cost_of_group(std::uint64_t n_members);

}  // namespace aureole::halo
