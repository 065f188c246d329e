// From the partial sums of blocks to coefficients. Blocks are the pieces of an X-table: block b takes every
// so-manieth batch of neighbouring particles, so that its sums serve as those of a sub-sample too.
#pragma once

#include "gravity/scf/expansion_twins.hpp"
#include "sim/core/cuda_check.cuh"

namespace aureole::gravity::scf {

/// Two blocks for each multiprocessor of an H200; fewer for expansions so large that their sums fill memory.
inline std::size_t n_pieces(const Basis& basis)
{
    constexpr std::size_t most = 264, least = 16, most_sums = std::size_t{1} << 22;
    const std::size_t fitting = most_sums / basis.size();
    return fitting < least ? least : fitting > most ? most : fitting;
}

/// One warp per coefficient and sample: lanes add pieces in order, then by halves; a fixed order.
static __global__ void finish_x_table_kernel(const double* partials, int n_partials, int samples, int size,
                                             const double* weights, double* coefficients)
{
    const int entry = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (entry >= size * samples) return;
    const int sample = entry / size, k = entry % size;
    double sum = 0;
    for (int piece = sample + samples * lane; piece < n_partials; piece += samples * 32)
        sum += partials[std::size_t(piece) * size + k];
    for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, half);
    if (lane == 0) coefficients[entry] = weights[k] * sum;
}

inline void finish_x_table(CUstream_st* stream, const ExpandTask& task, const Basis& basis,
                           const double* partials, const double* device_weights)
{
    constexpr int block = 128;
    const int size = static_cast<int>(basis.size()), entries = size * task.samples;
    finish_x_table_kernel<<<(entries + block / 32 - 1) / (block / 32), block, 0, stream>>>(
        partials, static_cast<int>(n_pieces(basis)), task.samples, size, device_weights, task.coefficients);
    AUREOLE_CUDA_LAUNCHED("finish_x_table_kernel");
}

/// What an X-table kernel reads of the particles.
struct XTableInput {
    ParticlesView particles;
    IndexRange range;
    int component;
    Family family;
    Vec3 centre;
    double inverse_a;
};

inline XTableInput input_of(const ExpandTask& task, const Basis& basis)
{
    return {task.particles, task.range, task.component, basis.family, task.centre, 1 / basis.scale_radius};
}

/// Mass of particle i; zero when it is beyond the range or not a member.
__device__ inline double mass_of(const XTableInput& in, std::uint64_t i)
{
    if (i >= in.range.end) return 0;
    if (in.component >= 0 && in.particles.component[i] != in.component) return 0;
    return in.particles.mass[i];
}

/// A mass and a position, read before they are needed.
struct RawParticle {
    double mass, x, y, z;
};

__device__ inline RawParticle read_particle(const XTableInput& in, std::uint64_t i)
{
    const double mass = mass_of(in, i);
    const Vec3 x = in.particles.position.load(static_cast<Index>(min(i, std::uint64_t(in.range.end) - 1)));
    return {mass, x.x, x.y, x.z};
}

}  // namespace aureole::gravity::scf
