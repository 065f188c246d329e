#include "halo/ranks/device_loops.hpp"

#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {
namespace {

template <class T>
void take_values_home(Exec exec, const EntryArrays& entries, Index n, Index first_index, const T* from, T* to)
{
    const std::uint8_t* const flags = entries.flags;
    const Index* const index = entries.index;
    for_each(exec, n, [=] AUREOLE_HD(Index e) {
        if (!(flags[e] & entry_ghost)) to[index[e] - first_index] = from[e];
    });
}

}  // namespace

void take_home(Exec exec, const EntryArrays& entries, Index n, Index first_index, const std::int32_t* from,
               std::int32_t* to)
{
    take_values_home(exec, entries, n, first_index, from, to);
}

void take_home(Exec exec, const EntryArrays& entries, Index n, Index first_index, const std::uint8_t* from,
               std::uint8_t* to)
{
    take_values_home(exec, entries, n, first_index, from, to);
}

void flag_shared_core(Exec exec, const EntryArrays& entries, Index n, const std::uint8_t* core,
                      std::uint8_t* flag)
{
    const std::uint8_t* const flags = entries.flags;
    for_each(exec, n, [=] AUREOLE_HD(Index e) { flag[e] = (flags[e] & entry_shared) && core[e] ? 1 : 0; });
}

void list_indices(Exec exec, const EntryArrays& entries, const Index* list, Index n, Index* index)
{
    const Index* const from = entries.index;
    for_each(exec, n, [=] AUREOLE_HD(Index j) { index[j] = from[list[j]]; });
}

void flag_core_ghosts(Exec exec, const EntryArrays& entries, Index n, const Index* rising, Index n_rising,
                      std::uint8_t* core)
{
    const std::uint8_t* const flags = entries.flags;
    const Index* const index = entries.index;
    for_each(exec, n, [=] AUREOLE_HD(Index e) {
        if (!(flags[e] & entry_ghost)) return;
        Index first = 0;
        for (Index count = n_rising; count > 0;) {
            const Index half = count / 2;
            if (rising[first + half] < index[e]) {
                first += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        core[e] = first < n_rising && rising[first] == index[e] ? 1 : 0;
    });
}

}  // namespace aureole::halo
