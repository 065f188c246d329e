#include "halo/merger_tree/member_loops.hpp"

#include <bit>
#include <cstring>

#include "halo/list_segments.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {

void mark_owners(Exec exec, Index n, const MembersView& members, std::int32_t* owner)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) { owner[i] = -1; });
    for_each(exec, static_cast<Index>(members.n_members), [=] AUREOLE_HD(Index k) {
        owner[members.particle[k]] = static_cast<std::int32_t>(segments::list_of_entry(members, k));
    });
}

void key_by_distance(Exec exec, const ConstVec3View& position, const MembersView& members, const Box& box,
                     const Vec3* centre, const SortBuffers& pairs)
{
    for_each(exec, static_cast<Index>(members.n_members), [=] AUREOLE_HD(Index k) {
        const Index i = members.particle[k], list = segments::list_of_entry(members, k);
        const Vec3 d = box.nearest(position.load(i) - centre[list]);
        const auto squared = static_cast<float>(dot(d, d));  // at least 0: its bits rise with it
        std::uint32_t bits = 0;
        memcpy(&bits, &squared, sizeof bits);
        pairs.key[k] = (static_cast<std::uint64_t>(list) << 32) | bits;
        pairs.value[k] = i;
    });
}

}  // namespace aureole::halo
