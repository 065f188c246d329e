// Lists of particles in the memory of a backend.
#pragma once

#include "halo/groups.hpp"
#include "halo/groups_view.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::halo {

class DeviceMembers {
public:
    DeviceMembers() = default;

    /// A copy of `members` in the memory of `where`.
    DeviceMembers(Backend where, const Members& members)
        : particle_(where, std::span(members.particle)),
          begin_(where, std::span(members.begin)),
          n_lists_(static_cast<Index>(members.size())),
          n_members_(members.particle.size())
    {
    }

    /// The members of every group in input order, as members_of(Groups) lists them. `groups` is in the
    /// memory that `exec` runs in. Memory is kept from fill to fill. Throws aureole::Error for a label of no
    /// group. Cost: one pass over the labels and a radix sort of the members by the bits of a label.
    void fill(Exec exec, const GroupsView& groups);

    /// Some of the lists of `members`, in this order, copied in the memory that `exec` runs in. Cost: their
    /// members, and a copy of where all lists begin to the host.
    void take(Exec exec, const MembersView& members, std::span<const std::size_t> lists);

    Backend where() const { return begin_.where(); }
    MembersView view() const { return {n_lists_, n_members_, particle_.data(), begin_.data()}; }

private:
    Buffer<Index> particle_, spare_particle_;
    Buffer<std::uint64_t> begin_;
    Index n_lists_ = 0;
    std::uint64_t n_members_ = 0;
    Buffer<std::uint64_t> key_, spare_key_;  ///< labels while they are sorted
    Buffer<std::byte> scratch_;
};

}  // namespace aureole::halo
