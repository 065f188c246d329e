// What candidates have to show, and the loops over points between the steps of the search for subhalos. An
// owner is the branch that a point belongs to.
#pragma once

#include "halo/substructure/phase_points.hpp"
#include "halo/substructure/unbinding.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

struct SubhaloConfig;

/// What a candidate has to show when it is tested.
struct Terms {
    std::size_t least_members;
    double least_fraction;  ///< of what it was offered
    bool main_halo;         ///< whether the first branches are tested too, or keep what they have
    double last_part = 0;   ///< see UnbindingConfig
};

/// Pieces are the inner parts of what they stand for: only what holds nothing at all goes before rounds
/// begin.
Terms terms_of_pieces(const SubhaloConfig& config);
/// After a round, from 1 on: half of what the last one asks for, as what was lost may come back.
Terms terms_of_round(const SubhaloConfig& config, int round);

/// What decides the rank of a halo.
struct Standing {
    double mass;
    Index n;  ///< members
    std::size_t branch;
};
inline bool outranks(const Standing& a, const Standing& b)
{
    if (a.mass != b.mass) return a.mass > b.mass;
    return a.n != b.n ? a.n > b.n : a.branch < b.branch;
}

inline constexpr Index no_branch = ~Index{0};

/// flag[i] = whether wanted[owner[i]].
void flag_owned(Exec exec, Index n, const Index* owner, const std::uint8_t* wanted, std::uint8_t* flag);
/// key[k] = key_of[owner of point value[k]].
void key_by_owner(Exec exec, Index n, const Index* owner, const Index* key_of, const SortBuffers& pairs);
/// Row of each list: the key of its first entry.
void fetch_keys(Exec exec, const std::uint64_t* key, const Index* beginning, Index n_lists, Index* row);
/// Points that a list does not keep, or of a list that is dropped, go to `loser[l]`, the others to winner[l].
void hand_on(Exec exec, const PointLists& lists, const std::uint8_t* kept, const std::uint8_t* holds,
             const Index* winner, const Index* loser, Index* owner);
/// Points without an owner go to the branch that their group names, if it does.
void offer_rest(Exec exec, const PhasePoints& points, const Index* heir_of_group, Index* owner);
/// The owners of before, in groups that lost theirs.
void restore_owners(Exec exec, const PhasePoints& points, const std::uint8_t* lost, const Index* before,
                    Index* owner);
void copy_points(Exec exec, const Index* from, Index n, Index* to);
/// mass[l] of lists.
void find_masses(Exec exec, const PhasePoints& points, const PointLists& lists, Arena& arena, double* mass);
/// key[k] = (row, energy) of point value[k].
void key_by_energy(Exec exec, Index n, const Index* owner, const Index* row_of, const float* energy,
                   const SortBuffers& pairs);
/// Of members: particles, energies, squared distances from their halo's centre, and masses; the latter two
/// may be null.
struct MemberColumns {
    Index* particle;
    float* energy;
    double *squared_radius, *mass;
};
void fill_columns(Exec exec, const PhasePoints& points, const PointLists& lists, const Vec3* centre,
                  const float* energy, const MemberColumns& columns);

}  // namespace aureole::halo
