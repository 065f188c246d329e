// How far the search for the shrinking sphere of one set of particles has come; the same in all blocks.
//
// Two lists that all blocks of a grid write at the same time, in any order: one from the front, the other
// from the end of the same memory.
#pragma once

#include "sim/core/atomics.hpp"
#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"
#include "sim/core/sums/moment_sums.cuh"

namespace aureole {

enum class ListPart { neither, front, back };

/// The memory, and how many entries either list has so far.
struct FrontAndBack {
    Index *begin, *end;
    Index *n_front, *n_back;
};

/// Some of the blocks of a grid: the one of this thread, and how many.
struct BlockShare {
    unsigned block, n_blocks;
};

/// Blocks of `threads` threads, all of which call; `at_once` entries of a thread lie in registers.
template <unsigned threads, unsigned at_once>
class GridLists {
public:
    /// `choose(j, entry)` sets the entry and tells where it belongs, for j in [0, n).
    template <class Choose>
    __device__ static void split(BlockShare share, Index n, FrontAndBack to, Choose choose)
    {
        constexpr std::size_t tile = threads * at_once;
        for (std::size_t first = share.block * tile; first < n; first += share.n_blocks * tile) {
            Index entry[at_once];
            ListPart part[at_once];
            for (unsigned u = 0; u < at_once; ++u) {
                const std::size_t j = first + threads * u + threadIdx.x;
                part[u] = j < n ? choose(static_cast<Index>(j), entry[u]) : ListPart::neither;
            }
            Index front, back;
            begins_of_warp(part, to, front, back);
            each_place(part, ListPart::front, front, [&](unsigned u, Index k) { to.begin[k] = entry[u]; });
            each_place(part, ListPart::back, back,
                       [&](unsigned u, Index k) { *(to.end - 1 - k) = entry[u]; });
        }
    }

private:
    static constexpr unsigned warps = threads / 32, all = 0xffffffffu;

    /// Where the entries of this thread's warp begin in either list; those of a block lie side by side.
    __device__ static void begins_of_warp(const ListPart* part, const FrontAndBack& to, Index& front,
                                          Index& back)
    {
        __shared__ Index of_warp[2][warps], begin[2];
        const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        Index n_front = 0, n_back = 0;
        for (unsigned u = 0; u < at_once; ++u) {
            n_front += __popc(__ballot_sync(all, part[u] == ListPart::front));
            n_back += __popc(__ballot_sync(all, part[u] == ListPart::back));
        }
        __syncthreads();
        if (lane < 2) of_warp[lane][warp] = lane == 0 ? n_front : n_back;
        __syncthreads();
        if (threadIdx.x < 2) {
            Index of_block = 0;
            for (unsigned w = 0; w < warps; ++w) of_block += of_warp[threadIdx.x][w];
            if (of_block > 0)
                begin[threadIdx.x] = atomic_add(threadIdx.x == 0 ? to.n_front : to.n_back, of_block);
        }
        __syncthreads();
        front = begin[0];
        back = begin[1];
        for (unsigned w = 0; w < warp; ++w) {
            front += of_warp[0][w];
            back += of_warp[1][w];
        }
    }

    template <class Put>
    __device__ static void each_place(const ListPart* part, ListPart which, Index place, Put put)
    {
        const unsigned before = (1u << threadIdx.x % 32) - 1;
        for (unsigned u = 0; u < at_once; ++u) {
            const unsigned ballot = __ballot_sync(all, part[u] == which);
            if (part[u] == which) put(u, place + __popc(ballot & before));
            place += __popc(ballot);
        }
    }
};

}  // namespace aureole

namespace aureole::detail {

/// Of a set, in a pass: what goes to the core, and what the sphere holds of the shell.
struct PassTotals {
    MomentTotals core, shell;
};

struct SetState {
    MomentUnits units;
    MomentTotals core;
    Index n_shell;
    int current;          ///< which of the lists holds the members
    double core_radius;   ///< about the origin of the units
    Vec3 last_centre;     ///< members lie in the last sphere
    double last_r2;       ///< square of its radius
    Vec3 centre;          ///< of the next sphere
    double radius;        ///< the next sphere's is smaller by the factor
    double largest_mass;  ///< no member has more
    double enough;
    Index n;
    bool lists_end;  ///< the next sphere needs lists made anew
    bool done;
    BlockShare blocks;  ///< the first that works on the set, and how many

    /// Members that the next pass reads.
    __device__ Index work() const { return done ? 0 : n_shell + (lists_end ? core.n : 0); }
    __device__ double trial_radius() const { return radius * shrink_factor; }

    __device__ void check_end() { done = !(n > enough && radius > 0 && isfinite(radius)); }

    /// About the next sphere's centre; they hold for all members.
    __device__ MomentUnits new_units() const
    {
        const double reach = sqrt(last_r2) + sqrt(distance2(centre, last_centre));
        return {centre, unit_of(largest_mass), unit_of(reach * (1 + 1e-9))};
    }

    /// What the sphere holds becomes the members, if it is enough; the next sphere.
    __device__ void take_sphere(const PassTotals& pass)
    {
        if (lists_end) {
            units = new_units();
            core = pass.core;
            n_shell = pass.shell.listed;
            core_radius = trial_radius() / 2;
            current ^= 1;
            largest_mass = __longlong_as_double(static_cast<long long>(pass.core.largest_mass));
        }
        radius = trial_radius();
        const Index held = core.n + pass.shell.n;
        done = held < enough;
        if (done) return;
        n = held;
        last_centre = centre;
        last_r2 = radius * radius;
        centre = units.mean(core, pass.shell);
        // spheres that reach beyond the farthest member would change nothing
        const double moved = sqrt(distance2(centre, last_centre));
        const double core_reach = core_radius + sqrt(distance2(centre, units.origin));
        const double reach =
            fmax(sqrt(pass.shell.reach2()) + moved, core.n > 0 ? core_reach : 0) * (1 + 1e-12);
        while (trial_radius() > reach && isfinite(radius)) radius = trial_radius();
        lists_end = !(core_reach < trial_radius() * (1 - 1e-9));  // the next sphere may not hold the core
        check_end();
    }
};

}  // namespace aureole::detail
