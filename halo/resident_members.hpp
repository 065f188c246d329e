// Lists of particles, held in the memory of a backend.
#pragma once

#include "halo/groups.hpp"
#include "halo/members_view.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::halo {

class ResidentMembers {
public:
    ResidentMembers() = default;

    /// A copy of `members` in the memory of `where`.
    ResidentMembers(Backend where, const Members& members)
        : particle_(where, std::span(members.particle)), begin_(where, std::span(members.begin))
    {
    }

    Backend where() const { return begin_.where(); }
    MembersView view() const
    {
        const auto ends = static_cast<Index>(begin_.size());
        return {ends == 0 ? 0 : ends - 1, particle_.size(), particle_.data(), begin_.data()};
    }

private:
    Buffer<Index> particle_;
    Buffer<std::uint64_t> begin_;
};

}  // namespace aureole::halo
