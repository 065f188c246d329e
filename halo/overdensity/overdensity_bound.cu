// How far out the outermost crossings can lie, for every centre. A warp counts nodes about its centre, 32 at
// once; a block goes on where many points are left to look at, as long as smaller nodes are cheaper than
// these.
#include <algorithm>

#include "halo/overdensity/outermost_bound.hpp"
#include "halo/overdensity/overdensity_start.cuh"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo {
namespace {

constexpr int warp_threads = 32;
constexpr int block_threads = 256;
constexpr Index many_points = 4096;   ///< for which a block looks at smaller nodes
constexpr Index most_of_warp = 8192;  ///< nodes, before a block goes on
constexpr Index any_number = 0x7fffffff;

/// Nodes that a warp keeps from one count for the next, which is of a smaller sphere: those that were counted
/// hold all of it.
constexpr int most_kept = 256;

template <int threads>
struct BoundMemory {
    static constexpr int warps = threads / 32;
    static constexpr bool keeps = warps == 1;
    Index kept[keeps ? most_kept : 1];
    Index stack[(keeps ? most_kept : 0) + threads * (WalkMemory<threads>::levels + 2)];
    int pushed[warps];  ///< nodes, by warp
    double mass[warps];
    Index points[warps], looked_at[warps];
};

/// The sphere as nodes see it, in the frame; squares.
struct BoundQuery {
    Vec3f centre;
    float side;     ///< of the periodic box, or 0
    float outer;    ///< what is farther is outside, with a margin for rounding
    float inner;    ///< what is nearer is inside
    float largest;  ///< side of a node on the surface that is counted whole
};

__device__ inline BoundQuery query_of(const DeviceMassTree& tree, Vec3f centre, const OutermostBound& bound)
{
    const double radius = bound.radius * tree.frame.scale, outer = radius + frame_margin(centre);
    return {centre, static_cast<float>(tree.box.side * tree.frame.scale),
            __double2float_ru(outer * outer * (1 + 0x1p-20)), __double2float_rd(radius * radius),
            static_cast<float>(bound.largest * radius)};
}

/// The sum over all threads of a block, in fixed order, for all of them.
template <int threads>
__device__ NearbyMass sum_of_block(NearbyMass own, BoundMemory<threads>& m)
{
    const int warp = threadIdx.x / 32;
    own = {sum_of_warp(own.mass), sum_of_warp(own.points), sum_of_warp(own.looked_at)};
    if constexpr (threads == 32) return own;
    if (threadIdx.x % 32 == 0) {
        m.mass[warp] = own.mass;
        m.points[warp] = own.points;
        m.looked_at[warp] = own.looked_at;
    }
    __syncthreads();
    NearbyMass sum;
    for (int w = 0; w < BoundMemory<threads>::warps; ++w)
        sum = sum + NearbyMass{m.mass[w], m.points[w], m.looked_at[w]};
    __syncthreads();
    return sum;
}

/// Puts the children of the nodes that are halved on the stack, those of the first thread, the deepest, on
/// top; how many.
template <int threads>
__device__ int push_children(BoundMemory<threads>& m, int kept, bool halved, Index node)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned ballot = __ballot_sync(~0u, halved);
    if (lane == 0) m.pushed[warp] = 2 * __popc(ballot);
    __syncthreads();  // all have read their nodes as well
    int total = 0, up_to = 2 * __popc(ballot & (~0u >> (31 - lane)));
    for (int w = 0; w < BoundMemory<threads>::warps; ++w) {
        if (w < warp) up_to += m.pushed[w];
        total += m.pushed[w];
    }
    if (halved) {
        m.stack[kept + total - up_to] = BalancedTree::left(node) + 1;
        m.stack[kept + total - up_to + 1] = BalancedTree::left(node);
    }
    __syncthreads();
    return total;
}

/// Fills the stack with the nodes to start from, the root unless others are kept; how many.
template <int threads>
__device__ int start_count(BoundMemory<threads>& m, int n_kept)
{
    if (n_kept == 0 && threadIdx.x == 0) m.stack[0] = BalancedTree::root;
    for (int i = threadIdx.x; i < n_kept; i += threads) m.stack[i] = m.kept[i];
    __syncthreads();
    return n_kept > 0 ? n_kept : 1;
}

/// Mass of all nodes that come near, for all threads of the block. `n_kept`: of the last count, then of this;
/// 0 where there are too many to keep.
template <int threads>
__device__ NearbyMass mass_near(const DeviceMassTree& tree, const BoundQuery& query, BoundMemory<threads>& m,
                                int& n_kept)
{
    NearbyMass own;
    if (threadIdx.x == 0) own.looked_at = static_cast<Index>(n_kept);  // about as many lie above these
    int size = start_count(m, n_kept), n_counted = 0;
    while (size > 0) {
        const int n = size < threads ? size : threads;
        bool halved = false, counted = false;
        Index k = 0;
        if (static_cast<int>(threadIdx.x) < n) {
            k = m.stack[size - 1 - static_cast<int>(threadIdx.x)];
            const MassNode node = tree.node[k];
            NodeReach reach{0, 0};
            reach.include(query.centre.x, node.low.x, node.high.x, query.side);
            reach.include(query.centre.y, node.low.y, node.high.y, query.side);
            reach.include(query.centre.z, node.low.z, node.high.z, query.side);
            ++own.looked_at;
            if (!(reach.near > query.outer)) {
                halved =
                    node.box().longest_side() > query.largest && reach.far > query.inner && !tree.is_leaf(k);
                counted = !halved;
                if (counted) own = own + NearbyMass{static_cast<double>(node.mass), tree.size(k), 0};
            }
        }
        if constexpr (BoundMemory<threads>::keeps) {
            const unsigned ballot = __ballot_sync(~0u, counted);
            const int place = n_counted + __popc(ballot & ((1u << threadIdx.x) - 1));
            if (counted && place < most_kept) m.kept[place] = k;
            n_counted += __popc(ballot);
        }
        size = size - n + push_children(m, size - n, halved, k);
    }
    n_kept = n_counted <= most_kept ? n_counted : 0;
    NearbyMass sum = sum_of_block(own, m);
    sum.mass = scalbn(sum.mass, -tree.mass_exponent);
    return sum;
}

/// Shrinks the bound with nodes down to `finest_side`. True when that is done, false when about `most` nodes
/// were looked at and more can be done. `near`: what was seen last.
template <int threads>
__device__ bool shrink(const DeviceMassTree& tree, Vec3 centre, OutermostBound& bound, double finest_side,
                       Index most, BoundMemory<threads>& m, NearbyMass& near)
{
    const Vec3f at = tree.frame.to_frame(centre);
    int n_kept = 0;
    for (Index looked_at = 0; looked_at < most; looked_at += near.looked_at) {
        near = mass_near(tree, query_of(tree, at, bound), m, n_kept);
        if (!bound.shrink(near, finest_side)) return true;
    }
    return false;
}

__device__ inline OutermostBound first_bound(const SphereSearch& search, Vec3 centre)
{
    const DeviceMassTree& tree = search.tree;
    const auto all = static_cast<double>(tree.node[BalancedTree::root].mass);
    return {scalbn(all, -tree.mass_exponent), lowest_density(search), widest_radius(tree, centre)};
}

/// A block, one warp, owns a centre. Those with many points are listed.
__global__ void __launch_bounds__(warp_threads) bound_kernel(SphereSearch search)
{
    __shared__ BoundMemory<warp_threads> m;
    const Index c = blockIdx.x;
    const Vec3 centre = search.tree.box.wrap(search.centre[c]);
    OutermostBound bound = first_bound(search, centre);
    NearbyMass near;
    const bool done = shrink(search.tree, centre, bound, OutermostBound::finest, most_of_warp, m, near);
    if (threadIdx.x > 0) return;
    search.radius[c] = bound.radius;
    if (!done || near.points >= many_points) search.large[atomicAdd(&search.counters->n_large, 1)] = c;
}

/// A block owns one listed centre after the other and goes on where a warp ended.
__global__ void __launch_bounds__(block_threads) finer_bound_kernel(SphereSearch search)
{
    __shared__ BoundMemory<block_threads> m;
    __shared__ Index next;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) next = atomicAdd(&search.counters->next_large, 1);
        __syncthreads();
        if (next >= search.counters->n_large) return;
        const Index c = search.large[next];
        const Vec3 centre = search.tree.box.wrap(search.centre[c]);
        OutermostBound bound = first_bound(search, centre);
        bound.radius = search.radius[c];
        bound.largest = OutermostBound::finest;
        NearbyMass near;
        shrink(search.tree, centre, bound, OutermostBound::finest_of_many, any_number, m, near);
        if (threadIdx.x == 0) search.radius[c] = bound.radius;
    }
}

}  // namespace

void bound_outermost(CUstream_st* stream, const SphereSearch& search)
{
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(search.counters, 0, sizeof *search.counters, stream));
    bound_kernel<<<search.n_centres, warp_threads, 0, stream>>>(search);
    AUREOLE_CUDA_LAUNCHED("bound_kernel");
    const Index n_blocks = blocks_that_fit(finer_bound_kernel, block_threads);
    finer_bound_kernel<<<std::min(n_blocks, search.n_centres), block_threads, 0, stream>>>(search);
    AUREOLE_CUDA_LAUNCHED("finer_bound_kernel");
}

}  // namespace aureole::halo
