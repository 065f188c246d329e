// Counting, since numbers of members are known: subhalo members first take their places, then one pass in
// input order places all others.
#include "halo/catalogue/member_order.hpp"

#include <algorithm>
#include <numeric>

#include "halo/catalogue/catalogue_loops.hpp"
#include "halo/copy_bytes.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/select_flagged.hpp"

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

/// Gathers one array after the other.
class Gatherer {
public:
    Gatherer(Exec exec, const Buffer<Index>& order) : exec_(exec), order_(order)
    {
        if (exec.backend != Backend::cpu) spare_.require(exec.backend, order.size() * sizeof(double));
    }

    /// `to` is in host memory; an absent array leaves it alone.
    template <class T>
    void operator()(T* to, const T* from)
    {
        if (!from || order_.size() == 0) return;
        const auto n = static_cast<Index>(order_.size());
        if (exec_.backend == Backend::cpu) return gather(exec_, n, order_.data(), from, sizeof(T), to);
        gather(exec_, n, order_.data(), from, sizeof(T), spare_.data());
        copy_bytes(exec_, to, spare_.data(), n * sizeof(T));
    }

private:
    Exec exec_;
    const Buffer<Index>& order_;
    Buffer<std::byte> spare_;
};

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

Buffer<Index> order_by_group(Exec exec, const GroupsView& groups, const MembersView& members)
{
    AUREOLE_EXPECT(members.n_members <= groups.n, "{} members of {} particles", members.n_members, groups.n);
    const std::size_t n = groups.n, n_left = n - members.n_members;
    Buffer<Index> order(exec.backend, n);
    if (n == 0) return order;
    Buffer<std::uint8_t> flag(exec.backend, n);
    Buffer<Index> left(exec.backend, n), n_selected(exec.backend, 1);
    Buffer<std::byte> scratch(exec.backend, select_flagged_scratch_bytes(exec.backend, n));
    flag_unlabelled(exec, groups.n, groups.label, flag.data());
    select_flagged(exec, n, flag.data(), left.data(), n_selected.data(), scratch.data());
    const Index n_found = fetched(exec, n_selected.data());
    AUREOLE_EXPECT(n_found == n_left, "{} particles without a group and {} members, of {} particles", n_found,
                   members.n_members, n);
    copy_bytes(exec, order.data(), members.particle, members.n_members * sizeof(Index));
    copy_bytes(exec, order.data() + members.n_members, left.data(), n_left * sizeof(Index));
    return order;
}

Particles gathered_on_host(Exec exec, const ConstParticlesView& from, const Buffer<Index>& order)
{
    Particles particles(Backend::cpu, order.size());
    Gatherer gathered(exec, order);
    for_each_array(particles.view(), from, [&](auto* to, const auto* values) { gathered(to, values); });
    return particles;
}

std::vector<std::int32_t> labels_on_host(Exec exec, const GroupsView& groups, const Buffer<Index>& order)
{
    std::vector<std::int32_t> labels(order.size());
    Gatherer(exec, order)(labels.data(), groups.label);
    return labels;
}

}  // namespace aureole::halo
