// Loops over the sets of a part and over heads (group_heads.hpp), on either backend.
#pragma once

#include "halo/fof/labels.hpp"
#include "halo/parts/entry_roles.hpp"

namespace aureole::halo {

/// Heads, in the memory of the backend.
struct HeadArrays {
    Index* n_members;               ///< own points
    std::uint64_t* smallest_id;     ///< of them
    std::uint64_t* smallest_index;  ///< decides between groups of repeated ids
};

/// Points that are known in several parts: key = index, head.
struct SharedPoints {
    std::uint64_t* index;
    Index* head;
};

/// The arrays of a part by place.
struct PartSets {
    Index n;
    EntryArrays entries;
    const Index* order;
    Index* set;
    const ParticleType* role;
    Index *own_set, *index;  ///< no_set for ghosts; among all particles
    Index *n_members, *row, *root;
    std::uint8_t *open, *flag;  ///< by root: it has a shared point; by place
    std::uint8_t* known;        ///< by place: of the flags of entries, those of ghosts and shared points
};

void prepare_sets(Exec exec, const PartSets& sets);
void mark_open_sets(Exec exec, const PartSets& sets);
void flag_heads(Exec exec, const PartSets& sets, Index min_members);
void start_heads(Exec exec, const PartSets& sets, Index n_heads, const HeadArrays& heads);
void write_heads(Exec exec, const PartSets& sets, Index first_head, std::int32_t* label);
void flag_shared_points(Exec exec, const PartSets& sets);
void list_shared_points(Exec exec, const PartSets& sets, const Index* list, Index n, Index first_head,
                        const SharedPoints& to);
void clear_labels(Exec exec, std::size_t n, std::int32_t* label);

void unite_heads(Exec exec, Index n_shared, const std::uint64_t* index, const Index* head, Index n_heads,
                 Index* parent);
void add_to_roots(Exec exec, Index n_heads, const Index* parent, const HeadArrays& heads);
void flag_groups(Exec exec, Index n_heads, const Index* parent, const Index* n_members, Index min_members,
                 std::uint8_t* flag, Index* row);
/// key[g] = a number of the head that stands at g.
void take_keys(Exec exec, Index n, const Index* head, const std::uint64_t* number, std::uint64_t* key);
void take_falling_keys(Exec exec, Index n, const Index* head, const Index* n_members, std::size_t most,
                       std::uint64_t* key);
void number_rows(Exec exec, Index n, const Index* head, const Index* n_members, Index* row,
                 Index* group_members);
/// label: from a head, counted from first_head on, to the row of its group.
void write_rows(Exec exec, std::size_t n, Index first_head, const Index* parent, const Index* row,
                std::int32_t* label);
void shift_heads(Exec exec, Index n, Index first_head, Index* head);

}  // namespace aureole::halo
