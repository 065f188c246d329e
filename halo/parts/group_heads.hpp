// From the sets of all parts to canonical groups, on either backend. A head stands for a set of one part that
// is large enough for a group or has a point that other parts know as well; heads that share a point are
// joined.
#pragma once

#include "halo/parts/head_loops.hpp"
#include "halo/parts/part_linker.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::halo {

class GroupHeads {
public:
    /// Room for the sets of `n` particles of which `n_shared` entries are ghosts. `ids` are by index, in the
    /// memory of the backend, or null where entries have them or there are none.
    GroupHeads(Exec exec, std::size_t n, std::size_t n_ghosts, const FofConfig& config, Ids ids);

    /// Takes the sets of a part. Leaves label[index] = head of own points, no_set for none.
    void add(const LinkedPart& part);

    /// Joins heads, sorts groups, and replaces heads by rows. Valid as long as the object.
    GroupsView finish();

    /// Own points of a part in which nothing links.
    void leave_alone(const EntryArrays& entries, Index n);

    static std::size_t bytes(Backend where, std::size_t n, std::size_t n_ghosts, std::size_t n_part,
                             const FofConfig& config);

private:
    void join_heads();
    Index select_groups();
    void sort_groups(Index n_groups);

    Exec exec_;
    std::size_t n_;
    Index min_members_;
    Ids ids_;
    std::size_t most_heads_, most_shared_;
    Index n_heads_ = 0, n_shared_ = 0;
    Buffer<std::int32_t> label_;
    Buffer<Index> n_members_, shared_head_, counter_;
    Buffer<std::uint64_t> smallest_id_, smallest_index_, shared_index_;
    Buffer<Index> by_place_;  ///< of a part: sets of own points, indices
    Buffer<std::uint8_t> flags_;
    Buffer<std::byte> scratch_;
    Buffer<Index> parent_, row_, group_, group_members_;

    HeadArrays heads() { return {n_members_.data(), smallest_id_.data(), smallest_index_.data()}; }
};

}  // namespace aureole::halo
