#include "halo/catalogue/external_groups.hpp"

#include <algorithm>

#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

/// All particles of one membership number: entries [begin, end) of the order by number.
struct Set {
    std::size_t begin, end;
    std::uint64_t smallest_id;

    std::size_t size() const { return end - begin; }
};

std::vector<Index> by_membership(std::span<const std::int64_t> membership)
{
    std::vector<Index> order;
    for (std::size_t i = 0; i < membership.size(); ++i)
        if (membership[i] >= 0) order.push_back(static_cast<Index>(i));
    std::ranges::stable_sort(order, {}, [membership](Index i) { return membership[i]; });
    return order;
}

std::vector<Set> sets_of(std::span<const Index> order, std::span<const std::int64_t> membership,
                         std::span<const std::uint64_t> id, Index min_members)
{
    std::vector<Set> sets;
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        std::uint64_t smallest = id[order[begin]];
        for (end = begin; end < order.size() && membership[order[end]] == membership[order[begin]]; ++end)
            smallest = std::min(smallest, id[order[end]]);
        if (end - begin >= min_members) sets.push_back({begin, end, smallest});
    }
    std::ranges::stable_sort(sets, [](const Set& a, const Set& b) {
        return a.size() != b.size() ? a.size() > b.size() : a.smallest_id < b.smallest_id;
    });
    return sets;
}

}  // namespace

Groups groups_of_memberships(std::span<const std::int64_t> membership, std::span<const std::uint64_t> id,
                             Index min_members)
{
    AUREOLE_EXPECT(membership.size() == id.size(), "{} memberships for {} particles", membership.size(),
                   id.size());
    AUREOLE_EXPECT(min_members > 0, "min_members is 0, expected at least 1");
    AUREOLE_EXPECT(id.size() <= max_particles, "{} particles, expected at most {}", id.size(), max_particles);
    const std::vector<Index> order = by_membership(membership);
    const std::vector<Set> sets = sets_of(order, membership, id, min_members);
    Groups groups{std::vector<std::int32_t>(id.size(), -1), {}};
    for (const Set& set : sets) {
        const auto row = static_cast<std::int32_t>(groups.size());
        groups.n_members.push_back(static_cast<Index>(set.size()));
        for (std::size_t k = set.begin; k < set.end; ++k) groups.label[order[k]] = row;
    }
    return groups;
}

}  // namespace aureole::halo
