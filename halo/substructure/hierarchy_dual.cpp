// Loops of the hierarchy over the entries of all pieces of a level, on both backends.
#include "halo/substructure/hierarchy.hpp"

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {

void fill_identity(Exec exec, const PhasePoints& points, Index* owner, Index* point, Index* piece)
{
    for_each(exec, points.n, [=] AUREOLE_HD(Index i) {
        point[i] = i;
        owner[i] = piece[i] = points.group[i];
    });
}

void scale_members(Exec exec, const PhasePoints& points, const Pieces& pieces, const Moments* moments)
{
    for_each(exec, pieces.lists.n, [=] AUREOLE_HD(Index k) {
        const Moments& m = moments[pieces.piece[k]];
        const Index i = pieces.lists.point[k];
        const Vec3 dx = points.position[i] - m.position, dv = points.velocity[i] - m.velocity;
        // what does not vary does not count
        const double per_x = m.size > 0 ? 1 / m.size : 0, per_v = m.speed > 0 ? 1 / m.speed : 0;
        pieces.site[k] = {{static_cast<float>(per_x * dx.x), static_cast<float>(per_x * dx.y),
                           static_cast<float>(per_x * dx.z), static_cast<float>(per_v * dv.x),
                           static_cast<float>(per_v * dv.y), static_cast<float>(per_v * dv.z)}};
    });
}

void flag_long_parts(Exec exec, Index n, const Index* label, Index least, Index* length, std::uint8_t* flag)
{
    for_each(exec, n, [=] AUREOLE_HD(Index k) { length[k] = 0; });
    for_each(exec, n, [=] AUREOLE_HD(Index k) { atomic_add(&length[label[k]], 1); });
    for_each(exec, n, [=] AUREOLE_HD(Index k) { flag[k] = length[label[k]] >= least; });
}

void key_by_part(Exec exec, const Index* label, Index n, const SortBuffers& pairs)
{
    std::uint64_t* const key = pairs.key;
    const Index* const entry = pairs.value;
    for_each(exec, n, [=] AUREOLE_HD(Index k) { key[k] = label[entry[k]]; });
}

void flag_beginnings(Exec exec, const std::uint64_t* key, Index n, std::uint8_t* flag)
{
    for_each(exec, n, [=] AUREOLE_HD(Index k) { flag[k] = k == 0 || key[k] != key[k - 1]; });
}

void fill_parts(Exec exec, const Pieces& pieces, const Index* entry, const Index* beginning, Index n_parts,
                PartRow* row)
{
    for_each(exec, n_parts, [=] AUREOLE_HD(Index p) {
        row[p] = {beginning[p], pieces.piece[entry[beginning[p]]]};
    });
}

void gather_points(Exec exec, const Index* entry, const Index* from, Index n, Index* to)
{
    for_each(exec, n, [=] AUREOLE_HD(Index k) { to[k] = from[entry[k]]; });
}

void follow_parts(Exec exec, const PointLists& parts, const PartFate* fate, Index* owner,
                  std::uint8_t* goes_on, Index* piece)
{
    const MembersView view = parts.view();
    for_each(exec, parts.n, [=] AUREOLE_HD(Index k) {
        const PartFate own = fate[segments::list_of_entry(view, k)];
        if (own.branch >= 0) owner[parts.point[k]] = static_cast<Index>(own.branch);
        goes_on[k] = own.piece >= 0;
        piece[k] = static_cast<Index>(own.piece);
    });
}

void gather_pieces(Exec exec, const Index* selected, Index n, const Index* point, const Index* piece,
                   Index* next_point, Index* next_piece)
{
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        next_point[k] = point[selected[k]];
        next_piece[k] = piece[selected[k]];
    });
}

}  // namespace aureole::halo
