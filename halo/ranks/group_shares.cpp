#include "halo/ranks/group_shares.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

namespace aureole::halo {

std::uint64_t cost_of_group(std::uint64_t n_members)
{
    return n_members * static_cast<std::uint64_t>(std::bit_width(n_members));
}

GroupShares GroupShares::of(std::span<const std::uint64_t> n_members, std::size_t n_parts,
                            std::uint64_t most_members)
{
    GroupShares shares{std::vector<std::vector<GroupBatch>>(n_parts),
                       std::vector<std::uint32_t>(n_members.size()), std::vector<std::uint64_t>(n_parts, 0)};
    using Load = std::pair<std::uint64_t, std::uint32_t>;  // and the part
    std::priority_queue<Load, std::vector<Load>, std::greater<>> least;
    for (std::uint32_t part = 0; part < n_parts; ++part) least.emplace(0, part);
    for (std::uint32_t g = 0; g < n_members.size(); ++g) {
        auto [load, part] = least.top();
        least.pop();
        load += cost_of_group(n_members[g]);
        least.emplace(load, part);
        shares.owner[g] = part;
        shares.load[part] = load;
        std::vector<GroupBatch>& batches = shares.of_part[part];
        if (batches.empty() || batches.back().n_members + n_members[g] > most_members) batches.emplace_back();
        batches.back().group.push_back(g);
        batches.back().n_members += n_members[g];
    }
    return shares;
}

std::size_t GroupShares::n_batches() const
{
    std::size_t most = 0;
    for (const std::vector<GroupBatch>& batches : of_part) most = std::max(most, batches.size());
    return most;
}

bool GroupShares::is_uneven(std::span<const std::uint64_t> n_members, std::size_t n_parts)
{
    std::uint64_t all = 0, largest = 0;
    for (const std::uint64_t n : n_members) {
        all += cost_of_group(n);
        largest = std::max(largest, cost_of_group(n));
    }
    return n_parts > 1 && largest > 2 * (all / n_parts);
}

}  // namespace aureole::halo
