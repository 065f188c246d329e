// How a block finds the points near a centre: it takes the top of a stack of nodes, as many as it has lanes
// for, drops those outside, puts back the children of those that straddle, and streams the points of the
// rest. Deepest nodes lie on top, so the stack holds no more than a batch for every level. Then where a
// search begins: the first radius, how it grows for innermost crossings, and the distances that it takes.
#pragma once

#include <limits>

#include "halo/overdensity/overdensity_kernels.hpp"
#include "halo/overdensity/overdensity_windows.cuh"
#include "sim/core/cuda_check.cuh"
#include "sim/core/sums/warp_sums.cuh"

namespace aureole::halo {

/// In the frame, with a margin for the rounding of floats. Shells may overlap.
struct WalkQuery {
    Vec3f centre;
    float side;                                          ///< of the periodic box, or 0
    float inner[max_thresholds], outer[max_thresholds];  ///< squared radii
    int n_shells;
    Index small;  ///< nodes with at most this many points are not halved
    int level;    ///< where the walk starts, with every n_parts-th node
    Index part, n_parts;
};

template <int batch>
struct WalkMemory {
    static constexpr int levels = 29;  ///< of trees of up to 2^32 points
    Index stack[batch * (levels + 2)];
    Index span_begin[batch];
    std::uint32_t span_end[batch];  ///< in the points of this batch: a running sum
    std::uint64_t of_warp[batch / 32];
    int stack_size;
};

/// Makes an aim of the walk: its only centre, no shells yet, the whole tree.
__device__ inline void aim_walk(WalkQuery& query, const DeviceMassTree& tree, Vec3 centre, Index small,
                                int level)
{
    query.centre = tree.frame.to_frame(centre);
    query.side = static_cast<float>(tree.box.side * tree.frame.scale);
    query.n_shells = 0;
    query.small = small;
    query.level = level < tree.depth ? level : tree.depth;
    query.part = 0;
    query.n_parts = 1;
}

/// By how much distances in the frame may be off. Coordinates there are at most 1, that of the centre may be
/// larger; each is rounded by 2^-25 of itself, and what follows a few times more.
__device__ inline double frame_margin(Vec3f centre)
{
    const float largest = fmaxf(fmaxf(fabsf(centre.x), fabsf(centre.y)), fmaxf(fabsf(centre.z), 1.0f));
    return 0x1p-20 * (static_cast<double>(largest) + 1);
}

/// A shell between two squared distances.
__device__ inline void add_shell(WalkQuery& query, const DeviceMassTree& tree, double inner_squared,
                                 double outer_squared)
{
    const double margin = frame_margin(query.centre);
    const double inner = fmax(sqrt(inner_squared) * tree.frame.scale - margin, 0.0);
    const double outer = sqrt(outer_squared) * tree.frame.scale + margin;
    query.inner[query.n_shells] = __double2float_rd(inner * inner * (1 - 0x1p-20));
    query.outer[query.n_shells] = __double2float_ru(outer * outer * (1 + 0x1p-20));
    ++query.n_shells;
}

/// Squared distances to the nearest and farthest place of a node, or to images of these.
struct NodeReach {
    float near, far;

    __device__ void include(float centre, float low, float high, float side)
    {
        float apart = fabsf(0.5f * (low + high) - centre);
        if (side > 0) apart = fminf(apart, fabsf(side - apart));
        const float half = 0.5f * (high - low), gap = fmaxf(apart - half, 0.0f), beyond = apart + half;
        near += gap * gap;
        far += beyond * beyond;
    }
};

enum class Verdict { outside, straddles, inside };

__device__ inline Verdict judge(const WalkQuery& query, const MassNode& node)
{
    NodeReach reach{0, 0};
    reach.include(query.centre.x, node.low.x, node.high.x, query.side);
    reach.include(query.centre.y, node.low.y, node.high.y, query.side);
    reach.include(query.centre.z, node.low.z, node.high.z, query.side);
    Verdict verdict = Verdict::outside;
    for (int k = 0; k < query.n_shells; ++k) {
        if (reach.near > query.outer[k] || reach.far < query.inner[k]) continue;
        if (reach.near >= query.inner[k] && reach.far <= query.outer[k]) return Verdict::inside;
        verdict = Verdict::straddles;
    }
    return verdict;
}

/// Fills the stack with the nodes that the walk starts from.
template <int batch>
__device__ void start_walk(const WalkQuery& query, WalkMemory<batch>& memory)
{
    const Index n_level = Index{1} << query.level;
    const Index n = query.part < n_level ? (n_level - query.part - 1) / query.n_parts + 1 : 0;
    if (threadIdx.x < n && threadIdx.x < batch)
        memory.stack[threadIdx.x] = n_level + query.part + threadIdx.x * query.n_parts;
    if (threadIdx.x == 0) memory.stack_size = static_cast<int>(n);
}

/// Takes up to a batch of nodes off the stack; lists the spans of points of those that are taken whole.
template <int batch>
__device__ void take_batch(const DeviceMassTree& tree, const WalkQuery& query, WalkMemory<batch>& memory)
{
    const int t = threadIdx.x, size = memory.stack_size, n = size < batch ? size : batch;
    Index node = 0, begin = 0;
    std::uint64_t points = 0, children = 0, sum = 0;
    if (t < batch) {
        if (t < n) {
            node = memory.stack[size - 1 - t];
            const Verdict verdict = judge(query, tree.node[node]);
            if (verdict != Verdict::outside) {
                begin = tree.begin(node);
                points = tree.end(node) - begin;
                if (verdict == Verdict::straddles && points > query.small && !tree.is_leaf(node)) {
                    points = 0;
                    children = 2;
                }
            }
        }
        sum = inclusive_sum_of_warp(points << 32 | children);
        if (t % 32 == 31) memory.of_warp[t / 32] = sum;
    }
    __syncthreads();
    if (t < batch) {
        std::uint64_t total = 0;
        for (int w = 0; w < batch / 32; ++w) {
            if (w < t / 32) sum += memory.of_warp[w];
            total += memory.of_warp[w];
        }
        const auto pushed = static_cast<int>(total & 0xffffffffu);
        memory.span_begin[t] = begin;
        memory.span_end[t] = static_cast<std::uint32_t>(sum >> 32);
        if (children > 0) {  // those of the first lane, the deepest, on top
            Index* const at = memory.stack + (size - n + pushed - static_cast<int>(sum & 0xffffffffu));
            at[0] = BalancedTree::left(node) + 1;
            at[1] = BalancedTree::left(node);
        }
        if (t == 0) memory.stack_size = size - n + pushed;
    }
    __syncthreads();
}

/// Calls consume(n) for every batch of n points, point_of_batch(i) being the i-th, until nothing is left or
/// it says no. All threads call and get the same answers.
template <int batch, class Consume>
__device__ void walk(const DeviceMassTree& tree, const WalkQuery& query, WalkMemory<batch>& memory,
                     Consume consume)
{
    __syncthreads();
    start_walk(query, memory);
    __syncthreads();
    while (memory.stack_size > 0) {
        take_batch(tree, query, memory);
        const bool more = consume(memory.span_end[batch - 1]);
        __syncthreads();
        if (!more) break;
    }
}

template <int batch>
__device__ Index point_of_batch(const WalkMemory<batch>& memory, std::uint32_t i)
{
    int span = 0;  // the first that ends behind i
    for (int step = batch / 2; step > 0; step /= 2)
        if (memory.span_end[span + step - 1] <= i) span += step;
    const std::uint32_t before = span > 0 ? memory.span_end[span - 1] : 0;
    return memory.span_begin[span] + (i - before);
}

/// Bits of the squared distance, in the operations and the order of the CPU.
__device__ inline std::uint64_t squared_distance_bits(const Box& box, Vec3 centre, const MassPoint& p)
{
    const Vec3 d = box.nearest(Vec3{p.x, p.y, p.z} - centre);
    const double squared =
        __dadd_rn(__dadd_rn(__dmul_rn(d.x, d.x), __dmul_rn(d.y, d.y)), __dmul_rn(d.z, d.z));
    return static_cast<std::uint64_t>(__double_as_longlong(squared));
}

/// Calls action(with mass, bits of the squared distance, index, mass) for every point near: all threads of
/// the block together. Goes on as long as go_on() says, the same to all threads. False: it stopped before the
/// end, because of that or of a batch of more than `most` points.
template <int threads, int batch, class Action, class GoOn>
__device__ bool for_each_near(const DeviceMassTree& tree, const WalkQuery& query, WalkMemory<batch>& memory,
                              Vec3 centre, std::uint32_t most, Action action, GoOn go_on)
{
    bool all = true;
    walk(tree, query, memory, [&](std::uint32_t n) {
        all = n <= most;
        if (!all) return false;
        for (std::uint32_t first = 0; first < n; first += threads) {
            const std::uint32_t i = first + threadIdx.x;
            std::uint64_t bits = 0;
            double mass = 0;
            Index index = 0;
            if (i < n) {
                index = point_of_batch(memory, i);
                const MassPoint p = tree.point[index];
                bits = squared_distance_bits(tree.box, centre, p);
                mass = p.mass;
            }
            action(mass > 0, bits, index, mass);
        }
        __syncthreads();
        all = go_on();
        return all;
    });
    return all;
}

/// The same for all points, however many there are.
template <int threads, int batch, class Action>
__device__ void for_each_near(const DeviceMassTree& tree, const WalkQuery& query, WalkMemory<batch>& memory,
                              Vec3 centre, Action action)
{
    for_each_near<threads>(tree, query, memory, centre, ~0u, action, [] { return true; });
}

constexpr double guess_headroom = 1.15;  ///< of the first radius over that of the expected mass
constexpr double headroom = 1.3;         ///< of a search radius over one that is certainly too small
constexpr double infinity = std::numeric_limits<double>::infinity();

__device__ inline double lowest_density(const SphereSearch& search)
{
    return search.density[search.n_thresholds - 1];
}

/// From `centre` to the farthest corner of the box around all points, in open space.
__device__ inline double farthest(const DeviceMassTree& tree, Vec3 centre)
{
    const MassNode root = tree.node[BalancedTree::root];
    const double per_length = 1 / tree.frame.scale;
    const auto along = [&](double x, double middle, float low, float high) {
        return fmax(fabs(x - (middle + per_length * low)), fabs(middle + per_length * high - x));
    };
    const Vec3 d{along(centre.x, tree.frame.centre.x, root.low.x, root.high.x),
                 along(centre.y, tree.frame.centre.y, root.low.y, root.high.y),
                 along(centre.z, tree.frame.centre.z, root.low.z, root.high.z)};
    return sqrt(dot(d, d)) * (1 + 1e-9);
}

/// The size of a leaf near the centre: how far apart particles are there.
__device__ inline double local_scale(const DeviceMassTree& tree, Vec3 centre)
{
    const Vec3f c = tree.frame.to_frame(centre);
    const auto side = static_cast<float>(tree.box.side * tree.frame.scale);
    const auto reach = [&](Index k) {
        const MassNode node = tree.node[k];
        NodeReach r{0, 0};
        r.include(c.x, node.low.x, node.high.x, side);
        r.include(c.y, node.low.y, node.high.y, side);
        r.include(c.z, node.low.z, node.high.z, side);
        return r;
    };
    Index k = BalancedTree::root;
    const double whole = sqrt(static_cast<double>(reach(k).far));
    while (!tree.is_leaf(k)) {
        const NodeReach a = reach(2 * k), b = reach(2 * k + 1);
        k = a.near < b.near || (a.near == b.near && a.far <= b.far) ? 2 * k : 2 * k + 1;
    }
    // a leaf can straddle a jump of the curve: no more than where points were uniform
    return fmin(sqrt(static_cast<double>(reach(k).far)), whole / cbrt(static_cast<double>(tree.n))) /
           tree.frame.scale;
}

/// Distances that the first count of the present radius takes.
__device__ inline void set_limits(const SphereSearch& search, SphereProgress& progress)
{
    const bool everything = !search.tree.box.periodic() && progress.radius >= progress.widest;
    progress.limit_end = to_bits(progress.radius * progress.radius) + 1;
    progress.limit_squared = everything ? infinity : progress.radius * progress.radius;
    progress.stage = SphereProgress::count;
    for (int k = 0; k < search.n_thresholds; ++k) {
        SphereWindow& window = progress.window[k];
        window = {0, progress.limit_end, 0, {0, 0}, 0, SphereWindow::histogram, progress.limit_end, 0, 0};
        lay_bins(window, table_bins);
    }
}

/// How far from a centre inside the box anything is looked at.
__device__ inline double widest_radius(const DeviceMassTree& tree, Vec3 centre)
{
    return tree.box.periodic() ? tree.box.side / 2 : farthest(tree, centre);
}

/// Nothing known but the centre; `radius`: of the first count, for innermost crossings 0 for a guess.
__device__ inline void start(const SphereSearch& search, Index c, double radius, SphereProgress& progress)
{
    const DeviceMassTree& tree = search.tree;
    progress.place = c;
    progress.centre = tree.box.wrap(search.centre[c]);
    progress.widest = widest_radius(tree, progress.centre);
    if (search.crossing == Crossing::outermost) {
        progress.radius = radius;
        set_limits(search, progress);
        return;
    }
    if (radius == 0) {
        const double expected = search.expected_mass ? search.expected_mass[c] : 0;
        radius = expected > 0 ? guess_headroom * radius_of(expected, lowest_density(search))
                              : 2 * local_scale(tree, progress.centre);
    }
    progress.radius = fmin(radius, progress.widest);
    if (!(progress.radius > 0)) progress.radius = progress.widest;
    set_limits(search, progress);
}

/// Whether the outermost crossing lies beyond the periodic box. `mass`: within the radius of the first count.
__device__ inline bool beyond_the_box(const SphereSearch& search, const SphereProgress& progress,
                                      MassSum mass, double density)
{
    return search.tree.box.periodic() && progress.radius >= progress.widest &&
           reaches(to_mass(mass, search.tree.mass_exponent), density, progress.widest * progress.widest);
}

/// Whether the sphere of the lowest density ends inside the present radius, or that cannot grow; grows it
/// otherwise. Outermost crossings lie inside from the start.
__device__ inline bool wide_enough(const SphereSearch& search, double mass, SphereProgress& progress)
{
    if (search.crossing == Crossing::outermost) return true;
    const double density = lowest_density(search), radius = progress.radius;
    if (mass > 0 && mass < density * volume(radius * radius) * digits_kept) return true;
    if (radius >= progress.widest) return true;
    const double step = mass > 0 ? headroom : 2.0;
    progress.radius = fmin(step * fmax(radius, radius_of(mass, density)), progress.widest);
    set_limits(search, progress);
    return false;
}

/// Blocks of a kernel that the device runs at the same time.
template <class Kernel>
Index blocks_that_fit(Kernel kernel, int threads)
{
    int device = 0, multiprocessors = 0, blocks = 0;
    AUREOLE_CUDA_CHECK(cudaGetDevice(&device));
    AUREOLE_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    AUREOLE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
    return static_cast<Index>(multiprocessors * blocks);
}

}  // namespace aureole::halo
