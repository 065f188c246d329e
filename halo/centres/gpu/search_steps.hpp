// The memory of a search on the GPU and its steps, in the order in which they run. They start kernels and
// wait for nothing.
#pragma once

#include "halo/centres/gpu/search_data.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo::centre_search {

/// One block of device memory for a whole search: about 95 bytes a member.
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

/// Checks the lists and their particles, and gathers bodies in the order of the lists.
void gather(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays);

/// Moves bodies to the images near the member with the smallest id, and finds frames.
void frame_lists(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays);

/// Centres of mass of all members, or in a sphere that shrinks; moves bodies about.
void find_centres_of_mass(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                          bool shrinking);

/// Entries in their order, and for the first n_sorted of them keys along the curve, `axis_bits` of each
/// coordinate below the list; lists without a tree keep their order. Members of massless lists weigh 1 from
/// here on.
void make_keys(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays, int axis_bits,
               std::uint64_t n_sorted, const SortBuffers& pairs);

/// Energies of motion about the mean velocity of each list.
void set_kinetic(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays);

/// The same, infinite for entries of lists of `least` members or more that are not flagged, 0 for all others.
void set_kinetic_by_flags(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                          std::uint64_t least);

/// Scaled bodies in the order of the curve.
void place_bodies(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays);

/// Every member is a candidate; finds the densest bucket of each list, from the nodes.
void start_buckets(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays);

/// Of each list that is searched by a tree: the depth of the member that is deepest by its potential, summed
/// over all members. Of members with finite bounds in arrays.high.
void bound_by_deepest(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                      const double* potential);

/// Bounds by the bucket that packs most mass into its length, of each list that is searched by a tree and has
/// no depth yet.
void walk_densest(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                  const Levels& levels);

/// Bounds of the candidates in the first n of the active buckets, or in all buckets (n = 0); a node may err
/// by `tolerance` of the list's depth.
void walk(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays, const Levels& levels,
          Index n, float tolerance);

/// Leaves the candidates that may be the most bound, in the first n active buckets or in all (n = 0); flags
/// the buckets of lists with more than `few`, and of those with candidates that have no finite bound.
void drop_beaten(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays, Index n,
                 Index few);

/// Of lists with more than `few` candidates, but no more than the part 1 / `part` of their members: where
/// thousands coincide, no bound tells them apart.
struct PointWalk {
    float tolerance;  ///< a node may err by so much of the list's depth
    Index few, part;
    std::uint64_t most_pairs = 0;  ///< of a candidate and a member: lists with no more are left alone
};

/// Tight bounds of single candidates in the first n active buckets, by nodes with their second moments. They
/// do not depend on the candidates' order in arrays.candidate, which is any.
void walk_points(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                 const Levels& levels, Index n, const PointWalk& walk);

/// Friends within `length` of every member, and the most of each list; flags the entries that have as many
/// and counts them. Of members that count alike.
void count_friends(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                   const Levels& levels, double length);

/// The smallest ids among the first n candidates, which are such entries; the order becomes their particles.
void choose_most_connected(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                           Index n);

/// Potentials of the members of lists shorter than `tree_members` by all pairs in double, one per entry, and
/// on request bounds for the candidates of lists that have no tree: all their members.
void set_potentials(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                    std::size_t tree_members, double* potential, bool with_bounds);

/// Flags the places of candidates.
void flag_candidates(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays);

/// Of lists with more than `few` candidates and at most so many pairs of a candidate and a member.
struct SumLimits {
    Index few;
    std::uint64_t most_pairs;
    bool set_depth = false;  ///< of the list, by its candidate
};

/// Tight bounds of the first n candidates, which rise, by sums over all members in double.
void bound_by_sums(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays, Index n,
                   const SumLimits& limits);

/// Sums of the first n candidates in double, and the winners.
void decide(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays, Index n);

}  // namespace aureole::halo::centre_search
