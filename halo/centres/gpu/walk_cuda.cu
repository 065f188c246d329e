// Bounds of potentials on the GPU: a warp owns the candidates of one bucket, a lane each. Its lanes look at
// 32 nodes at a time: those that may stand as one mass at their centre wait in a queue until they are 32,
// which all lanes then add up; buckets that may not are added member by member; the other nodes are opened.
// The bounds are those of halo/centres/tree_search.cpp.
#include "halo/centres/gpu/pair_sums.cuh"
#include "halo/centres/gpu/search_steps.hpp"
#include "halo/centres/gpu/tree_walk.cuh"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo::centre_search {
namespace {

constexpr unsigned warps_per_block = 4;
/// Walks that find how deep a list is start from the first tolerance, each is by the factor tighter, until
/// the bounds are sure of this part of the potential, or the last tolerance is reached. In scaled units deep
/// potentials are about 1 to 1000.
constexpr float first_seed_tolerance = 32, last_seed_tolerance = 0.001f, next_seed_tolerance = 0.125f;
constexpr double sure_part = 0.75;

struct WarpMemory {
    float4 member[32];
    float4 queue[64];
    Index stack[stack_size];
};

/// Slack of float arithmetic on values of one sign, with much to spare.
constexpr float more = 1 + 1e-6f, less = 1 - 1e-6f;

/// Squared length at least, from at most the sizes of its parts.
__device__ float squared_gap(float x, float y, float z)
{
    x = fmaxf(x, 0.0f);
    y = fmaxf(y, 0.0f);
    z = fmaxf(z, 0.0f);
    return (x * x + y * y + z * z) * less;
}

/// a - b - c at most.
__device__ float difference_below(float a, float b, float c) { return a * less - (b + c) * more; }

struct NodeView {
    float x, y, z;      ///< relative to the middle of the targets
    float mass, error;  ///< of the potential when it stands as one mass; infinite when it may not
};

class PotentialBounds {
public:
    __device__ PotentialBounds(const CentreQuery& query, const SearchArrays& arrays, const Levels& levels,
                               WarpMemory& memory, Index bucket)
        : query_(query),
          arrays_(arrays),
          memory_(memory),
          lane_(threadIdx.x % 32),
          tree_(query.members, levels, arrays.bucket_list[bucket]),
          bucket_(static_cast<Index>(bucket - tree_.index_of(0, 0)))
    {
        const Index mask = arrays.mask[bucket];
        alive_ = mask >> lane_ & 1;
        set_targets(__ffs(static_cast<int>(mask)) - 1);
    }

    /// Every member, or node that errs by no more than `tolerance`.
    __device__ void add_by_tree(float tolerance)
    {
        tolerance_ = tolerance;
        TreeWalk(tree_, memory_.stack, *this).run();
        if (n_queued_ == 0) return;
        if (lane_ >= n_queued_) memory_.queue[lane_] = no_source();
        add_queued();
    }

    /// The same by tighter and tighter tolerances, until the depth is known well enough to choose others by.
    __device__ void add_by_tree_until_sure()
    {
        for (float tolerance = first_seed_tolerance;; tolerance *= next_seed_tolerance) {
            forget_sums();
            add_by_tree(tolerance);
            const double low = sums_.potential - error();
            const double sure = warp_largest(alive_ ? low : -1.0);
            const double about = warp_largest(alive_ ? sums_.potential : 0.0);
            if (sure >= sure_part * about || tolerance <= last_seed_tolerance) return;
        }
    }

    /// Writes upper bounds, and raises what the list surely reaches; by seeds, its depth too: in later walks
    /// that would depend on who comes first.
    template <bool seed>
    __device__ void write() const
    {
        const double error = this->error();
        double low = 0, least_depth = -1e300;
        if (alive_) {
            arrays_.high[place()] = __double2float_ru(sums_.potential + error);
            low = fmax(sums_.potential - error, 0.0);
            least_depth = low;
            if (query_.with_motion) {
                const ListFrame& frame = arrays_.frame[tree_.list];
                least_depth -= arrays_.kinetic[arrays_.order[place()]] * (frame.mass / frame.length);
            }
        }
        least_depth = warp_largest(least_depth);
        if constexpr (seed) low = warp_largest(low);
        if (lane_ != 0) return;
        atomicMax(atomic_word(&arrays_.best[tree_.list]),
                  static_cast<unsigned long long>(ordered_bits(least_depth)));
        if constexpr (seed) arrays_.depth[tree_.list] = __float_as_uint(__double2float_rd(low));
    }

    __device__ float depth() const { return __uint_as_float(arrays_.depth[tree_.list]); }
    __device__ bool by_tree() const { return tree_.n_members >= query_.tree_members; }

    /// For a walk: takes the lane's node, or leaves it to be opened.
    __device__ bool opens(bool there, int level, Index number)
    {
        NodeView node{0, 0, 0, 0, 0};
        if (there) node = view_of(arrays_.node[tree_.index_of(level, number)]);
        there = there && node.mass > 0;
        const bool holds_targets = bucket_ >> 3 * level == number;
        const bool taken = there && !holds_targets && node.error <= tolerance_;
        if (taken) far_error_ += node.error;
        queue(taken, node);
        return there && !taken;
    }

    /// For a walk: members one by one.
    __device__ void add_bucket(Index number)
    {
        const std::uint64_t from = std::uint64_t{number} * bucket_size, at = from + lane_;
        float4 source = no_source();
        if (at < tree_.n_members) {
            const Body body = arrays_.body[tree_.begin + at];
            source = as_source(box_, body.x, body.y, body.z, body.mass);
        }
        __syncwarp();
        memory_.member[lane_] = source;
        __syncwarp();
        const bool added = number == bucket_ ? sums_.add<true>(memory_.member, box_, alive_)
                                             : sums_.add<false>(memory_.member, box_, alive_);
        if (!added && alive_) add_in_double(from, from + 32 < tree_.n_members ? from + 32 : tree_.n_members);
    }

private:
    __device__ std::uint64_t place() const
    {
        return tree_.begin + std::uint64_t{bucket_} * bucket_size + lane_;
    }

    /// Of the lane's sum at most. All lanes call it.
    __device__ double error() const
    {
        const double far = sum_of_warp(far_error_) * (1 + 1e-3);
        return rounding_of_sums * sums_.potential +
               2.2 * static_cast<double>(box_.slip) * static_cast<double>(sums_.slope) + far + underflow;
    }

    __device__ void forget_sums()
    {
        sums_.potential = 0;
        sums_.slope = 0;
        far_error_ = 0;
        n_queued_ = 0;
    }

    /// Lanes without a target take that of `first`, which has one.
    __device__ void set_targets(int first)
    {
        Body own = arrays_.body[alive_ ? place() : place() - lane_ + first];
        const double low[3] = {warp_least(own.x), warp_least(own.y), warp_least(own.z)};
        const double high[3] = {warp_largest(own.x), warp_largest(own.y), warp_largest(own.z)};
        box_.x = 0.5 * (low[0] + high[0]);
        box_.y = 0.5 * (low[1] + high[1]);
        box_.z = 0.5 * (low[2] + high[2]);
        const double middle[3] = {box_.x, box_.y, box_.z};
        float reach = 0;
        for (int axis = 0; axis < 3; ++axis) {
            box_.half[axis] = __double2float_ru(fmax(high[axis] - middle[axis], middle[axis] - low[axis]));
            reach = fmaxf(reach, box_.half[axis]);
        }
        box_.slip = 3.7f * unit_roundoff * reach + 0x1p-50f;
        box_.least = 4.2f * box_.slip * box_.slip;
        const double eps = arrays_.frame[tree_.list].length * query_.softening;
        box_.softening2 = static_cast<float>(eps * eps);
        sums_.x = static_cast<float>(own.x - box_.x);
        sums_.y = static_cast<float>(own.y - box_.y);
        sums_.z = static_cast<float>(own.z - box_.z);
    }

    /// What is left of the Legendre series at most: its second term, the quadrupole, is known, and softening,
    /// a step into a fourth dimension, adds to it half of sum m r^2 times the part of the distance that it
    /// is; the others come to sum m r^3 / (D^3 (D - b)). Or how far the potentials of the node's nearest and
    /// farthest points are apart.
    __device__ NodeView view_of(const TreeNode& node) const
    {
        NodeView view{static_cast<float>(node.x - box_.x), static_cast<float>(node.y - box_.y),
                      static_cast<float>(node.z - box_.z), static_cast<float>(node.mass), 0};
        const float ax = fabsf(view.x), ay = fabsf(view.y), az = fabsf(view.z);
        const float d2 =
            squared_gap(difference_below(ax, box_.half[0], 0), difference_below(ay, box_.half[1], 0),
                        difference_below(az, box_.half[2], 0)) +
            box_.softening2 * less;
        constexpr float infinity = 3e38f;
        view.error = infinity;
        if (!(d2 > 4 * box_.least)) return view;  // closer than float can tell
        const float distance = d2 * inverse_root(d2) * less;
        const float gap = difference_below(distance, node.radius, 0);
        if (gap > 0) {
            const float softened = 0.5f * node.mass * node.radius * node.radius * (box_.softening2 / d2);
            view.error = (node.quadrupole + softened + node.third / gap) * (more * more) / (d2 * distance);
        }
        const float near2 = squared_gap(fmaxf(difference_below(view.x, node.below[0], box_.half[0]),
                                              difference_below(-view.x, node.above[0], box_.half[0])),
                                        fmaxf(difference_below(view.y, node.below[1], box_.half[1]),
                                              difference_below(-view.y, node.above[1], box_.half[1])),
                                        fmaxf(difference_below(view.z, node.below[2], box_.half[2]),
                                              difference_below(-view.z, node.above[2], box_.half[2])));
        const float far_x = ax + fmaxf(node.below[0], node.above[0]) + box_.half[0];
        const float far_y = ay + fmaxf(node.below[1], node.above[1]) + box_.half[1];
        const float far_z = az + fmaxf(node.below[2], node.above[2]) + box_.half[2];
        const float far2 = (far_x * far_x + far_y * far_y + far_z * far_z) * more;
        const float nearest = inverse_root(fmaxf(near2 + box_.softening2 * less, 1e-36f)) * more;
        const float farthest = inverse_root(far2 + box_.softening2 * more) * less;
        view.error = fminf(view.error, view.mass * more * (nearest - farthest) * more);
        return view;
    }

    __device__ void queue(bool taken, const NodeView& node)
    {
        const unsigned all = __ballot_sync(all_lanes, taken);
        if (taken)
            memory_.queue[n_queued_ + __popc(all & ((1u << lane_) - 1))] = {node.x, node.y, node.z,
                                                                            node.mass};
        n_queued_ += __popc(all);
        if (n_queued_ < 32) return;
        add_queued();
        n_queued_ -= 32;
        const float4 moved = memory_.queue[32 + lane_];
        __syncwarp();
        if (lane_ < n_queued_) memory_.queue[lane_] = moved;
        __syncwarp();
    }

    /// None of them is close: view_of() sees to it.
    __device__ void add_queued()
    {
        __syncwarp();
        sums_.add<false>(memory_.queue, box_, false);
        __syncwarp();
    }

    /// Members of a bucket in double, from their unscaled images.
    __device__ void add_in_double(std::uint64_t from, std::uint64_t to)
    {
        const Body own = arrays_.image[arrays_.order[place()]];
        const double eps2 = query_.softening * query_.softening;
        double sum = 0;
        for (std::uint64_t k = tree_.begin + from; k < tree_.begin + to; ++k) {
            if (k == place()) continue;
            const Body other = arrays_.image[arrays_.order[k]];
            const double dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            const double s2 = dx * dx + dy * dy + dz * dz + eps2;
            if (s2 > 0) sum += other.mass / sqrt(s2);
        }
        const ListFrame& frame = arrays_.frame[tree_.list];
        sums_.potential += sum * frame.mass / frame.length;
    }

    const CentreQuery& query_;
    const SearchArrays& arrays_;
    WarpMemory& memory_;
    const Index lane_;
    const ListTree tree_;
    const Index bucket_;  ///< of the targets, among the list's
    bool alive_;          ///< the lane's member is a candidate
    TargetBox box_;
    LaneSums sums_;
    float tolerance_ = 0;  ///< what a node may err by
    float far_error_ = 0;  ///< of the nodes that this lane took
    Index n_queued_ = 0;
};

/// A warp for each of the first n active buckets, or for each bucket.
__global__ void __launch_bounds__(32 * warps_per_block)
    walk_kernel(const __grid_constant__ CentreQuery query, const __grid_constant__ SearchArrays arrays,
                const __grid_constant__ Levels levels, Index n, std::uint64_t n_warps, float tolerance)
{
    __shared__ WarpMemory memory[warps_per_block];
    const std::uint64_t warp = std::uint64_t{blockIdx.x} * warps_per_block + threadIdx.x / 32;
    if (warp >= n_warps) return;
    const Index bucket = n > 0 ? arrays.active[warp] : static_cast<Index>(warp);
    if (arrays.mask[bucket] == 0) return;
    PotentialBounds bounds(query, arrays, levels, memory[threadIdx.x / 32], bucket);
    if (!bounds.by_tree()) return;
    bounds.add_by_tree(tolerance * bounds.depth());
    bounds.write<false>();
}

/// A warp for each list.
__global__ void __launch_bounds__(32 * warps_per_block)
    walk_densest_kernel(const __grid_constant__ CentreQuery query,
                        const __grid_constant__ SearchArrays arrays, const __grid_constant__ Levels levels)
{
    __shared__ WarpMemory memory[warps_per_block];
    const Index list = blockIdx.x * warps_per_block + threadIdx.x / 32;
    if (list >= query.members.n_lists || length_of(query.members, list) < query.tree_members) return;
    if (arrays.depth[list] != 0) return;
    const auto place = static_cast<Index>(arrays.densest[list]);
    const auto first = static_cast<Index>(query.members.begin[list] / bucket_size + list);
    PotentialBounds bounds(query, arrays, levels, memory[threadIdx.x / 32], first + place);
    bounds.add_by_tree_until_sure();
    bounds.write<true>();
}

}  // namespace

void walk_densest(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                  const Levels& levels)
{
    const Index n_blocks = (query.members.n_lists - 1) / warps_per_block + 1;
    walk_densest_kernel<<<n_blocks, 32 * warps_per_block, 0, stream>>>(query, arrays, levels);
    AUREOLE_CUDA_LAUNCHED("walk_densest_kernel");
}

void walk(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays, const Levels& levels,
          Index n, float tolerance)
{
    const std::uint64_t n_warps = n > 0 ? n : most_segments(query.members, bucket_size);
    const auto n_blocks = static_cast<unsigned>((n_warps - 1) / warps_per_block + 1);
    walk_kernel<<<n_blocks, 32 * warps_per_block, 0, stream>>>(query, arrays, levels, n, n_warps, tolerance);
    AUREOLE_CUDA_LAUNCHED("walk_kernel");
}

}  // namespace aureole::halo::centre_search
