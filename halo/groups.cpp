#include "halo/groups.hpp"

#include "sim/core/error.hpp"

namespace aureole::halo {

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
