// Buckets of 32 members that follow each other along the curve, and the nodes above them, with what bounds
// their potential. Moments are sums in double, bounds are rounded up. These are no BalancedTrees
// (sim/core/spatial): the trees of any number of lists share one array, leaves are full, and a node has eight
// children, so that a warp looks at those of four nodes at once. Nor are they those of list_tree/: their
// nodes hold 8, 64, 512 members..., whereas a warp bounds 32 candidates, and these hold 32, 256, 2048...;
// building both takes half a percent of a catalogue.
#include "halo/centres/gpu/list_segments.cuh"
#include "halo/centres/gpu/search_steps.hpp"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo::centre_search {
namespace {

constexpr unsigned node_block = 128;
constexpr double inflated = 1 + 1e-9;  ///< covers the rounding of radii and moments in double

/// Densities of buckets with fewer members say little.
constexpr Index least_in_dense_bucket = bucket_size / 2;

/// A node without mass: never looked into.
__device__ TreeNode nothing_at(double x, double y, double z)
{
    return {x, y, z, 0, 0, 0, 0, {0, 0, 0}, {0, 0, 0}};
}

/// With A = 3/2 (M - trace(M) / 3), M the moments, the quadrupole in direction n is n A n, and no eigenvalue
/// of a symmetric A without trace is larger than sqrt(2/3) |A|.
__device__ float largest_quadrupole(const Moments& moments)
{
    const double* m = moments.second;
    const double trace = m[0] + m[1] + m[2];
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double diagonal = m[axis] - trace / 3;
        square += diagonal * diagonal + 2 * m[3 + axis] * m[3 + axis];
    }
    return __double2float_ru(inflated * (sqrt(1.5 * square) + 1e-12 * trace));
}

__device__ Moments moments_at(double mass, double x, double y, double z)
{
    return {mass, {mass * x * x, mass * y * y, mass * z * z, mass * x * y, mass * x * z, mass * y * z}};
}

/// A bucket's members, one in each lane.
struct BucketMembers {
    Body own;
    double low[3], high[3];

    __device__ explicit BucketMembers(const Body& body) : own(body)
    {
        const double x[3] = {own.x, own.y, own.z};
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = warp_least(x[axis]);
            high[axis] = warp_largest(x[axis]);
        }
    }

    __device__ double longest() const
    {
        return fmax(fmax(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    }

    /// The same in all lanes.
    __device__ TreeNode node(Moments& moments) const
    {
        const double middle[3] = {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]),
                                  0.5 * (low[2] + high[2])};
        TreeNode node = nothing_at(middle[0], middle[1], middle[2]);
        moments = moments_at(0, 0, 0, 0);
        const double mass = sum_of_warp(own.mass);
        if (mass == 0) return node;
        node.x += sum_of_warp(own.mass * (own.x - middle[0])) / mass;
        node.y += sum_of_warp(own.mass * (own.y - middle[1])) / mass;
        node.z += sum_of_warp(own.mass * (own.z - middle[2])) / mass;
        const double d[3] = {own.x - node.x, own.y - node.y, own.z - node.z};
        const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        moments = moments_at(own.mass, d[0], d[1], d[2]);
        moments.mass = mass;
        for (double& m : moments.second) m = sum_of_warp(m);
        node.mass = __double2float_rn(mass);
        node.radius = __double2float_ru(inflated * sqrt(warp_largest(r2)));
        node.quadrupole = largest_quadrupole(moments);
        node.third = __double2float_ru(inflated * sum_of_warp(own.mass * r2 * sqrt(r2)));
        const double centre[3] = {node.x, node.y, node.z};
        for (int axis = 0; axis < 3; ++axis) {
            node.below[axis] = __double2float_ru(fmax(centre[axis] - low[axis], 0.0));
            node.above[axis] = __double2float_ru(fmax(high[axis] - centre[axis], 0.0));
        }
        return node;
    }
};

/// A warp for each bucket, a lane for each member.
__global__ void bucket_kernel(const __grid_constant__ MembersView members,
                              const __grid_constant__ SearchArrays arrays)
{
    const std::uint64_t bucket = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
    if (bucket >= most_segments(members, bucket_size)) return;
    const Index lane = threadIdx.x % 32;
    const ListSegment segment = segment_at(members, bucket, bucket_size);
    const auto n = static_cast<Index>(segment.end - segment.begin);
    if (lane == 0) {
        arrays.bucket_list[bucket] = segment.list;
        arrays.mask[bucket] = n == 0 ? 0 : all_lanes >> (32 - n);
    }
    if (n == 0) return;
    // lanes left over repeat the last member, without mass
    Body own = arrays.body[segment.begin + (lane < n ? lane : n - 1)];
    if (lane >= n) own.mass = 0;
    const BucketMembers all(own);
    Moments moments;
    const TreeNode node = all.node(moments);
    if (lane != 0) return;
    arrays.node[bucket] = node;
    arrays.moments[bucket] = moments;
    if (n < least_in_dense_bucket && bucket_size < length_of(members, segment.list)) return;
    const float density = __double2float_rn(moments.mass / fmax(all.longest(), 1e-15));
    const std::uint64_t place = (segment.begin - members.begin[segment.list]) / bucket_size;
    atomicMax(atomic_word(&arrays.densest[segment.list]),
              static_cast<unsigned long long>(std::uint64_t{__float_as_uint(density)} << 32 | place));
}

/// Centre and mass of nodes together.
__device__ TreeNode centre_of(const TreeNode* child, const Moments* of_child, int n, double& mass)
{
    double moment[3] = {0, 0, 0};
    mass = 0;
    for (int c = 0; c < n; ++c) {
        const double m = of_child[c].mass;
        mass += m;
        moment[0] += m * (child[c].x - child[0].x);
        moment[1] += m * (child[c].y - child[0].y);
        moment[2] += m * (child[c].z - child[0].z);
    }
    TreeNode node = nothing_at(child[0].x, child[0].y, child[0].z);
    if (mass == 0) return node;
    node.mass = __double2float_rn(mass);
    node.x += moment[0] / mass;
    node.y += moment[1] / mass;
    node.z += moment[2] / mass;
    return node;
}

/// A node's bounds from those of its children, of which (sum m r^3)^(1/3) about its centre is at most as much
/// about their own centres and m^(1/3) times the distance of these (Minkowski).
class ParentBounds {
public:
    __device__ void add(const TreeNode& child, const Moments& of_child, const TreeNode& parent)
    {
        const double d[3] = {child.x - parent.x, child.y - parent.y, child.z - parent.z};
        const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        const Moments shift = moments_at(of_child.mass, d[0], d[1], d[2]);
        moments_.mass += of_child.mass;
        for (int k = 0; k < 6; ++k) moments_.second[k] += of_child.second[k] + shift.second[k];
        const double root = cbrt(static_cast<double>(child.third)) + cbrt(of_child.mass) * distance;
        third_ += root * root * root;
        radius_ = fmax(radius_, child.radius + distance);
        for (int axis = 0; axis < 3; ++axis) {
            below_[axis] = fmax(below_[axis], child.below[axis] - d[axis]);
            above_[axis] = fmax(above_[axis], child.above[axis] + d[axis]);
        }
    }

    __device__ void write(TreeNode& node, Moments& moments) const
    {
        moments = moments_;
        double corner2 = 0;
        for (int axis = 0; axis < 3; ++axis) {
            node.below[axis] = __double2float_ru(inflated * below_[axis]);
            node.above[axis] = __double2float_ru(inflated * above_[axis]);
            const double reach = fmax(node.below[axis], node.above[axis]);
            corner2 += reach * reach;
        }
        node.radius = __double2float_ru(inflated * fmin(radius_, sqrt(corner2)));
        node.quadrupole = largest_quadrupole(moments_);
        node.third = __double2float_ru(inflated * third_);
    }

private:
    Moments moments_{};
    double third_ = 0, radius_ = 0, below_[3] = {0, 0, 0}, above_[3] = {0, 0, 0};
};

/// A thread for each node of a level above the buckets.
__global__ void node_kernel(const __grid_constant__ MembersView members,
                            const __grid_constant__ SearchArrays arrays,
                            const __grid_constant__ Levels levels, int level)
{
    const std::uint64_t number = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::uint64_t length = node_length(level), child_length = node_length(level - 1);
    if (number >= most_segments(members, length)) return;
    const ListSegment segment = segment_at(members, number, length);
    if (segment.begin == segment.end) return;
    const std::uint64_t from = members.begin[segment.list];
    const auto n_children = static_cast<int>((segment.end - segment.begin + child_length - 1) / child_length);
    const std::uint64_t first =
        levels.base[level - 1] + from / child_length + segment.list + (segment.begin - from) / child_length;
    const TreeNode* child = arrays.node + first;
    double mass;
    TreeNode node = centre_of(child, arrays.moments + first, n_children, mass);
    Moments moments{};
    if (mass > 0) {
        ParentBounds bounds;
        for (int c = 0; c < n_children; ++c)
            if (arrays.moments[first + c].mass > 0) bounds.add(child[c], arrays.moments[first + c], node);
        bounds.write(node, moments);
    }
    arrays.node[levels.base[level] + number] = node;
    arrays.moments[levels.base[level] + number] = moments;
}

}  // namespace

void build_nodes(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                 const Levels& levels)
{
    const MembersView& members = query.members;
    const std::uint64_t threads = 32 * most_segments(members, bucket_size);
    bucket_kernel<<<static_cast<unsigned>((threads + node_block - 1) / node_block), node_block, 0, stream>>>(
        members, arrays);
    AUREOLE_CUDA_LAUNCHED("bucket_kernel");
    for (int level = 1; level < levels.n; ++level) {
        const std::uint64_t n = most_segments(members, node_length(level));
        node_kernel<<<static_cast<unsigned>((n + node_block - 1) / node_block), node_block, 0, stream>>>(
            members, arrays, levels, level);
        AUREOLE_CUDA_LAUNCHED("node_kernel");
    }
}

}  // namespace aureole::halo::centre_search
