// Buckets of 32 members that follow each other along the curve, and the nodes above them, with what bounds
// their potential. Moments are sums in double, bounds are rounded up.
#include "halo/resident_centres/search_steps.hpp"
#include "halo/resident_centres/warp.cuh"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo::resident {
namespace {

constexpr unsigned block = 128;
constexpr double inflated = 1 + 1e-9;  ///< covers the rounding of radii and moments in double

/// What a node of mass 0 is: never looked into.
__device__ TreeNode nothing_at(double x, double y, double z)
{
    return {x, y, z, 0, 0, 0, {0, 0, 0}, {0, 0, 0}};
}

/// Densities of buckets with fewer members say little.
constexpr Index least_in_dense_bucket = bucket_size / 2;

/// A warp for each bucket, a lane for each member.
__global__ void bucket_kernel(MembersView members, SearchArrays arrays)
{
    const std::uint64_t bucket = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
    if (bucket >= room_for_pieces(members, bucket_size)) return;
    const Index lane = threadIdx.x % 32;
    const Piece piece = piece_at(members, bucket, bucket_size);
    const auto n = static_cast<Index>(piece.end - piece.begin);
    if (lane == 0) {
        arrays.bucket_list[bucket] = piece.list;
        arrays.mask[bucket] = n == 0 ? 0 : all_lanes >> (32 - n);
    }
    if (n == 0) return;
    // lanes left over repeat the last member, without mass
    Body own = arrays.body[piece.begin + (lane < n ? lane : n - 1)];
    if (lane >= n) own.mass = 0;
    const double mass = warp_sum(own.mass);
    const double low[3] = {warp_least(own.x), warp_least(own.y), warp_least(own.z)};
    const double high[3] = {warp_largest(own.x), warp_largest(own.y), warp_largest(own.z)};
    const double middle[3] = {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])};
    TreeNode node = nothing_at(middle[0], middle[1], middle[2]);
    if (mass > 0) {
        node.x += warp_sum(own.mass * (own.x - middle[0])) / mass;
        node.y += warp_sum(own.mass * (own.y - middle[1])) / mass;
        node.z += warp_sum(own.mass * (own.z - middle[2])) / mass;
        const double dx = own.x - node.x, dy = own.y - node.y, dz = own.z - node.z;
        const double r2 = dx * dx + dy * dy + dz * dz;
        node.mass = mass;
        node.radius = __double2float_ru(inflated * sqrt(warp_largest(r2)));
        node.second = __double2float_ru(inflated * warp_sum(own.mass * r2));
        const double centre[3] = {node.x, node.y, node.z};
        for (int axis = 0; axis < 3; ++axis) {
            node.below[axis] = __double2float_ru(fmax(centre[axis] - low[axis], 0.0));
            node.above[axis] = __double2float_ru(fmax(high[axis] - centre[axis], 0.0));
        }
    }
    if (lane != 0) return;
    arrays.node[bucket] = node;
    if (n < least_in_dense_bucket && bucket_size < length_of(members, piece.list)) return;
    const double longest = fmax(fmax(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    const float density = __double2float_rn(mass / fmax(longest, 1e-15));
    const std::uint64_t own_place = (piece.begin - members.begin[piece.list]) / bucket_size;
    atomicMax(atomic_word(&arrays.densest[piece.list]),
              static_cast<unsigned long long>(std::uint64_t{__float_as_uint(density)} << 32 | own_place));
}

/// A thread for each node of a level above the buckets.
__global__ void node_kernel(MembersView members, SearchArrays arrays, const __grid_constant__ Levels levels,
                            int level)
{
    const std::uint64_t number = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::uint64_t length = node_length(level), child_length = node_length(level - 1);
    if (number >= room_for_pieces(members, length)) return;
    const Piece piece = piece_at(members, number, length);
    if (piece.begin == piece.end) return;
    const std::uint64_t from = members.begin[piece.list];
    const auto n_children = static_cast<int>((piece.end - piece.begin + child_length - 1) / child_length);
    const TreeNode* child = arrays.node + levels.base[level - 1] + from / child_length + piece.list +
                            (piece.begin - from) / child_length;
    double mass = 0, moment[3] = {0, 0, 0};
    for (int c = 0; c < n_children; ++c) {
        const double m = child[c].mass;
        mass += m;
        moment[0] += m * (child[c].x - child[0].x);
        moment[1] += m * (child[c].y - child[0].y);
        moment[2] += m * (child[c].z - child[0].z);
    }
    TreeNode node = nothing_at(child[0].x, child[0].y, child[0].z);
    if (mass > 0) {
        node.x += moment[0] / mass;
        node.y += moment[1] / mass;
        node.z += moment[2] / mass;
        double radius = 0, second = 0, below[3] = {0, 0, 0}, above[3] = {0, 0, 0};
        for (int c = 0; c < n_children; ++c) {
            if (child[c].mass == 0) continue;
            const double d[3] = {child[c].x - node.x, child[c].y - node.y, child[c].z - node.z};
            const double shift2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            radius = fmax(radius, child[c].radius + sqrt(shift2));
            second += child[c].second + child[c].mass * shift2;
            for (int axis = 0; axis < 3; ++axis) {
                below[axis] = fmax(below[axis], child[c].below[axis] - d[axis]);
                above[axis] = fmax(above[axis], child[c].above[axis] + d[axis]);
            }
        }
        double corner2 = 0;
        for (int axis = 0; axis < 3; ++axis) {
            node.below[axis] = __double2float_ru(below[axis]);
            node.above[axis] = __double2float_ru(above[axis]);
            const double reach = fmax(node.below[axis], node.above[axis]);
            corner2 += reach * reach;
        }
        node.mass = mass;
        node.radius = __double2float_ru(inflated * fmin(radius, sqrt(corner2)));
        node.second = __double2float_ru(inflated * second);
    }
    arrays.node[levels.base[level] + number] = node;
}

}  // namespace

void build_nodes(CUstream_st* stream, const SearchQuestion& question, const SearchArrays& arrays,
                 const Levels& levels)
{
    const MembersView& members = question.members;
    const std::uint64_t threads = 32 * room_for_pieces(members, bucket_size);
    bucket_kernel<<<static_cast<unsigned>((threads + block - 1) / block), block, 0, stream>>>(members,
                                                                                              arrays);
    AUREOLE_CUDA_LAUNCHED("bucket_kernel");
    for (int level = 1; level < levels.n; ++level) {
        const std::uint64_t n = room_for_pieces(members, node_length(level));
        node_kernel<<<static_cast<unsigned>((n + block - 1) / block), block, 0, stream>>>(members, arrays,
                                                                                          levels, level);
        AUREOLE_CUDA_LAUNCHED("node_kernel");
    }
}

}  // namespace aureole::halo::resident
