// Runs of bodies that the lanes of a warp bring, dealt out to all of its lanes.
#pragma once

#include "gravity/tree/tree_view.hpp"

namespace aureole::gravity::tree {

/// Every lane brings the run [first, first + count), maybe an empty one. each(whether there is one, body,
/// lane whose run it is of) is called by all lanes together, 32 bodies at a time, in the order of the lanes.
template <class Each>
__device__ inline void deal_runs(Index first, Index count, Each each)
{
    constexpr unsigned lanes = 32, all_lanes = 0xffffffffu;
    const unsigned lane = threadIdx.x % lanes;
    Index until = count;  // bodies of this and lower lanes
#pragma unroll
    for (unsigned step = 1; step < lanes; step *= 2) {
        const Index below = __shfl_up_sync(all_lanes, until, step);
        if (lane >= step) until += below;
    }
    const Index total = __shfl_sync(all_lanes, until, lanes - 1);
    const Index offset = first - (until - count);  // item k of the owner is body offset + k
    for (Index begin = 0; begin < total; begin += lanes) {
        const Index item = begin + lane;
        unsigned owner = 0;
#pragma unroll
        for (unsigned step = lanes / 2; step > 0; step /= 2)
            if (__shfl_sync(all_lanes, until, owner + step - 1) <= item) owner += step;
        owner %= lanes;
        each(item < total, __shfl_sync(all_lanes, offset, owner) + item, owner);
    }
}

}  // namespace aureole::gravity::tree
