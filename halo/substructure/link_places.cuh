// How linking on a GPU walks: 32 members that follow each other look together for those near them. Included
// by link_pieces_cuda.cu.
#pragma once

#include <math_constants.h>

#include "halo/substructure/phase_kernels.hpp"
#include "halo/union_find.hpp"
#include "sim/core/spatial/balanced_tree.hpp"

namespace aureole::halo::linking {

inline constexpr Index leaf_points = 8;

/// What kernels share. The places of a piece are those of its entries in the order of the tree.
struct SortedEntries {
    BalancedTree shape;
    const std::uint64_t* begin;  ///< per piece
    PhaseSite* site;             ///< per place
    Index* entry;                ///< per place
    Index* piece;                ///< per place
    PhaseBox* box;               ///< per node
    std::uint8_t* friends;       ///< per node: all in it are each other's friends, and of one set
    float* squared_length;       ///< per piece
    UnionFind sets;              ///< of places

    AUREOLE_HD Index first(Index p) const { return static_cast<Index>(begin[p]); }
    AUREOLE_HD Index end(Index p) const { return static_cast<Index>(begin[p + 1]); }
};

__device__ inline float squared_between(const PhaseSite& a, const PhaseSite& b)
{
    float sum = 0;
    for (int axis = 0; axis < 6; ++axis) {
        const float d = a.at[axis] - b.at[axis];
        sum += d * d;
    }
    return sum;
}

/// In one instruction for four numbers: the arrays begin at multiples of 256 bytes.
__device__ inline PhaseBox loaded(const PhaseBox* box)
{
    static_assert(sizeof(PhaseBox) == 3 * sizeof(float4));
    const auto* const part = reinterpret_cast<const float4*>(box);
    const float4 a = part[0], b = part[1], c = part[2];
    return {{a.x, a.y, a.z, a.w, b.x, b.y}, {b.z, b.w, c.x, c.y, c.z, c.w}};
}
__device__ inline PhaseSite loaded(const PhaseSite* site)
{
    static_assert(sizeof(PhaseSite) == 3 * sizeof(float2));
    const auto* const part = reinterpret_cast<const float2*>(site);
    const float2 a = part[0], b = part[1], c = part[2];
    return {{a.x, a.y, b.x, b.y, c.x, c.y}};
}

/// Whether two boxes may hold sites within a distance of each other. It rounds less often than
/// squared_between(), for which the distance has a margin.
__device__ inline bool may_touch(const PhaseBox& a, const float (&low)[6], const float (&high)[6],
                                 float squared)
{
    float sum = 0;
    for (int axis = 0; axis < 6; ++axis) {
        const float gap = fmaxf(fmaxf(low[axis] - a.high[axis], a.low[axis] - high[axis]), 0.0f);
        sum = __fmaf_rn(gap, gap, sum);
    }
    return sum <= squared;
}

inline constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline float larger_of_warp(float x)
{
    for (unsigned step = 16; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(all_lanes, x, step));
    return x;
}

inline constexpr Index at_once = 16;        ///< nodes that are opened together
inline constexpr Index leaves_at_once = 4;  ///< whose points the lanes look at together
inline constexpr unsigned warps_per_block = 4;

struct WalkMemory {
    /// Of each level there are at most the children of those opened together.
    Index stack[2 * at_once * (BalancedTree::largest_depth + 1)];
    Index leaf[2 * at_once + leaves_at_once];
};

/// 32 places in a row, one in each lane. Those of a piece look together for what is near the box around them,
/// 32 nodes at a time, or the points of four leaves: neighbours along the curve have much the same.
struct WarpOfPlaces {
    const SortedEntries& sorted;
    WalkMemory& memory;
    Index own, lane;
    Index piece = none, root = none;  ///< of the lane's place; of its set, when last asked
    PhaseSite site{};

    static constexpr Index none = ~Index{0};

    __device__ WarpOfPlaces(const SortedEntries& all, WalkMemory& shared, Index place)
        : sorted(all), memory(shared), own(place), lane(threadIdx.x % 32)
    {
        if (own >= sorted.shape.n) return;  // joins nothing
        piece = sorted.piece[own];
        root = sorted.sets.find(own);
        site = loaded(sorted.site + own);
    }

    /// Joins each place to all behind it in its piece.
    __device__ void run()
    {
        unsigned left = __ballot_sync(all_lanes, piece != none);
        while (left != 0) {
            const unsigned leader = __ffs(left) - 1;
            const Index of = __shfl_sync(all_lanes, piece, leader);
            Together places(*this, of, leader);
            places.walk();
            left &= ~__ballot_sync(all_lanes, piece == of);
        }
    }

    /// The places of one piece.
    struct Together {
        WarpOfPlaces& warp;
        bool mine;                            ///< whether the lane's place is one of them
        Index first, end;                     ///< the first of them, and the end of the piece
        PhaseBox box{};                       ///< around them
        float squared_length, squared_reach;  ///< the second with a margin for rounding
        Index one_root;                       ///< of the set that they are all in, if they are
        Index n_stack = 0, n_leaves = 0;

        __device__ Together(WarpOfPlaces& all, Index piece, unsigned leader)
            : warp(all),
              mine(all.piece == piece),
              first(__shfl_sync(all_lanes, all.own, leader)),
              end(all.sorted.end(piece)),
              squared_length(all.sorted.squared_length[piece]),
              squared_reach(squared_length * (1 + 0x1p-18f)),
              one_root(__shfl_sync(all_lanes, all.root, leader))
        {
            for (int axis = 0; axis < 6; ++axis) {
                const float x = all.site.at[axis];
                box.low[axis] = -larger_of_warp(mine ? -x : -CUDART_INF_F);
                box.high[axis] = larger_of_warp(mine ? x : -CUDART_INF_F);
            }
            if (__any_sync(all_lanes, mine && all.root != one_root)) one_root = none;
        }

        __device__ void walk()
        {
            const BalancedTree& shape = warp.sorted.shape;
            const Index from = shape.leaf_of(first), to = shape.leaf_of(end - 1);
            const Index top = from >> (32 - __clz(static_cast<int>(from ^ to)));  // above both
            if (warp.lane == 0) (shape.is_leaf(top) ? warp.memory.leaf : warp.memory.stack)[0] = top;
            (shape.is_leaf(top) ? n_leaves : n_stack) = 1;
            __syncwarp();
            while (n_stack > 0) {
                open_nodes();
                while (n_leaves >= leaves_at_once) join_leaves(leaves_at_once);
            }
            if (n_leaves > 0) join_leaves(n_leaves);
        }

    private:
        /// The last ones of the stack; their children come in their places.
        __device__ void open_nodes()
        {
            const BalancedTree& shape = warp.sorted.shape;
            const Index n = n_stack < at_once ? n_stack : at_once, lane = warp.lane;
            n_stack -= n;
            const bool there = lane < 2 * n;
            const Index node =
                there ? BalancedTree::left(warp.memory.stack[n_stack + lane / 2]) + lane % 2 : 0;
            const bool wanted = there && wants(node), is_leaf = wanted && shape.is_leaf(node);
            __syncwarp();
            push(is_leaf, node, warp.memory.leaf, n_leaves);
            push(wanted && !is_leaf, node, warp.memory.stack, n_stack);
            __syncwarp();
        }

        __device__ bool wants(Index node) const
        {
            const SortedEntries& sorted = warp.sorted;
            const Index from = sorted.shape.begin(node), to = sorted.shape.end(node);
            if (from >= to || from >= end || to <= first + 1) return false;
            const PhaseBox other = loaded(sorted.box + node);
            if (!may_touch(box, other.low, other.high, squared_reach)) return false;
            return one_root == none || !sorted.friends[node] || sorted.sets.find(from) != one_root;
        }

        __device__ void push(bool wanted, Index node, Index* list, Index& n) const
        {
            const unsigned all = __ballot_sync(all_lanes, wanted);
            if (wanted) list[n + __popc(all & ((1u << warp.lane) - 1))] = node;
            n += __popc(all);
        }

        /// The last n of the leaves, a point in each lane.
        __device__ void join_leaves(Index n)
        {
            const SortedEntries& sorted = warp.sorted;
            n_leaves -= n;
            const Index which = warp.lane / leaf_points, number = warp.lane % leaf_points,
                        leaf = warp.memory.leaf[n_leaves + (which < n ? which : 0)],
                        place = sorted.shape.begin(leaf) + number;
            bool near = which < n && place < sorted.shape.end(leaf) && place > first && place < end;
            PhaseSite other{};
            Index set = none;
            if (near) {
                other = loaded(sorted.site + place);
                near = may_touch(box, other.at, other.at, squared_reach);
                set = sorted.sets.find(place);
            }
            for (unsigned left = __ballot_sync(all_lanes, near); left != 0; left &= left - 1) {
                const int k = __ffs(left) - 1;
                join(__shfl_sync(all_lanes, place, k), __shfl_sync(all_lanes, set, k), other, k);
            }
            __syncwarp();
        }

        /// Joins to the point of the k-th lane, `set` being the root of its set before.
        __device__ void join(Index place, Index set, const PhaseSite& other, int k)
        {
            const bool open = mine && place > warp.own && set != warp.root;
            if (!__any_sync(all_lanes, open)) return;
            PhaseSite theirs;
            for (int axis = 0; axis < 6; ++axis) theirs.at[axis] = __shfl_sync(all_lanes, other.at[axis], k);
            if (open && squared_between(theirs, warp.site) <= squared_length)
                warp.root = warp.sorted.sets.unite(warp.own, place);
        }
    };
};

}  // namespace aureole::halo::linking
