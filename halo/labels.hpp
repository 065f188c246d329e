// From sets to canonical labels: count members, keep the sets that are large enough, sort them by falling
// length and smallest id, hand every particle the row of its group.
#pragma once

#include "halo/linking.hpp"
#include "sim/core/sort_pairs.hpp"

namespace aureole::halo {

/// Sets by the index of their root: set[k] is the root of tree element k, or no_set.
struct SetArrays {
    Index n;              ///< elements
    Index* set;           ///< per element
    const Index* order;   ///< per element: the particle it is
    Index* n_members;     ///< per root
    Index* row;           ///< per root: its group, or no_set
    Index* root_of_slot;  ///< the roots of the groups, in no particular order
};

/// Groups, `n` of them.
struct GroupArrays {
    Index n;
    std::uint64_t* smallest_id;  ///< per slot
    SortBuffers pairs;           ///< value: slots in canonical order, once sorted
    Index* length;               ///< per row
    std::byte* sort_scratch;
};

/// Fills n_members, and root_of_slot and row (a slot for now) of sets with at least `min_members`; *n_groups
/// starts at zero.
void select_groups(Exec exec, const SetArrays& sets, Index min_members, Index* n_groups);

/// Canonical order: row per root and length per row. Ids that repeat leave ties, which the root's place in
/// the tree decides.
void sort_groups(Exec exec, const SetArrays& sets, const std::uint64_t* id, GroupArrays& groups);

/// label[particle] = row of its group, -1 for none.
void write_labels(Exec exec, const SetArrays& sets, std::int32_t* label);

}  // namespace aureole::halo
