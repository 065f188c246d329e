#include "halo/parts/entry_roles.hpp"

#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {

void find_roles(Exec exec, const EntryArrays& entries, Index n, const std::uint8_t* core, Border border,
                ParticleType* role)
{
    const std::uint8_t* const flags = entries.flags;
    const Index* const place = entries.place;
    const bool border_joins = border == Border::nearest;
    for_each(exec, n, [=] AUREOLE_HD(Index e) {
        const bool ghost = (flags[e] & entry_ghost) != 0;
        ParticleType found = entry_joins;  // ghosts join in their own part
        if (flags[e] & entry_links) {
            found = entry_is_linked;
            if (core && !core[place[e]]) found = border_joins && !ghost ? entry_joins : entry_stays_alone;
        }
        role[e] = found;
    });
}

void spread_core_flags(Exec exec, const EntryArrays& entries, Index n, const Index* order, Index n_linking,
                       const std::uint8_t* flag, std::uint8_t* core)
{
    const std::uint8_t* const flags = entries.flags;
    const Index* const place = entries.place;
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        if (!order) {
            if (!(flags[k] & entry_ghost)) core[place[k]] = 0;
            return;
        }
        const Index e = order[k];
        if (flags[e] & entry_ghost) return;
        core[place[e]] = k < n_linking && flag[k] ? 1 : 0;
    });
}

void flag_linking_points(Exec exec, const EntryArrays& entries, Index n, std::uint8_t* core)
{
    const EntryArrays e = entries;
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        if (!(e.flags[k] & entry_ghost)) core[e.place[k]] = e.flags[k] & entry_links ? 1 : 0;
    });
}

}  // namespace aureole::halo
