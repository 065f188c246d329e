// What a warp keeps in shared memory while it walks: nodes to look at, and lists of sources that wait until
// there are enough for all lanes to read together. Lists are rings of two halves: 32 entries are summed as
// soon as they are there, so that up to 32 more always fit.
#pragma once

#include "gravity/tree/build.hpp"
#include "gravity/tree/local_expansion.hpp"
#include "gravity/tree/walk_task.hpp"

namespace aureole::gravity::tree {

inline constexpr unsigned lanes = 32;  ///< threads of a warp
inline constexpr unsigned ring_size = 2 * lanes;
inline constexpr unsigned queue_size = 1024;  ///< inner nodes
/// Left free in the queue: depth first, one node at a time, needs no more than the tree is deep. The step
/// before may leave as many as it took.
inline constexpr unsigned queue_reserve = deepest_level + lanes;

/// Distant nodes that enter the local expansion together: its sum over the lanes is worth many of them.
inline constexpr unsigned far_size = 8 * lanes;

/// Four numbers that are read in one go.
template <class T>
struct alignas(16) Quad {
    T x, y, z, w;
};

/// How many lanes below this one are members.
__device__ inline unsigned rank_in(unsigned members)
{
    return __popc(members & ((1u << threadIdx.x % lanes) - 1));
}

inline constexpr Index no_particle = ~Index{0};

/// Relative to the group's origin in its units. Cells: (x y z m) (xx xy xz yy) (yz zz trace eps), moments
/// times 3/2, their trace over 3. Bodies outside the group's box: (x y z m). Close ones: the same, what float
/// cut off of x y z, and the particle's index.
template <class T, bool general>
struct WarpLists {
    Quad<T> cell[3][ring_size];
    Quad<T> body[ring_size];
    Quad<T> close[ring_size];
    T close_rest[3][ring_size];
    Index close_index[ring_size];
    T body_softening[general ? ring_size : 1], close_softening[general ? ring_size : 1];
    Index far[far_size];  ///< slots of nodes for the local expansion
    T local[n_local];
    Index queue[queue_size];  ///< inner nodes to look into
    unsigned count;           ///< told to other warps

    // massless entries outside the box

    __device__ void clear_cell(unsigned k)
    {
        cell[0][k] = {64, 0, 0, 0};
        cell[1][k] = cell[2][k] = {0, 0, 0, 0};
    }
    __device__ void clear_body(unsigned k)
    {
        body[k] = {64, 0, 0, 0};
        if constexpr (general) body_softening[k] = 0;
    }
    __device__ void clear_close(unsigned k)
    {
        close[k] = {64, 0, 0, 0};
        close_rest[0][k] = close_rest[1][k] = close_rest[2][k] = 0;
        close_index[k] = no_particle;
        if constexpr (general) close_softening[k] = 0;
    }
};

/// Of warps of a block that have lists side by side: the sum of all their counts, and in `before` of those of
/// lower parts. `lists` are those of `part`.
template <class T, bool general>
__device__ inline unsigned counts_before(WarpLists<T, general>& lists, unsigned part, unsigned n_parts,
                                         unsigned mine, unsigned& before)
{
    WarpLists<T, general>* const first = &lists - part;
    if (threadIdx.x % lanes == 0) lists.count = mine;
    __syncthreads();
    unsigned all = 0;
    for (unsigned of = 0; of < n_parts; ++of) {
        if (of == part) before = all;
        all += first[of].count;
    }
    return all;
}

/// Adds the sums of other warps to those of the first, in their order: of n_parts warps of a block that have
/// lists side by side and need them no more. `lists` are those of `part`.
template <class T, bool general>
__device__ inline void add_parts(WarpLists<T, general>& lists, unsigned part, unsigned n_parts,
                                 double (&sums)[4])
{
    static_assert(sizeof lists.cell >= 4 * lanes * sizeof(double));
    WarpLists<T, general>* const first = &lists - part;
    const unsigned lane = threadIdx.x % lanes;
    const auto sum_of = [&](unsigned of, unsigned k) -> double& {
        return reinterpret_cast<double*>(first[of].cell)[k * lanes + lane];
    };
    __syncwarp();
    for (unsigned k = 0; k < 4; ++k) sum_of(part, k) = sums[k];
    __syncthreads();
    for (unsigned of = 1; of < n_parts && part == 0; ++of)
        for (unsigned k = 0; k < 4; ++k) sums[k] += sum_of(of, k);
}

/// A ring's state, the same in all lanes.
struct Ring {
    unsigned start = 0, count = 0;

    __device__ unsigned place(unsigned k) const { return (start + count + k) % ring_size; }
    __device__ bool has_batch() const { return count >= lanes; }
    __device__ void drop_batch()
    {
        start = (start + lanes) % ring_size;
        count -= lanes;
    }
};

}  // namespace aureole::gravity::tree
