// Loops over the members of a catalogue for links between catalogues, on either backend.
#pragma once

#include <cstdint>

#include "halo/groups_view.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

/// owner[i] = the list that holds particle i, for i in [0, n); -1 where none does.
void mark_owners(Exec exec, Index n, const MembersView& members, std::int32_t* owner);

/// Per member: value = its particle, key = its list and, below that, its distance from the list's centre.
void key_by_distance(Exec exec, const ConstVec3View& position, const MembersView& members, const Box& box,
                     const Vec3* centre, const SortBuffers& pairs);

}  // namespace aureole::halo
