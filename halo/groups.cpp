#include "halo/groups.hpp"

#include "halo/copy_bytes.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/pages.hpp"

namespace aureole::halo {

GroupsView view_of(const Groups& groups)
{
    return {static_cast<Index>(groups.label.size()), static_cast<Index>(groups.size()), groups.label.data(),
            groups.n_members.data(), groups.core.empty() ? nullptr : groups.core.data()};
}

MembersView view_of(const Members& members)
{
    return {static_cast<Index>(members.size()), members.particle.size(), members.particle.data(),
            members.begin.data()};
}

std::vector<Index> sizes_on_host(Exec exec, const GroupsView& groups)
{
    std::vector<Index> sizes(groups.n_groups);
    copy_bytes(exec, sizes.data(), groups.n_members, sizes.size() * sizeof(Index));
    return sizes;
}

Groups groups_on_host(Exec exec, const GroupsView& groups)
{
    Groups result;
    result.label = memory::touched_vector<std::int32_t>(groups.n);
    result.n_members = sizes_on_host(exec, groups);
    copy_bytes(exec, result.label.data(), groups.label, result.label.size() * sizeof(std::int32_t));
    if (groups.core) {
        result.core.resize(groups.n);
        copy_bytes(exec, result.core.data(), groups.core, result.core.size());
    }
    return result;
}

Members members_of(const Groups& groups)
{
    Members members;
    for (const Index n : groups.n_members) members.begin.push_back(members.begin.back() + n);
    members.particle.resize(members.begin.back());
    std::vector<std::uint64_t> next(members.begin.begin(), members.begin.end() - 1);
    for (std::size_t i = 0; i < groups.label.size(); ++i) {
        const std::int32_t label = groups.label[i];
        if (label < 0) continue;
        const auto group = static_cast<std::size_t>(label);
        AUREOLE_EXPECT(group < members.size() && next[group] < members.begin[group + 1],
                       "particle {} is in group {}, which has no place for it", i, label);
        members.particle[next[group]++] = static_cast<Index>(i);
    }
    return members;
}

}  // namespace aureole::halo
