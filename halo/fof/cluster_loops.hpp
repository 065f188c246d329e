// The loops of cluster_numbers.hpp, written once for both backends. All arrays are in the memory of the
// backend; nothing is waited for.
#pragma once

#include "halo/groups_view.hpp"

namespace aureole::halo::detail {

/// flags[i] = 1 for core particles that are in a group.
void flag_grouped_cores(Exec exec, const GroupsView& groups, std::uint8_t* flags);
/// first[group] is lowered to its smallest core particle.
void find_first_cores(Exec exec, const GroupsView& groups, const std::uint8_t* flags, Index* first);
/// flags[i] = 1 for the first core particle of each group.
void flag_first_cores(Exec exec, const GroupsView& groups, const Index* first, std::uint8_t* flags);
/// flags[group] = 1 for groups with a core particle.
void flag_clusters(Exec exec, Index n_groups, const Index* first, std::uint8_t* flags);
/// number[group of selected[k]] = k; with labels that are null selected[k] is the group.
void set_numbers(Exec exec, Index n, const Index* selected, const std::int32_t* label, Index* number);
/// `number` is null, or none (largest Index) for what is noise.
void relabel(Exec exec, const GroupsView& groups, const Index* number, std::int64_t* label);
void widen_indices(Exec exec, Index n, const Index* from, std::int64_t* to);
void fill_none(Exec exec, Index n, Index* values);

}  // namespace aureole::halo::detail
