// The loops that turn labels into lists of members; see DeviceMembers (device_members.hpp).
#pragma once

#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

/// flag[i] = 1 where particle i has a label, else 0.
void flag_labelled(Exec exec, const std::int32_t* label, Index n, std::uint8_t* flag);

/// key[k] = label of particle value[k], or n_groups where that is larger.
void key_by_label(Exec exec, const std::int32_t* label, Index n_groups, Index n_members,
                  const SortBuffers& pairs);

/// begin[g] = the number of sorted keys below g, for g in [0, n_groups].
void find_beginnings(Exec exec, const std::uint64_t* key, std::uint64_t n_members, Index n_groups,
                     std::uint64_t* begin);

}  // namespace aureole::halo
