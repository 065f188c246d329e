// Loops over particles and members that catalogues, and links between them, need, on either backend.
#pragma once

#include <cstdint>

#include "halo/groups_view.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

/// to[i] = factor * from[i].
void scale(Exec exec, Index n, const double* from, double factor, double* to);

/// flag[i] = 1 where particle i has no label, else 0.
void flag_unlabelled(Exec exec, Index n, const std::int32_t* label, std::uint8_t* flag);

/// to[k] = from[order[k]], of values of 1, 2, 4 or 8 bytes.
void gather(Exec exec, Index n, const Index* order, const void* from, std::size_t bytes_each, void* to);

/// id[l] of the first member of list l, 0 of no member; ids that are absent are the indices.
void first_ids(Exec exec, const ConstParticlesView& particles, const MembersView& members, std::uint64_t* id);

/// Per member: squared distance from the centre of its list, and mass.
void radial_masses(Exec exec, const ConstParticlesView& particles, const MembersView& members, const Box& box,
                   const Vec3* centre, double* squared, double* mass);

/// owner[i] = the list that holds particle i, for i in [0, n); -1 where none does.
void mark_owners(Exec exec, Index n, const MembersView& members, std::int32_t* owner);

/// Per member: value = its particle, key = its list and, below that, its distance from the list's centre.
void key_by_distance(Exec exec, const ConstVec3View& position, const MembersView& members, const Box& box,
                     const Vec3* centre, const SortBuffers& pairs);

}  // namespace aureole::halo
