// Potentials of the members of long lists on the GPU: a warp owns 32 members that follow each other along the
// curve, four leaves. Its lanes look at 32 nodes at a time. Those that are far from all targets wait until
// they are 32; then each lane adds one to its own part of the expansion. Leaves that are not are noted, and
// then eight lanes work for each leaf of targets: a source leaf that is far from it goes to the leaf's
// expansion. The members of the others meet the leaf in sums over pairs, in which each lane holds a source
// and all eight targets. The parts of the lanes are added in a fixed order. The decisions are those of
// tree_potentials.cpp.
#include "halo/centres/gpu/pair_sums.cuh"
#include "halo/centres/gpu/tree_walk.cuh"
#include "halo/centres/list_tree/list_tree.hpp"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo::list_tree {
namespace {

using centre_search::all_lanes;
using centre_search::inverse_root;
using centre_search::warp_largest;

constexpr unsigned warps_per_block = 4;
constexpr Index most_near = 256;  ///< source leaves noted at a time; their places fit a byte

struct WarpMemory {
    Index stack[centre_search::stack_size];
    Index far[64];                                  ///< nodes that wait
    Index near[most_near];                          ///< leaves that are not far from all targets
    std::uint8_t chosen[target_leaves][most_near];  ///< of these, per leaf of targets: far ones from the
                                                    ///< front on, the others from the back
};

__device__ inline double squared(double x, double y, double z, double eps2)
{
    return fma(z, z, fma(y, y, fma(x, x, eps2)));
}

__device__ inline bool is_normal(double x) { return __double2hiint(x) >= 0x00100000; }
static_assert(least_squared == 0x1p-1022, "the least normal number");

/// High word of 2^-56: of pairs with a smaller s^2, rounded coordinates do not tell the potential; others err
/// by less than `rounding`, as bodies are 2^-50 from where they should be.
constexpr int least_sure_word = 0x3c700000;
constexpr double rounding = 1e-6;

/// The sum over the lanes that work for a leaf, in each of them.
template <class Real>
__device__ inline Real sum_of_leaf(Real x)
{
    for (int step = leaf_size / 2; step > 0; step /= 2) x += __shfl_xor_sync(all_lanes, x, step);
    return x;
}

/// Of eight sums in each lane, the k-th over all lanes of a leaf in its k-th lane.
__device__ inline double own_of_sums(double (&sum)[leaf_size])
{
#pragma unroll
    for (unsigned half = leaf_size / 2; half > 0; half /= 2) {
        const bool upper = threadIdx.x & half;
#pragma unroll
        for (unsigned k = 0; k < half; ++k) {
            const double kept = upper ? sum[k + half] : sum[k], given = upper ? sum[k] : sum[k + half];
            sum[k] = kept + __shfl_xor_sync(all_lanes, given, half);
        }
    }
    return sum[0];
}

/// The tree of one list.
struct OneTree {
    const Levels& levels;
    Index list;
    std::uint64_t begin;  ///< place of the first member
    Index n_members;

    __device__ Index count_at(int level) const { return ((n_members - 1) >> node_bits(level)) + 1; }
    __device__ Index index_of(int level, Index number) const
    {
        return static_cast<Index>(levels.base[level] + (begin >> node_bits(level)) + list + number);
    }
};

/// The targets of a warp, one in each lane, and their sums; with `bounded` also what these err by at most.
template <bool bounded>
class BucketSums {
public:
    __device__ BucketSums(const ListTrees& trees, const OneTree& tree, double eps2, WarpMemory& memory,
                          Index bucket, Index first)
        : trees_(trees),
          tree_(tree),
          memory_(memory),
          eps2_(eps2),
          lane_(threadIdx.x % 32),
          ball_(trees.node.bucket[bucket]),
          centre_(centre_of(ball_, half_cell(trees.frame[tree.list])))
    {
        const Index leaf = first / leaf_size + lane_ / leaf_size, last = tree.count_at(0) - 1;
        leaf_ = leaf < last ? leaf : last;  // lanes left over repeat the last leaf, or its last member
        if constexpr (!bounded) return;
        reach_ = warp_largest(reach_of(centre_));
        leaf_reach_ = reach_of(leaf_centre());
        for (int step = leaf_size / 2; step > 0; step /= 2)
            leaf_reach_ = fmaxf(leaf_reach_, __shfl_xor_sync(all_lanes, leaf_reach_, step));
    }

    /// |phi| of the lane's target, in scaled units.
    __device__ double potential()
    {
        centre_search::TreeWalk walk(tree_, memory_.stack, *this);
        while (!walk.done()) {
            walk.run();
            add_far_nodes(n_far_);
            n_far_ = 0;
            potential_ += far_field();
            add_near_leaves();
        }
        return potential_;
    }

    /// For a walk: takes the lane's node, or leaves it to be opened; notes near leaves.
    __device__ bool opens(bool there, int level, Index number)
    {
        const Index node = there ? tree_.index_of(level, number) : 0;
        const bool far = there && far_apart(ball_, trees_.node.ball[node]);
        push(far, node, memory_.far, n_far_);
        push(there && !far && level == 0, number, memory_.near, n_near_);
        if (n_far_ >= 32) {
            add_far_nodes(32);
            move_rest();
        }
        return there && !far && level > 0;
    }

    /// For a walk: the next look could bring more leaves than can be noted.
    __device__ bool pauses() const { return n_near_ > most_near - 32; }

    /// After potential(): it is no larger; infinite where coordinates do not tell.
    __device__ float high() const
    {
        const float error = sum_of_warp(far_error_) + leaf_error_;
        const double high = potential_ * (1 + rounding) + 1.001 * static_cast<double>(error) + 0x1p-90;
        const bool sure = least_word_ >= least_sure_word && isfinite(high);
        return sure ? __double2float_ru(high) : __int_as_float(0x7f800000);
    }

private:
    /// How far the lane's target is from `centre`, at least.
    __device__ float reach_of(Vec3 centre) const
    {
        const Vec3 d = target() - centre;
        return __double2float_ru(sqrt(dot(d, d)) * (1 + 1e-6) + 1e-14);
    }

    __device__ Vec3 leaf_centre() const
    {
        return centre_of(trees_.node.ball[tree_.index_of(0, leaf_)], half_cell(trees_.frame[tree_.list]));
    }

    __device__ void push(bool mine, Index value, Index* list, Index& n) const
    {
        const unsigned all = __ballot_sync(all_lanes, mine);
        if (mine) list[n + __popc(all & ((1u << lane_) - 1))] = value;
        n += __popc(all);
    }

    __device__ void move_rest()
    {
        n_far_ -= 32;
        const Index moved = memory_.far[32 + lane_];
        __syncwarp();
        if (lane_ < n_far_) memory_.far[lane_] = moved;
        __syncwarp();
    }

    struct Node {
        Multipole<double> multipole;
        float radius;
    };
    __device__ Node loaded(Index node) const
    {
        return {trees_.node.load(node), bounded ? trees_.node.radius[node] : 0};
    }

    /// Returns what is left out at most, within `reach` of the centre.
    __device__ float add_node(const Node& node, Vec3 centre, float reach, Expansion<double>& to) const
    {
        const Multipole<double>& source = node.multipole;
        const double dx = centre.x - source.term[0], dy = centre.y - source.term[1],
                     dz = centre.z - source.term[2];
        const double inverse = inverse_root(squared(dx, dy, dz, eps2_));
        add_multipole(source, dx, dy, dz, inverse, to);
        if constexpr (!bounded) return 0;
        const double second = source.term[4] + source.term[5] + source.term[6];
        return multipole_error(static_cast<float>(source.term[3]), static_cast<float>(second), node.radius,
                               reach, static_cast<float>(inverse));
    }

    /// The first n that wait, a lane each.
    __device__ void add_far_nodes(Index n)
    {
        __syncwarp();
        if (lane_ < n) far_error_ += add_node(loaded(memory_.far[lane_]), centre_, reach_, far_);
        __syncwarp();
    }

    __device__ Vec3 target() const
    {
        const Body body = body_at(leaf_ * leaf_size + lane_ % leaf_size);
        return {body.x, body.y, body.z};
    }

    /// Of the nodes that were added; forgets them.
    __device__ double far_field()
    {
#pragma unroll
        for (double& term : far_.term) term = sum_of_warp(term);
        const double value = value_of(far_, target() - centre_);
        far_ = {};
        return value;
    }

    /// The last member in place of those that follow it.
    __device__ Body body_at(Index number) const
    {
        return trees_.body[tree_.begin + (number < tree_.n_members ? number : tree_.n_members - 1)];
    }

    /// What was noted; forgets it.
    __device__ void add_near_leaves()
    {
        __syncwarp();
        const Index which = lane_ / leaf_size, own = lane_ % leaf_size;
        const Ball ball = trees_.node.ball[tree_.index_of(0, leaf_)];
        Index n_far = 0, n_pairs = 0;
        for (Index base = 0; base < n_near_; base += leaf_size) {
            const bool there = base + own < n_near_;
            const Index leaf = memory_.near[there ? base + own : 0];
            const bool far = there && far_apart(ball, trees_.node.ball[tree_.index_of(0, leaf)]);
            choose(far, which, base + own, n_far, 0, 1);
            choose(there && !far, which, base + own, n_pairs, most_near - 1, -1);
        }
        __syncwarp();
        add_far_leaves(memory_.chosen[which], n_far, leaf_centre());
        add_pairs(n_pairs);
        n_near_ = 0;
        __syncwarp();
    }

    __device__ void choose(bool mine, Index which, Index place, Index& n, int from, int step)
    {
        const unsigned own = lane_ % leaf_size,
                       all = __ballot_sync(all_lanes, mine) >> which * leaf_size & 0xffu;
        if (mine)
            memory_.chosen[which][from + step * static_cast<int>(n + __popc(all & ((1u << own) - 1)))] =
                static_cast<std::uint8_t>(place);
        n += __popc(all);
    }

    /// Of leaves that are far from the lane's leaf.
    __device__ void add_far_leaves(const std::uint8_t* chosen, Index n, Vec3 centre)
    {
        Expansion<double> sum{};
        float error = 0;
        Index k = lane_ % leaf_size;
        if (k < n) {
            const auto leaf = [&](Index at) { return loaded(tree_.index_of(0, memory_.near[chosen[at]])); };
            Node next = leaf(k);
            while (k < n) {
                const Node source = next;
                k += leaf_size;
                if (k < n) next = leaf(k);  // is on its way while this one is added
                error += add_node(source, centre, leaf_reach_, sum);
            }
        }
        __syncwarp();
        if constexpr (bounded) leaf_error_ += sum_of_leaf(error);
#pragma unroll
        for (double& term : sum.term) term = sum_of_leaf(term);
        potential_ += value_of(sum, target() - centre);
    }

    /// Of members, n leaves of them for the lane's leaf: all lanes work for one leaf of targets after the
    /// other, as some have twice as many as others.
    __device__ void add_pairs(Index n)
    {
#pragma unroll 1
        for (Index t = 0; t < target_leaves; ++t) {
            const Index of_leaf = __shfl_sync(all_lanes, n, t * leaf_size);
            const double sum = pair_sum(memory_.chosen[t] + most_near - 1, of_leaf,
                                        __shfl_sync(all_lanes, leaf_, t * leaf_size));
            if (lane_ / leaf_size == t) potential_ += sum;
        }
    }

    struct Source {
        Body body;
        Index self;  ///< which of the targets it is; leaf_size: none
    };

    /// The lane's member of the k-th of n leaves.
    __device__ Source source(const std::uint8_t* last, Index k, Index n, Index targets) const
    {
        if (k >= n) return {};
        const Index leaf = memory_.near[*(last - k)], own = lane_ % leaf_size,
                    number = leaf * leaf_size + own;
        Source from{body_at(number), leaf == targets ? own : leaf_size};
        if (number >= tree_.n_members) from.body.mass = 0;
        return from;
    }

    /// Over n leaves, `last` and what lies before it, four at a time: of the target whose number in the leaf
    /// is that of the lane in its eight.
    __device__ double pair_sum(const std::uint8_t* last, Index n, Index targets)
    {
        double x[leaf_size], y[leaf_size], z[leaf_size], sum[leaf_size] = {};
#pragma unroll
        for (Index k = 0; k < leaf_size; ++k) {
            const Body target = body_at(targets * leaf_size + k);
            // repetitions of the last member are at no member's place
            x[k] = targets * leaf_size + k < tree_.n_members ? target.x : target.x + 8;
            y[k] = target.y;
            z[k] = target.z;
        }
        int least = least_sure_word;
        Index k = lane_ / leaf_size;
        Source next = source(last, k, n, targets);
        while (k < n) {
            const Source from = next;
            k += target_leaves;
            next = source(last, k, n, targets);  // is on its way while the pairs are summed
            int nearest = least_sure_word;
#pragma unroll
            for (Index t = 0; t < leaf_size; ++t) {
                const double s2 = squared(from.body.x - x[t], from.body.y - y[t], from.body.z - z[t], eps2_);
                const double term = fma(from.body.mass, inverse_root(s2), sum[t]);
                sum[t] = is_normal(s2) && t != from.self ? term : sum[t];
                if constexpr (bounded) nearest = min(nearest, t != from.self ? __double2hiint(s2) : nearest);
            }
            if (bounded && from.body.mass > 0) least = min(least, nearest);
        }
        __syncwarp();
        if constexpr (bounded) least_word_ = min(least_word_, centre_search::warp_least(least));
        double total = own_of_sums(sum);
        for (int step = leaf_size; step < 32; step *= 2) total += __shfl_xor_sync(all_lanes, total, step);
        return total;
    }

    const ListTrees& trees_;
    const OneTree& tree_;
    WarpMemory& memory_;
    const double eps2_;
    const Index lane_;
    const Ball ball_;    ///< around all targets
    const Vec3 centre_;  ///< of the expansion for all targets
    Index leaf_;         ///< of the lane's target, in its list
    Index n_far_ = 0, n_near_ = 0;
    Expansion<double> far_{};  ///< this lane's part
    double potential_ = 0;
    float reach_ = 0, leaf_reach_ = 0;  ///< how far targets are from the centres of their expansions
    float far_error_ = 0;               ///< this lane's part
    float leaf_error_ = 0;              ///< of expansions about the lane's leaf
    int least_word_ = least_sure_word;  ///< of s^2 of a pair
};

/// A warp for each bucket of 32 targets.
template <bool bounded>
__global__ void __launch_bounds__(32 * warps_per_block, 4)
    tree_potentials_kernel(const __grid_constant__ ListTrees trees, const Index* order, double softening,
                           double* potential, float* high)
{
    __shared__ WarpMemory memory[warps_per_block];
    const std::uint64_t bucket = std::uint64_t{blockIdx.x} * warps_per_block + threadIdx.x / 32;
    if (bucket >= most_segments(trees.members, bucket_size)) return;
    const ListSegment targets = segment_at(trees.members, bucket, bucket_size);
    if (targets.begin == targets.end || !trees.has_tree(targets.list)) return;
    const OneTree tree{trees.levels, targets.list, trees.members.begin[targets.list],
                       static_cast<Index>(length_of(trees.members, targets.list))};
    const ListFrame& frame = trees.frame[targets.list];
    const double eps = frame.length * softening, unit = frame.length / frame.mass;
    BucketSums<bounded> sums(trees, tree, eps * eps, memory[threadIdx.x / 32], static_cast<Index>(bucket),
                             static_cast<Index>(targets.begin - tree.begin));
    const double found = sums.potential();
    const std::uint64_t place = targets.begin + threadIdx.x % 32;
    const float bound = bounded ? sums.high() : 0;
    if (place >= targets.end) return;
    potential[order[place]] = -unit * found;
    if constexpr (bounded) high[place] = bound;
}

}  // namespace

void set_potentials(Exec exec, const ListTrees& trees, const Index* order, double softening,
                    double* potential, float* high)
{
    const std::uint64_t n_warps = most_segments(trees.members, bucket_size);
    const auto n_blocks = static_cast<unsigned>((n_warps - 1) / warps_per_block + 1);
    const auto kernel = high ? tree_potentials_kernel<true> : tree_potentials_kernel<false>;
    kernel<<<n_blocks, 32 * warps_per_block, 0, exec.stream>>>(trees, order, softening, potential, high);
    AUREOLE_CUDA_LAUNCHED("tree_potentials_kernel");
}

}  // namespace aureole::halo::list_tree
