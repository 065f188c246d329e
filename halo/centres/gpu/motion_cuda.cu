// Energies of motion about the mean velocity of each list. Sums run over pieces of 1024 members, in order.
#include "halo/centres/gpu/pieces.cuh"
#include "halo/centres/gpu/search_steps.hpp"
#include "halo/centres/gpu/warp.cuh"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo::resident {
namespace {

/// What velocities of a list are relative to while they are summed.
__device__ Vec3 first_velocity(const SearchQuestion& question, Index list)
{
    return question.particles.velocity.load(question.members.particle[question.members.begin[list]]);
}

/// A warp for each piece.
__global__ void momentum_kernel(const __grid_constant__ SearchQuestion question, SearchArrays arrays)
{
    const Piece piece = own_piece(question.members);
    if (piece.begin == piece.end) return;
    const Vec3 origin = first_velocity(question, piece.list);
    MotionSum sum{};
    for (std::uint64_t k = piece.begin + lane_number(); k < piece.end; k += 32) {
        const double mass = arrays.image[k].mass;
        const Vec3 v = question.particles.velocity.load(question.members.particle[k]) - origin;
        sum.mass += mass;
        sum.momentum = sum.momentum + mass * v;
    }
    sum = {warp_sum(sum.mass),
           {warp_sum(sum.momentum.x), warp_sum(sum.momentum.y), warp_sum(sum.momentum.z)}};
    if (lane_number() == 0) arrays.motion[thread_number() / 32] = sum;
}

/// A thread for each list.
__global__ void mean_velocity_kernel(const __grid_constant__ SearchQuestion question, SearchArrays arrays)
{
    const std::uint64_t number = thread_number();
    if (number >= question.members.n_lists) return;
    const auto list = static_cast<Index>(number);
    const std::uint64_t first = question.members.begin[list] / piece_length + list;
    const std::uint64_t n = (length_of(question.members, list) + piece_length - 1) / piece_length;
    MotionSum sum{};
    for (std::uint64_t k = first; k < first + n; ++k) {
        sum.mass += arrays.motion[k].mass;
        sum.momentum = sum.momentum + arrays.motion[k].momentum;
    }
    arrays.mean_velocity[list] = first_velocity(question, list) + (1 / sum.mass) * sum.momentum;
}

/// A warp for each piece.
__global__ void kinetic_kernel(const __grid_constant__ SearchQuestion question, SearchArrays arrays)
{
    const Piece piece = own_piece(question.members);
    if (piece.begin == piece.end) return;
    const Vec3 mean = arrays.mean_velocity[piece.list];
    for (std::uint64_t k = piece.begin + lane_number(); k < piece.end; k += 32) {
        const Vec3 v = question.particles.velocity.load(question.members.particle[k]) - mean;
        arrays.kinetic[k] = 0.5 * dot(v, v);
    }
}

}  // namespace

void set_kinetic(CUstream_st* stream, const SearchQuestion& question, const SearchArrays& arrays)
{
    const unsigned blocks = blocks_for_pieces(question.members);
    momentum_kernel<<<blocks, block, 0, stream>>>(question, arrays);
    AUREOLE_CUDA_LAUNCHED("momentum_kernel");
    mean_velocity_kernel<<<blocks_for_threads(question.members.n_lists), block, 0, stream>>>(question,
                                                                                             arrays);
    AUREOLE_CUDA_LAUNCHED("mean_velocity_kernel");
    kinetic_kernel<<<blocks, block, 0, stream>>>(question, arrays);
    AUREOLE_CUDA_LAUNCHED("kinetic_kernel");
}

}  // namespace aureole::halo::resident
