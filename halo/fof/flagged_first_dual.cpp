#include "halo/fof/flagged_first.hpp"

#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo {

void put_flagged_first(Exec exec, const FlaggedFirst& lists)
{
    const FlaggedFirst l = lists;
    select_flagged(exec, l.n, l.flag, l.selected, l.n_flagged, l.scratch);
    // an entry that is not flagged has as many flagged ones before it as a search finds
    for_each(exec, l.n, [=] AUREOLE_HD(Index k) {
        Index first = 0;
        for (Index count = *l.n_flagged; count > 0;) {
            const Index half = count / 2;
            if (l.selected[first + half] < k) {
                first += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        l.spare[l.flag[k] ? first : *l.n_flagged + (k - first)] = l.order[k];
    });
    for_each(exec, l.n, [=] AUREOLE_HD(Index k) { l.order[k] = l.spare[k]; });
}

}  // namespace aureole::halo
