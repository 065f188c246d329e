#include "halo/substructure/group_search.hpp"

#include "halo/substructure/segment_sums_dual.hpp"

namespace aureole::halo {
void flag_owned(Exec exec, Index n, const Index* owner, const std::uint8_t* wanted, std::uint8_t* flag)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) { flag[i] = owner[i] != no_branch && wanted[owner[i]]; });
}

void key_by_owner(Exec exec, Index n, const Index* owner, const Index* key_of, const SortBuffers& pairs)
{
    std::uint64_t* const key = pairs.key;
    const Index* const point = pairs.value;
    for_each(exec, n, [=] AUREOLE_HD(Index k) { key[k] = key_of[owner[point[k]]]; });
}

void fetch_keys(Exec exec, const std::uint64_t* key, const Index* beginning, Index n_lists, Index* row)
{
    for_each(exec, n_lists, [=] AUREOLE_HD(Index l) { row[l] = static_cast<Index>(key[beginning[l]]); });
}

void hand_on(Exec exec, const PointLists& lists, const std::uint8_t* kept, const std::uint8_t* holds,
             const Index* winner, const Index* loser, Index* owner)
{
    const MembersView view = lists.view();
    for_each(exec, lists.n, [=] AUREOLE_HD(Index k) {
        const Index l = segments::list_of_entry(view, k);
        owner[lists.point[k]] = kept[k] && holds[l] ? winner[l] : loser[l];
    });
}

void offer_rest(Exec exec, const PhasePoints& points, const Index* heir_of_group, Index* owner)
{
    for_each(exec, points.n, [=] AUREOLE_HD(Index i) {
        if (owner[i] == no_branch) owner[i] = heir_of_group[points.group[i]];
    });
}

void restore_owners(Exec exec, const PhasePoints& points, const std::uint8_t* lost, const Index* before,
                    Index* owner)
{
    for_each(exec, points.n, [=] AUREOLE_HD(Index i) {
        if (lost[points.group[i]]) owner[i] = before[i];
    });
}

void copy_points(Exec exec, const Index* from, Index n, Index* to)
{
    for_each(exec, n, [=] AUREOLE_HD(Index k) { to[k] = from[k]; });
}

void find_masses(Exec exec, const PhasePoints& points, const PointLists& lists, Arena& arena, double* mass)
{
    const Arena::Frame frame(arena);
    auto* const sums = arena.take<RowSums<1>>(lists.n_lists);
    segment_sums<1>(
        exec, {lists.view(), lists.longest}, arena, sums,
        [=] AUREOLE_HD(RowSums<1> & s, Index k, Index) { s.at[0] += points.mass[lists.point[k]]; });
    for_each(exec, lists.n_lists, [=] AUREOLE_HD(Index l) { mass[l] = sums[l].at[0]; });
}

void key_by_energy(Exec exec, Index n, const Index* owner, const Index* row_of, const float* energy,
                   const SortBuffers& pairs)
{
    std::uint64_t* const key = pairs.key;
    const Index* const point = pairs.value;
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        const Index i = point[k];
        key[k] = std::uint64_t{row_of[owner[i]]} << 32 | ordered_bits_of(energy[i]);
    });
}

void fill_columns(Exec exec, const PhasePoints& points, const PointLists& lists, const Vec3* centre,
                  const float* energy, const MemberColumns& columns)
{
    const MembersView view = lists.view();
    for_each(exec, lists.n, [=] AUREOLE_HD(Index k) {
        const Index i = lists.point[k];
        columns.particle[k] = points.particle[i];
        columns.energy[k] = energy[i];
        if (columns.squared_radius) {
            const Vec3 d = points.position[i] - centre[segments::list_of_entry(view, k)];
            columns.squared_radius[k] = dot(d, d);
        }
        if (columns.mass) columns.mass[k] = points.mass[i];
    });
}

}  // namespace aureole::halo
