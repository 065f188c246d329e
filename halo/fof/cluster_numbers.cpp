#include "halo/fof/cluster_numbers.hpp"

#include <algorithm>

#include "halo/copy_bytes.hpp"
#include "halo/fof/cluster_loops.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo {
namespace {

/// Positions of raised flags, in rising order.
struct Selected {
    Buffer<Index> at;
    Index n = 0;
};

Selected selected(Exec exec, Index n, const Buffer<std::uint8_t>& flags)
{
    Selected result{Buffer<Index>(exec.backend, n), 0};
    if (n == 0) return result;
    Buffer<Index> count(exec.backend, 1);
    Buffer<std::byte> scratch(exec.backend, select_flagged_scratch_bytes(exec.backend, n));
    select_flagged(exec, n, flags.data(), result.at.data(), count.data(), scratch.data());
    result.n = fetched(exec, count.data());
    return result;
}

Buffer<std::int64_t> wide_indices(Exec exec, const Selected& from)
{
    Buffer<std::int64_t> to(exec.backend, from.n);
    detail::widen_indices(exec, from.n, from.at.data(), to.data());
    return to;
}

}  // namespace

Clusters number_clusters(Exec exec, const GroupsView& groups, ClusterOrder order)
{
    AUREOLE_EXPECT(groups.n == 0 || groups.core, "groups without core flags, expected them for clusters");
    Buffer<std::uint8_t> flags(exec.backend, std::max(groups.n, groups.n_groups));
    detail::flag_grouped_cores(exec, groups, flags.data());
    Clusters clusters{Buffer<std::int64_t>(exec.backend, groups.n), {}};
    clusters.core = wide_indices(exec, selected(exec, groups.n, flags));
    Buffer<Index> first(exec.backend, groups.n_groups), number(exec.backend, groups.n_groups);
    detail::fill_none(exec, groups.n_groups, first.data());
    detail::fill_none(exec, groups.n_groups, number.data());
    detail::find_first_cores(exec, groups, flags.data(), first.data());
    const bool by_size = order == ClusterOrder::size;
    if (by_size)
        detail::flag_clusters(exec, groups.n_groups, first.data(), flags.data());
    else
        detail::flag_first_cores(exec, groups, first.data(), flags.data());
    const Selected chosen = selected(exec, by_size ? groups.n_groups : groups.n, flags);
    detail::set_numbers(exec, chosen.n, chosen.at.data(), by_size ? nullptr : groups.label, number.data());
    detail::relabel(exec, groups, number.data(), clusters.label.data());
    if (exec.backend == Backend::cuda) device::wait(exec.stream);
    return clusters;
}

Buffer<std::int64_t> wide_labels(Exec exec, const GroupsView& groups)
{
    Buffer<std::int64_t> label(exec.backend, groups.n);
    detail::relabel(exec, groups, nullptr, label.data());
    if (exec.backend == Backend::cuda) device::wait(exec.stream);
    return label;
}

}  // namespace aureole::halo
