// One block of scratch for a whole find, cut up anew for each phase, so that the peak is known before the
// run.
#pragma once

#include <cstddef>

#include "halo/fof/labels.hpp"
#include "halo/link_tree.hpp"
#include "halo/particle_summary.hpp"

namespace aureole::halo {

/// What a find needs memory for.
struct FofSize {
    std::size_t n;  ///< particles
    int depth;      ///< of the tree
    bool in_phase_space, cells;
};

/// Byte offsets, multiples of 256, of the parts of the block.
struct FofMemory {
    FofMemory(Backend where, const FofSize& size);

    std::size_t summary, counters, order, set;  ///< kept throughout
    std::size_t wide;       ///< 16 n: keys and spare keys | points | members, rows, roots, labels
    std::size_t wide_part;  ///< distance between the arrays in `wide` that are 4 n long
    std::size_t narrow;     ///< spare order and the sort's scratch | nodes | groups
    std::size_t narrow_bytes;
    std::size_t velocity, velocity_box;                              ///< of points, of nodes: in phase space
    std::size_t point_key, cell_key, cell_begin, cell_set, stretch;  ///< of cells
    std::size_t unordered_point;                                     ///< of cells, in input order
    std::size_t bytes;                                               ///< of the whole block
};

/// The same for the arrays of `n_groups` groups.
struct GroupMemory {
    GroupMemory(Backend where, std::size_t n_groups);

    std::size_t key, spare_key, value, spare_value, smallest_id, n_members, sort_scratch, bytes;
};

}  // namespace aureole::halo
