// From the sets of all parts to canonical groups, on either backend. A head stands for a set of one part that
// is large enough for a group or has a point that other parts know as well; heads that share a point are
// joined.
#pragma once

#include "halo/parts/head_loops.hpp"
#include "halo/parts/part_linker.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::halo {

/// Heads and shared points with their memory; that of shared points holds as many again, for a sort.
struct HeadSet {
    /// None of them, with memory for so many.
    void empty(Backend where, std::size_t heads, std::size_t shared);

    HeadArrays arrays(std::size_t first = 0);
    SharedPoints shared(std::size_t first = 0);

    std::size_t most_heads = 0, most_shared = 0;
    Index n_heads = 0, n_shared = 0;
    Buffer<Index> n_members, shared_head;
    Buffer<std::uint64_t> smallest_id, smallest_index, shared_index;
};

/// How much a search is about.
struct HeadSizes {
    std::size_t n_particles;  ///< of all parts and ranks
    std::size_t n_places;     ///< for results
    std::size_t n_points;     ///< own points of the parts that are added
    std::size_t n_shared;     ///< entries among them that are ghosts or shared, at most
};

class GroupHeads {
public:
    /// What is used again from search to search, and where results stay.
    struct Scratch {
        HeadSet own;
        Buffer<std::int32_t> label;
        Buffer<Index> counter, by_place;  ///< by place of a part: sets of own points, indices
        Buffer<std::uint8_t> flags;
        Buffer<std::byte> bytes;
        Buffer<Index> parent, row, group, group_members;
        Buffer<std::uint64_t> key;
    };

    /// `ids` are by index, in the memory of the backend, or null where entries have them or there are none;
    /// the largest one is 0 where there are none.
    GroupHeads(Exec exec, const HeadSizes& sizes, const FofConfig& config, Ids ids, Scratch& scratch);

    /// Takes the sets of a part. Leaves at the places of own points in sets that have one their head; all
    /// other places say no_set.
    void add(const LinkedPart& part);

    HeadSet& heads() { return *heads_; }
    /// Those of all ranks, of which the own ones begin at first_head; they are read until finish() returns.
    void take_all(HeadSet& all, Index first_head);

    /// Joins heads, sorts groups, and replaces heads by rows. The result lies in the scratch.
    GroupsView finish();

    static std::size_t bytes(Backend where, std::size_t n, std::size_t n_ghosts, std::size_t n_part,
                             const FofConfig& config);

private:
    void join_heads();
    Index select_groups();
    void sort_groups(Index n_groups);

    Exec exec_;
    HeadSizes sizes_;
    Index min_members_;
    Ids ids_;
    Scratch& scratch_;
    HeadSet* heads_;
    Index first_head_ = 0;
};

}  // namespace aureole::halo
