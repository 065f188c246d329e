// Candidates for subhalos: a group is linked in 6-D phase space, what hangs together is linked again with
// shorter lengths, and so on (the practice of Behroozi, Wechsler & Wu 2013, Rockstar). At every level lengths
// follow from the piece itself: positions and velocities are measured in its dispersions, and the linking
// length is the one that gives a set fraction of its members a friend. Where a piece falls apart, its longest
// part carries the branch on and the others begin branches of their own. All pieces of a level, of all
// groups, are linked together.
// Cost: each level keeps less than the fraction, so about n log n / (1 - fraction).
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "halo/substructure/phase_points.hpp"
#include "halo/substructure/unbinding.hpp"
#include "sim/core/progress.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

struct HierarchyConfig {
    double linked_fraction = 0.7;  ///< of the members of a piece have a friend in it
    Index min_piece = 10;          ///< smaller pieces are noise
    /// Two pieces are one when their centres are nearer than so many of their Poisson uncertainties.
    double distinct = 5;
};

/// A line of pieces, each inside the one before.
struct Branch {
    std::int32_t parent = -1;  ///< the branch that it left, of lower number; -1: the whole group
    int level = 0;             ///< of the hierarchy, where it left
    Index group = 0;
    Index n_members = 0;  ///< of its first piece
    Moments moments{};    ///< of its first piece
    Moments sibling{};    ///< of the piece with which the branch that it left goes on there
    Index n_sibling = 0;  ///< members of that piece
};

/// Numbers of branches, group after group, rising within each.
struct GroupedBranches {
    std::vector<Index> begin;  ///< per group, and the end
    std::vector<Index> branch;

    std::span<const Index> of(Index group) const
    {
        return std::span(branch).subspan(begin[group], begin[group + 1] - begin[group]);
    }
};

/// Those for which wanted(number) holds. Cost: their number and that of the groups.
template <class Wanted>
GroupedBranches branches_by_group(std::span<const Branch> branches, Index n_groups, Wanted wanted)
{
    GroupedBranches found{std::vector<Index>(std::size_t{n_groups} + 1), {}};
    for (std::size_t b = 0; b < branches.size(); ++b)
        if (wanted(b)) ++found.begin[branches[b].group + 1];
    std::partial_sum(found.begin.begin(), found.begin.end(), found.begin.begin());
    found.branch.resize(found.begin.back());
    std::vector<Index> next(found.begin.begin(), found.begin.end() - 1);
    for (std::size_t b = 0; b < branches.size(); ++b)
        if (wanted(b)) found.branch[next[branches[b].group]++] = static_cast<Index>(b);
    return found;
}

struct BranchForest {
    /// Branch g begins with the whole of group g; children follow their parents.
    std::vector<Branch> branch;
    /// Per group: of the last piece of its first branch that holds a twentieth of it.
    std::vector<PhaseCentre> core;
};

/// `owner`: per point, in the memory of the backend: the last branch whose first piece holds it. Every group
/// has at least one point. `progress` is called before every level.
BranchForest find_branches(Exec exec, const PhasePoints& points, const HierarchyConfig& config, Index* owner,
                           Arena& arena, const Progress& progress = {});

// The loops.

/// Position and velocity about the mean of a piece, each in units of its own dispersion.
struct PhaseSite {
    float at[6];
};

/// The pieces of a level, in the memory of a backend.
struct Pieces {
    PointLists lists;
    Index* piece;     ///< per entry
    PhaseSite* site;  ///< per entry
};

/// Point i is entry i of its group, which is its owner.
void fill_identity(Exec exec, const PhasePoints& points, Index* owner, Index* point, Index* piece);

void scale_members(Exec exec, const PhasePoints& points, const Pieces& pieces, const Moments* moments);

/// label[k] = the smallest entry among the friends of friends of entry k in its piece, with the length within
/// which `fraction` of the entries have a neighbour (from an even sample).
/// `begin`: where the pieces begin, on the host.
void link_pieces(Exec exec, const Pieces& pieces, const std::vector<std::uint64_t>& begin, double fraction,
                 Index* label, Arena& arena);
void link_pieces_cpu(const Pieces& pieces, double fraction, Index* label);
void link_pieces_cuda(CUstream_st* stream, const Pieces& pieces, const std::vector<std::uint64_t>& begin,
                      double fraction, Index* label, Arena& arena);

/// Nearest neighbours that decide a linking length.
inline constexpr Index most_piece_samples = 256;
AUREOLE_HD inline Index samples_of(Index n) { return n < most_piece_samples ? n : most_piece_samples; }
AUREOLE_HD inline Index sample_at(Index k, Index n)
{
    return static_cast<Index>(std::uint64_t{k} * n / samples_of(n));
}
AUREOLE_HD inline Index sample_rank(Index n, double fraction)
{
    return static_cast<Index>(fraction * static_cast<double>(samples_of(n) - 1));
}

/// flag[k] = 1 for entries of parts of `least` members and more.
void flag_long_parts(Exec exec, Index n, const Index* label, Index least, Index* length, std::uint8_t* flag);
/// key[k] = label of entry value[k].
void key_by_part(Exec exec, const Index* label, Index n, const SortBuffers& pairs);
/// flag[k] = 1 where a part begins in sorted keys.
void flag_beginnings(Exec exec, const std::uint64_t* key, Index n, std::uint8_t* flag);

/// A part of a piece.
struct PartRow {
    Index begin, piece;
};
void fill_parts(Exec exec, const Pieces& pieces, const Index* entry, const Index* beginning, Index n_parts,
                PartRow* row);
void gather_points(Exec exec, const Index* entry, const Index* from, Index n, Index* to);

/// What becomes of a part: the branch that it begins and the piece of the next level that it is, if any.
struct PartFate {
    std::int32_t branch, piece;
};
/// `part_begin`: n_parts + 1.
void follow_parts(Exec exec, const PointLists& parts, const PartFate* fate, Index* owner,
                  std::uint8_t* goes_on, Index* piece);
void gather_pieces(Exec exec, const Index* selected, Index n, const Index* point, const Index* piece,
                   Index* next_point, Index* next_piece);

}  // namespace aureole::halo
