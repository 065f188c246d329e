// Loops of a search on the GPUs of ranks (device_search.hpp), on either backend.
#pragma once

#include "halo/parts/entries.hpp"

namespace aureole::halo {

/// to[index - first_index] = from[e] for entries that are no ghosts.
void take_home(Exec exec, const EntryArrays& entries, Index n, Index first_index, const std::int32_t* from,
               std::int32_t* to);
void take_home(Exec exec, const EntryArrays& entries, Index n, Index first_index, const std::uint8_t* from,
               std::uint8_t* to);

/// flag[e] = 1 for shared points that are core ones.
void flag_shared_core(Exec exec, const EntryArrays& entries, Index n, const std::uint8_t* core,
                      std::uint8_t* flag);
/// index[j] = that of entry list[j].
void list_indices(Exec exec, const EntryArrays& entries, const Index* list, Index n, Index* index);
/// core[e] of ghosts: whether their index is among the rising ones.
void flag_core_ghosts(Exec exec, const EntryArrays& entries, Index n, const Index* rising, Index n_rising,
                      std::uint8_t* core);

}  // namespace aureole::halo
