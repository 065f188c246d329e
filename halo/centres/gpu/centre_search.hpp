// The most-bound particle of every list, or its centre of mass, found where the particles are: on the GPU.
//
// Most bound: all lists at once. In short lists the potentials of all members by all pairs in double are the
// bounds (potentials_cuda.cu). Members of the others are sorted along a Hilbert curve, one for each list, and
// cut into buckets of 32; a warp bounds the potentials of a bucket's members by walks of a tree with tighter
// and tighter tolerances (walk_cuda.cu). Where potentials are asked for, their tree has bounded all members
// before (list_tree/tree_potentials_cuda.cu), and the member that it found deepest is summed over all.
// Members whose deepest possible potential is not as deep as what another of the list surely has drop out
// after each walk. Those that are left are summed over all members in double (decide_cuda.cu), or where these
// are too many a block each walks the tree in double (point_walk_cuda.cu). The last few are decided by sums
// in double that are the same in any order, with the terms of the search on the host: the same particle. Only
// counts and results travel. Cost n log n, and n^2 in short lists.
#pragma once

#include <memory>
#include <vector>

#include "halo/centres/gpu/search_data.hpp"
#include "halo/centres/member_potentials.hpp"
#include "halo/centres/poisson/poisson_grids.hpp"
#include "halo/groups.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::halo::centre_search {

/// Wall-clock seconds, the device's work included.
struct SearchTimes {
    double gather = 0, order = 0, grid = 0, walk = 0, decide = 0, potentials = 0;
    std::size_t candidates = 0;  ///< decided in double
};

/// Of lists of `least_members` or more only members near the deepest point of a grid are candidates.
struct GridChoice {
    int points = 0;  ///< 0: no list is
    double search_radius = 0;
    std::size_t least_members = 0;
};

struct SearchScratch {
    Buffer<std::byte> block, sums, nodes;
    std::unique_ptr<poisson::PoissonGrids> grids;
    poisson::GridScratch grid;
};

/// Keeps its memory from call to call. There is one member at least.
class CentreSearch {
public:
    /// The most-bound particles, one per list. Nothing when the input is not usable: a list is empty or does
    /// not begin where the last ends, or a member is not there or has a position, a velocity (with motion) or
    /// a mass that is not finite or negative. On request the potentials of all members as well.
    std::vector<FoundCentre> most_bound(CUstream_st* stream, const CentreQuery& query, const GridChoice& grid,
                                        const PotentialOutput& potentials);

    /// Centres of mass of all members, or in shrinking spheres; nothing as above.
    std::vector<FoundCentre> centres_of_mass(CUstream_st* stream, const CentreQuery& query, bool shrinking);

    /// The members with most friends within `length`; of all with as many, list by list, in `ties`. Of a
    /// query in which members count alike. Nothing as above.
    std::vector<FoundCentre> most_connected(CUstream_st* stream, const CentreQuery& query, double length,
                                            Members& ties);

    /// Potentials of all members, one per entry, in device memory: those of member_potentials() on the host
    /// to the rounding of sums. In lists shorter than `tree_members` by all pairs in double, in the others by
    /// the tree of list_tree.hpp. Lists may be empty. False, and nothing written, where the input is
    /// otherwise not usable.
    bool potentials(CUstream_st* stream, const CentreQuery& query, const PotentialOutput& potentials);

    const SearchTimes& times() const { return times_; }

private:
    SearchScratch scratch_;
    SearchTimes times_;
};

}  // namespace aureole::halo::centre_search
