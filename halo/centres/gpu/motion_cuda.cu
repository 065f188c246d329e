// Energies of motion about the mean velocity of each list. Sums run over segments of 1024 members, in order.
#include "halo/centres/gpu/list_segments.cuh"
#include "halo/centres/gpu/search_steps.hpp"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo::centre_search {
namespace {

/// What velocities of a list are relative to while they are summed.
__device__ Vec3 first_velocity(const CentreQuery& query, Index list)
{
    return query.particles.velocity.load(query.members.particle[query.members.begin[list]]);
}

/// A warp for each segment.
__global__ void momentum_kernel(const __grid_constant__ CentreQuery query, SearchArrays arrays)
{
    const ListSegment segment = own_segment(query.members);
    if (segment.begin == segment.end) return;
    const Vec3 origin = first_velocity(query, segment.list);
    MotionSum sum{};
    for (std::uint64_t k = segment.begin + lane_number(); k < segment.end; k += 32) {
        const double mass = arrays.image[k].mass;
        const Vec3 v = query.particles.velocity.load(query.members.particle[k]) - origin;
        sum.mass += mass;
        sum.momentum = sum.momentum + mass * v;
    }
    sum = {sum_of_warp(sum.mass),
           {sum_of_warp(sum.momentum.x), sum_of_warp(sum.momentum.y), sum_of_warp(sum.momentum.z)}};
    if (lane_number() == 0) arrays.motion[thread_number() / 32] = sum;
}

/// A thread for each list.
__global__ void mean_velocity_kernel(const __grid_constant__ CentreQuery query, SearchArrays arrays)
{
    const std::uint64_t number = thread_number();
    if (number >= query.members.n_lists) return;
    const auto list = static_cast<Index>(number);
    const std::uint64_t first = query.members.begin[list] / segment_size + list;
    const std::uint64_t n = (length_of(query.members, list) + segment_size - 1) / segment_size;
    MotionSum sum{};
    for (std::uint64_t k = first; k < first + n; ++k) {
        sum.mass += arrays.motion[k].mass;
        sum.momentum = sum.momentum + arrays.motion[k].momentum;
    }
    arrays.mean_velocity[list] = first_velocity(query, list) + (1 / sum.mass) * sum.momentum;
}

/// A warp for each segment.
__global__ void kinetic_kernel(const __grid_constant__ CentreQuery query, SearchArrays arrays)
{
    const ListSegment segment = own_segment(query.members);
    if (segment.begin == segment.end) return;
    const Vec3 mean = arrays.mean_velocity[segment.list];
    for (std::uint64_t k = segment.begin + lane_number(); k < segment.end; k += 32) {
        const Vec3 v = query.particles.velocity.load(query.members.particle[k]) - mean;
        arrays.kinetic[k] = 0.5 * dot(v, v);
    }
}

/// A thread for each entry.
__global__ void kinetic_by_flags_kernel(MembersView members, SearchArrays arrays, std::uint64_t least)
{
    const std::uint64_t entry = thread_number();
    if (entry >= members.n_members) return;
    const bool flagged = length_of(members, list_of_entry(members, entry)) < least || arrays.flag[entry] != 0;
    arrays.kinetic[entry] = flagged ? 0 : infinite;
}

}  // namespace

void set_kinetic(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays)
{
    const unsigned blocks = blocks_for_segments(query.members);
    momentum_kernel<<<blocks, block, 0, stream>>>(query, arrays);
    AUREOLE_CUDA_LAUNCHED("momentum_kernel");
    mean_velocity_kernel<<<blocks_for_threads(query.members.n_lists), block, 0, stream>>>(query, arrays);
    AUREOLE_CUDA_LAUNCHED("mean_velocity_kernel");
    kinetic_kernel<<<blocks, block, 0, stream>>>(query, arrays);
    AUREOLE_CUDA_LAUNCHED("kinetic_kernel");
}

void set_kinetic_by_flags(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                          std::uint64_t least)
{
    kinetic_by_flags_kernel<<<blocks_for_threads(query.members.n_members), block, 0, stream>>>(query.members,
                                                                                               arrays, least);
    AUREOLE_CUDA_LAUNCHED("kinetic_by_flags_kernel");
}

}  // namespace aureole::halo::centre_search
