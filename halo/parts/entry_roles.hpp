// Who links among the entries of a part.
#pragma once

#include "halo/parts/entries.hpp"

namespace aureole::halo {

/// The part that an entry takes in a search, as a type of particle.
inline constexpr ParticleType entry_joins = 0, entry_is_linked = 1, entry_stays_alone = 2;

/// role[e], by flags and, where it is not null, core[place].
void find_roles(Exec exec, const EntryArrays& entries, Index n, const std::uint8_t* core, Border border,
                ParticleType* role);
/// core[place] = flag of own entries among the first `n_linking` places, 0 for all other own ones.
void spread_core_flags(Exec exec, const EntryArrays& entries, Index n, const Index* order, Index n_linking,
                       const std::uint8_t* flag, std::uint8_t* core);
/// The same where nothing counts friends: 1 for own entries of linking types.
void flag_linking_points(Exec exec, const EntryArrays& entries, Index n, std::uint8_t* core);

}  // namespace aureole::halo
