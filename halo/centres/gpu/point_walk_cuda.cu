// Tight bounds of the few potentials that walks for buckets leave: a block owns one candidate, its warps
// share the tree, and each lane adds a node or a member of its own. A node stands as a mass with its second
// moments at its centre. With s the softened distance, softening a step into a fourth dimension, the Legendre
// series of the potential converges when no member is farther than r < s from the centre; its first term is
// none, and those from the third on come to sum m r^3 / (s^3 (s - r)) at most. All is in double, so that this
// remainder is what bounds are wide by.
#include "halo/centres/gpu/list_segments.cuh"
#include "halo/centres/gpu/search_steps.hpp"
#include "halo/centres/gpu/tree_walk.cuh"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo::centre_search {
namespace {

constexpr unsigned warps_per_point = 8;
constexpr unsigned point_blocks = 2048;  ///< in turn they take all candidates

/// Next to each other bodies are this far from where they should be: scaled coordinates are rounded.
constexpr double slip = 0x1p-50;
constexpr double least_square = 4.2 * slip * slip;  ///< below, positions before scaling are taken
/// Of sums, at least: terms err by 1e-12, and may be of either sign, but a node's quadrupole is at most 0.81
/// of its mass over s.
constexpr double rounding = 1e-10;
constexpr double farthest_member = 0.9;  ///< in units of s; nearer nodes are opened

/// 1 / sqrt(x) but for 2e-13: an estimate in float, and a step of Newton's. x from 1e-30 to 100.
__device__ double inverse_root(double x)
{
    const double y = rsqrtf(static_cast<float>(x));
    return y * fma(-0.5 * x * y, y, 1.5);
}

/// A warp's part of the sum for one candidate; every lane's own until they are added.
class PointSum {
public:
    __device__ PointSum(const CentreQuery& query, const SearchArrays& arrays, const ListTree& tree,
                        std::uint64_t place, float tolerance)
        : query_(query),
          arrays_(arrays),
          tree_(tree),
          place_(place),
          own_(arrays.body[place]),
          shared_level_(start_level(tree) > 0 ? start_level(tree) - 1 : 0)
    {
        tolerance_ = static_cast<double>(tolerance) * __uint_as_float(arrays.depth[tree.list]);
        const double eps = arrays.frame[tree.list].length * query.softening;
        eps2_ = eps * eps;
    }

    /// For a walk: adds the lane's node, or leaves it to be opened. Nodes above the shared level are opened
    /// by all warps, those of it are dealt out.
    __device__ bool opens(bool there, int level, Index number)
    {
        if (there && level > shared_level_) return true;
        if (level == shared_level_) there = there && number % warps_per_point == threadIdx.x / 32;
        return there && !adds_node(level, number);
    }

    /// For a walk: a member in each lane.
    __device__ void add_bucket(Index number)
    {
        const std::uint64_t at = std::uint64_t{number} * bucket_size + threadIdx.x % 32;
        const std::uint64_t place = tree_.begin + at;
        if (at >= tree_.n_members || place == place_) return;
        const Body from = arrays_.body[place];
        const double s2 = squared_distance(from.x, from.y, from.z);
        if (s2 > least_square)
            add(from.mass, inverse_root(s2));
        else
            add_unscaled(place);
    }

    /// The sum, and what it errs by at most, in all threads of the block.
    __device__ void combine(double (&part)[3][warps_per_point])
    {
        const double sums[3] = {sum_of_warp(potential_), sum_of_warp(slope_), sum_of_warp(far_error_)};
        __syncthreads();
        if (threadIdx.x % 32 == 0)
            for (int k = 0; k < 3; ++k) part[k][threadIdx.x / 32] = sums[k];
        __syncthreads();
        potential_ = slope_ = far_error_ = 0;
        for (unsigned warp = 0; warp < warps_per_point; ++warp) {
            potential_ += part[0][warp];
            slope_ += part[1][warp];
            far_error_ += part[2][warp];
        }
    }

    /// Lowers the upper bound, and raises what the list surely reaches.
    __device__ void write() const
    {
        const double kinetic = scaled_kinetic(query_, arrays_, tree_.list, place_);
        const double error =
            rounding * potential_ + 2.5 * slip * slope_ + far_error_ * (1 + 1e-3) + 1e-14 * kinetic + 0x1p-90;
        float& high = arrays_.high[place_];
        high = fminf(high, __double2float_ru(potential_ + error));
        atomicMax(atomic_word(&arrays_.best[tree_.list]),
                  static_cast<unsigned long long>(ordered_bits(fmax(potential_ - error, 0.0) - kinetic)));
    }

private:
    __device__ double squared_distance(double x, double y, double z) const
    {
        const double dx = x - own_.x, dy = y - own_.y, dz = z - own_.z;
        return fma(dz, dz, fma(dy, dy, fma(dx, dx, eps2_)));
    }

    __device__ void add(double mass, double inverse)
    {
        potential_ = fma(mass, inverse, potential_);
        slope_ = fma(mass, inverse * inverse, slope_);
    }

    /// True also where the node has no mass.
    __device__ bool adds_node(int level, Index number)
    {
        const std::uint64_t at = tree_.index_of(level, number);
        const Moments& moments = arrays_.moments[at];
        if (!(moments.mass > 0)) return true;
        if ((place_ - tree_.begin) >> (5 + 3 * level) == number) return false;  // softened, it may seem far
        const TreeNode& node = arrays_.node[at];
        const double x = node.x - own_.x, y = node.y - own_.y, z = node.z - own_.z;
        const double s2 = fma(z, z, fma(y, y, fma(x, x, eps2_)));
        if (!(s2 > least_square)) return false;
        const double inverse = inverse_root(s2), s = s2 * inverse;
        if (!(node.radius < farthest_member * s)) return false;
        const double cube = inverse * inverse * inverse, gap = s * (1 - 1e-9) - node.radius;
        if (!(node.third * cube <= tolerance_ * gap)) return false;
        far_error_ += node.third * cube / gap;
        add(moments.mass, inverse);
        const double* m = moments.second;
        const double along =
            x * (x * m[0] + 2 * (y * m[3] + z * m[4])) + y * (y * m[1] + 2 * z * m[5]) + z * z * m[2];
        potential_ += 0.5 * cube * (3 * along * inverse * inverse - (m[0] + m[1] + m[2]));
        return true;
    }

    /// A member that is closer than scaled coordinates can tell.
    __device__ void add_unscaled(std::uint64_t place)
    {
        const Body own = arrays_.image[arrays_.order[place_]], other = arrays_.image[arrays_.order[place]];
        const double dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
        const double s2 = dx * dx + dy * dy + dz * dz + query_.softening * query_.softening;
        const ListFrame& frame = arrays_.frame[tree_.list];
        if (s2 > 0) potential_ += other.mass / sqrt(s2) * frame.mass / frame.length;
    }

    const CentreQuery& query_;
    const SearchArrays& arrays_;
    const ListTree& tree_;
    const std::uint64_t place_;  ///< of the candidate
    const Body own_;
    const int shared_level_;
    double tolerance_;  ///< what a node may err by
    double eps2_;
    double potential_ = 0, far_error_ = 0;
    double slope_ = 0;  ///< sum m / s^2
};

/// A warp for each of n active buckets lists its candidates, where that is worth a walk.
__global__ void list_points_kernel(const __grid_constant__ CentreQuery query,
                                   const __grid_constant__ SearchArrays arrays, Index n, PointWalk walk)
{
    const std::uint64_t warp = thread_number() / 32;
    if (warp >= n) return;
    const Index bucket = arrays.active[warp], mask = arrays.mask[bucket], list = arrays.bucket_list[bucket];
    const Index count = arrays.count[list];
    const std::uint64_t n_members = length_of(query.members, list);
    if (mask == 0 || count <= walk.few || std::uint64_t{count} * walk.part > n_members ||
        count * n_members <= walk.most_pairs)
        return;
    Index to = 0;
    if (lane_number() == 0) to = atomicAdd(arrays.n_selected, static_cast<Index>(__popc(mask)));
    to = __shfl_sync(all_lanes, to, 0) + __popc(mask & ((1u << lane_number()) - 1));
    if (mask >> lane_number() & 1)
        arrays.candidate[to] = static_cast<Index>(first_place(query.members, bucket, list) + lane_number());
}

__global__ void __launch_bounds__(32 * warps_per_point)
    walk_points_kernel(const __grid_constant__ CentreQuery query, const __grid_constant__ SearchArrays arrays,
                       const __grid_constant__ Levels levels, float tolerance)
{
    __shared__ Index stack[warps_per_point][stack_size];
    __shared__ double part[3][warps_per_point];
    const Index n = *arrays.n_selected;
    for (Index k = blockIdx.x; k < n; k += gridDim.x) {
        const Index place = arrays.candidate[k];
        const ListTree tree(query.members, levels, list_of_entry(query.members, place));
        PointSum sum(query, arrays, tree, place, tolerance);
        TreeWalk(tree, stack[threadIdx.x / 32], sum).run();
        sum.combine(part);
        if (threadIdx.x == 0) sum.write();
    }
}

}  // namespace

void walk_points(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                 const Levels& levels, Index n, const PointWalk& walk)
{
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(arrays.n_selected, 0, sizeof(Index), stream));
    list_points_kernel<<<blocks_for_warps(n), block, 0, stream>>>(query, arrays, n, walk);
    AUREOLE_CUDA_LAUNCHED("list_points_kernel");
    walk_points_kernel<<<point_blocks, 32 * warps_per_point, 0, stream>>>(query, arrays, levels,
                                                                          walk.tolerance);
    AUREOLE_CUDA_LAUNCHED("walk_points_kernel");
}

}  // namespace aureole::halo::centre_search
