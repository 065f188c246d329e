// From sets to canonical labels: count members, keep the sets that are large enough, sort them by falling
// number of members and smallest id, hand every particle the row of its group.
#pragma once

#include "halo/fof/linking.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

/// Sets by the index of their root: set[k] is the root of tree element k, or no_set.
struct SetArrays {
    Index n;              ///< elements
    Index* set;           ///< per element
    const Index* order;   ///< per element: the particle it is
    Index* n_members;     ///< per root
    Index* row;           ///< per root: its group, or no_set
    Index* root_of_slot;  ///< the roots of the groups, rising
};

/// Groups, `n` of them.
struct GroupArrays {
    Index n;
    SortBuffers pairs;  ///< value: slots in canonical order, once sorted; key: smallest ids, then sizes
    Index* n_members;   ///< per row
    std::byte* sort_scratch;
};

/// What selecting groups needs besides: a flag per element, and scratch for select_flagged().
struct SelectScratch {
    std::uint8_t* flag;
    std::byte* scratch;
};

/// Fills n_members, and root_of_slot with the roots of sets with at least `min_members`, and clears the rows.
void select_groups(Exec exec, const SetArrays& sets, Index min_members, Index* n_groups,
                   SelectScratch scratch);

/// What the sort knows of the particles' ids; null: a particle's index is its id.
struct Ids {
    const std::uint64_t* id;
    std::uint64_t largest;

    AUREOLE_HD std::uint64_t of(Index particle) const { return id ? id[particle] : particle; }
};

/// Canonical order: row per root and n_members per row. Ids that repeat leave ties, which the root's place in
/// the tree decides.
void sort_groups(Exec exec, const SetArrays& sets, const Ids& ids, GroupArrays& groups);

/// label[particle] = row of its group, -1 for none.
void write_labels(Exec exec, const SetArrays& sets, std::int32_t* label);

/// Parts of these: adds elements to n_members of their roots; lowers smallest[row] to the ids of members.
void count_members(Exec exec, const SetArrays& sets);
void find_smallest_ids(Exec exec, const SetArrays& sets, const Ids& ids, std::uint64_t* smallest);

/// The same on the GPU: warps gather runs of members.
void count_members_cuda(Exec exec, const SetArrays& sets);
void find_smallest_ids_cuda(Exec exec, const SetArrays& sets, const Ids& ids, std::uint64_t* smallest);

/// core[particle] = 1 for the first n_core of the order, else 0.
void write_core_flags(Exec exec, const SetArrays& sets, Index n_core, std::uint8_t* core);

}  // namespace aureole::halo
