// What a domain asks for.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gravity/ranks/domains/essential.hpp"

namespace aureole::gravity::domains {
namespace {

using tree::GroupTargets;
using tree::WalkTask;

/// A group whose tolerance is below this part of the median of those beside it, or that is so many times as
/// wide, is an entry of its own: it would open much for all.
constexpr double low_tolerance = 0.5, wide = 3;

Entry entry_of(const GroupTargets& of, const EntryParams& params)
{
    Entry entry{};
    const double* const x[3] = {of.x, of.y, of.z};
    for (int axis = 0; axis < 3; ++axis) {
        const auto [low, high] = std::minmax_element(x[axis], x[axis] + of.n);
        entry.low[axis] = *low;
        entry.high[axis] = *high;
    }
    const tree::Group& group = of.group;
    entry.by_error = group.tolerance > 0;
    entry.by_angle = !entry.by_error;
    entry.tolerance = entry.by_error ? static_cast<double>(group.tolerance) * group.scale * group.scale
                                     : std::numeric_limits<double>::infinity();
    entry.opened_within = params.opened_within / group.scale;
    entry.least_softening = entry.most_softening = static_cast<float>(group.softening / group.scale);
    return entry;
}

double width_of(const Entry& entry)
{
    double width = 0;
    for (int axis = 0; axis < 3; ++axis) width = std::max(width, entry.high[axis] - entry.low[axis]);
    return width;
}

template <class Value>
double median(const std::vector<Entry>& of, Value value)
{
    std::vector<double> values;
    for (const Entry& entry : of) values.push_back(value(entry));
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

void append_together(const std::vector<Entry>& groups, std::vector<Entry>& entries)
{
    if (groups.empty()) return;
    const auto tolerance_of = [](const Entry& entry) { return entry.by_error ? entry.tolerance : 0.0; };
    const double tolerance = low_tolerance * median(groups, tolerance_of);
    const double width = wide * median(groups, width_of);
    const Entry* first = nullptr;
    Entry together{};
    for (const Entry& group : groups) {
        if (tolerance_of(group) < tolerance || width_of(group) > width)
            entries.push_back(group);
        else if (first)
            include(together, group);
        else
            together = *(first = &group);
    }
    if (first) entries.push_back(together);
}

IndexRange targets_of(const WalkTask& task, Index group, const EntryParams& params)
{
    const Index size = params.group_targets;
    return {std::min(task.n_targets, group * size), std::min(task.n_targets, (group + 1) * size)};
}

void append_each_target(const WalkTask& task, Index group, const EntryParams& params,
                        std::vector<Entry>& entries)
{
    GroupTargets one;
    const IndexRange targets = targets_of(task, group, params);
    for (Index k = targets.begin; k < targets.end; ++k) {
        gather_targets(task, k, k + 1, 0, one);
        entries.push_back(entry_of(one, params));
    }
}

GroupTargets gather_group(const WalkTask& task, Index group, const EntryParams& params)
{
    GroupTargets targets;
    const IndexRange range = targets_of(task, group, params);
    gather_targets(task, range.begin, range.end, 0, targets);
    return targets;
}

void append_some(const WalkTask& task, Index first, Index end, const EntryParams& params,
                 std::vector<Entry>& entries)
{
    std::vector<Entry> groups;
    for (Index g = first; g < end; ++g) {
        const GroupTargets targets = gather_group(task, g, params);
        if (targets.group.is_uneven)
            append_each_target(task, g, params, entries);
        else
            groups.push_back(entry_of(targets, params));
    }
    append_together(groups, entries);
}

}  // namespace

void include(Entry& all, const Entry& one)
{
    for (int axis = 0; axis < 3; ++axis) {
        all.low[axis] = std::min(all.low[axis], one.low[axis]);
        all.high[axis] = std::max(all.high[axis], one.high[axis]);
    }
    all.tolerance = std::min(all.tolerance, one.tolerance);
    all.opened_within = std::max(all.opened_within, one.opened_within);
    all.least_softening = std::min(all.least_softening, one.least_softening);
    all.most_softening = std::max(all.most_softening, one.most_softening);
    all.by_error |= one.by_error;
    all.by_angle |= one.by_angle;
}

std::vector<Entry> entries_of(const WalkTask& task, const EntryParams& params)
{
    const Index n = (task.n_targets + params.group_targets - 1) / params.group_targets;
    const auto together = static_cast<Index>(params.groups_together);
    std::vector<std::vector<Entry>> some((n + together - 1) / together);
#pragma omp parallel for schedule(dynamic, 16) if (some.size() > 16)
    for (std::size_t k = 0; k < some.size(); ++k) {
        const auto first = static_cast<Index>(k) * together;
        append_some(task, first, std::min(n, first + together), params, some[k]);
    }
    std::vector<Entry> entries;
    for (const std::vector<Entry>& of : some) entries.insert(entries.end(), of.begin(), of.end());
    return entries;
}

void append_entries_of(const WalkTask& task, Index group, const EntryParams& params,
                       std::vector<Entry>& entries)
{
    entries.push_back(entry_of(gather_group(task, group, params), params));
    append_each_target(task, group, params, entries);
}

}  // namespace aureole::gravity::domains
