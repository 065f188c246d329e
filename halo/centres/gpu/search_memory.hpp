// One block of device memory for a whole search: about 95 bytes a member.
#pragma once

#include "halo/centres/gpu/search_data.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo::centre_search {

struct SearchMemory {
    SearchArrays arrays{};
    SortBuffers pairs{};
    std::byte* scratch = nullptr;  ///< of sorts and selections
    std::size_t bytes = 0;         ///< of all
};

/// Cuts up `block`; without one, says how large it must be. What is needed after the sort alone lies where
/// its keys lay.
SearchMemory search_memory(const CentreQuery& query, std::byte* block);

/// Of lists of up to `longest` members.
Levels levels_for(const MembersView& members, std::uint64_t longest);

}  // namespace aureole::halo::centre_search
