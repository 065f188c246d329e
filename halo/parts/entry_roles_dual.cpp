#include "halo/parts/entry_roles.hpp"

#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {

void find_roles(Exec exec, const EntryArrays& entries, Index n, const std::uint8_t* core, Border border,
                ParticleType* role)
{
    const EntryArrays from = entries;
    const bool border_joins = border == Border::nearest;
    for_each(exec, n, [=] AUREOLE_HD(Index e) {
        const bool ghost = (from.flags[e] & entry_ghost) != 0;
        ParticleType found = entry_joins;  // ghosts join in their own part
        if (from.flags[e] & entry_links) {
            found = entry_is_linked;
            if (core && !core[from.place_of(e)])
                found = border_joins && !ghost ? entry_joins : entry_stays_alone;
        }
        role[e] = found;
    });
}

void spread_core_flags(Exec exec, const EntryArrays& entries, Index n, const Index* order, Index n_linking,
                       const std::uint8_t* flag, std::uint8_t* core)
{
    const EntryArrays from = entries;
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        const Index e = order ? order[k] : k;
        if (from.flags[e] & entry_ghost) return;
        core[from.place_of(e)] = order && k < n_linking && flag[k] ? 1 : 0;
    });
}

void flag_linking_points(Exec exec, const EntryArrays& entries, Index n, std::uint8_t* core)
{
    const EntryArrays e = entries;
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        if (!(e.flags[k] & entry_ghost)) core[e.place_of(k)] = e.flags[k] & entry_links ? 1 : 0;
    });
}

}  // namespace aureole::halo
