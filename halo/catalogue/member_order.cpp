// Counting, since numbers of members are known: subhalo members first take their places, then one pass in
// input order places all others.
#include "halo/catalogue/member_order.hpp"

#include <algorithm>
#include <numeric>

#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

void expect_subhalos(const Groups& groups, const Subhalos& subhalos)
{
    const std::size_t n = subhalos.size();
    AUREOLE_EXPECT(subhalos.members.size() == n && subhalos.rank.size() == n && subhalos.parent.size() == n,
                   "{} subhalos with {} lists, {} ranks and {} parents", n, subhalos.members.size(),
                   subhalos.rank.size(), subhalos.parent.size());
    AUREOLE_EXPECT(subhalos.binding_energy.size() == subhalos.members.particle.size(),
                   "{} binding energies for {} members of subhalos", subhalos.binding_energy.size(),
                   subhalos.members.particle.size());
    const auto n_groups = static_cast<std::int64_t>(groups.size());
    for (std::size_t s = 0; s < n; ++s) {
        AUREOLE_EXPECT(subhalos.group[s] >= 0 && subhalos.group[s] < n_groups,
                       "subhalo {} is in group {}, of {} groups", s, subhalos.group[s], n_groups);
        const bool first = s == 0 || subhalos.group[s] != subhalos.group[s - 1];
        AUREOLE_EXPECT(s == 0 || subhalos.group[s] >= subhalos.group[s - 1],
                       "subhalo {} of group {} comes after one of group {}", s, subhalos.group[s],
                       subhalos.group[s - 1]);
        AUREOLE_EXPECT(subhalos.rank[s] == (first ? 0 : subhalos.rank[s - 1] + 1),
                       "subhalo {} has rank {}, expected ranks 0, 1, 2... in each group", s,
                       subhalos.rank[s]);
    }
}

/// Positions in the list of all subhalo members, each subhalo's by rising energy, ties by particle.
std::vector<std::uint64_t> by_energy(const Subhalos& subhalos)
{
    std::vector<std::uint64_t> order(subhalos.members.particle.size());
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    const auto before = [&](std::uint64_t a, std::uint64_t b) {
        const double first = subhalos.binding_energy[a], second = subhalos.binding_energy[b];
        return first != second ? first < second : subhalos.members.particle[a] < subhalos.members.particle[b];
    };
    const auto& begin = subhalos.members.begin;
#pragma omp parallel for schedule(dynamic) if (order.size() > parallel_threshold)
    for (std::size_t s = 0; s < subhalos.size(); ++s) {
        const auto first = order.begin() + static_cast<std::ptrdiff_t>(begin[s]);
        const auto last = order.begin() + static_cast<std::ptrdiff_t>(begin[s + 1]);
        if (!std::is_sorted(first, last, before)) std::sort(first, last, before);
    }
    return order;
}

}  // namespace

std::vector<Index> member_order(const Groups& groups, const Subhalos& subhalos)
{
    expect_subhalos(groups, subhalos);
    const std::size_t n = groups.label.size(), n_groups = groups.size();
    std::vector<std::uint64_t> next{0};
    for (const Index n_members : groups.n_members) next.push_back(next.back() + n_members);
    const std::vector<std::uint64_t> end(next.begin() + 1, next.end());
    AUREOLE_EXPECT(next.back() <= n, "groups of {} members in {} particles", next.back(), n);

    std::vector<Index> order(n);
    std::vector<bool> placed(n, false);
    const std::vector<std::uint64_t> energy_order = by_energy(subhalos);
    for (std::size_t s = 0; s < subhalos.size(); ++s)
        for (std::uint64_t k = subhalos.members.begin[s]; k < subhalos.members.begin[s + 1]; ++k) {
            const Index i = subhalos.members.particle[energy_order[k]];
            AUREOLE_EXPECT(
                i < n && groups.label[i] == subhalos.group[s] && !placed[i],
                "particle {} is in subhalo {} of group {}, but not in that group or in two subhalos", i, s,
                subhalos.group[s]);
            placed[i] = true;
            order[next[static_cast<std::size_t>(subhalos.group[s])]++] = i;
        }
    for (std::size_t i = 0; i < n; ++i) {
        if (placed[i]) continue;
        const std::int32_t label = groups.label[i];
        const std::size_t group = label < 0 ? n_groups : static_cast<std::size_t>(label);
        AUREOLE_EXPECT(group <= n_groups && next[group] < (group < n_groups ? end[group] : n),
                       "particle {} is in group {}, which has no place for it", i, label);
        order[next[group]++] = static_cast<Index>(i);
    }
    return order;
}

}  // namespace aureole::halo
