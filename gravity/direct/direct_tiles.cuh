// Tiles of sources of the mixed-precision direct sum: the kernel that makes them from sources along the
// curve.
#pragma once

#include "gravity/direct/direct_close.cuh"

namespace aureole::gravity {

/// The largest value of a block, in all of its threads.
template <Index size, class T>
__device__ T block_largest(T value, T (&shared)[size])
{
    __syncthreads();  // all have read what the last call left
    shared[threadIdx.x] = value;
    __syncthreads();
    for (Index half = size / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            const T other = shared[threadIdx.x + half];
            if (other > shared[threadIdx.x]) shared[threadIdx.x] = other;
        }
        __syncthreads();
    }
    return shared[0];
}

/// Of a source at x in a tile of a radius: how near to its box touching begins. Most sources that follow each
/// other on the curve stand far closer than the tile is wide where they fill a line, a sheet or clumps. All
/// threads of the block have to call; the last ones of their warps do not count.
__device__ inline float touching_ratio_of(const float (&x)[3], bool has_next, float radius2)
{
    const float dx = __shfl_down_sync(~0u, x[0], 1) - x[0], dy = __shfl_down_sync(~0u, x[1], 1) - x[1],
                dz = __shfl_down_sync(~0u, x[2], 1) - x[2];
    has_next = has_next && threadIdx.x % lanes != lanes - 1;
    const bool is_close = square(dx, dy, dz) < thin_touching_ratio * thin_touching_ratio * radius2;
    const int n = __syncthreads_count(has_next), n_close = __syncthreads_count(has_next && is_close);
    return 2 * n_close > n ? thin_touching_ratio : touching_ratio;
}

/// One block per tile, one thread per source: coordinates relative to the middle source, subtracted in
/// double. The middle one of the curve stays close to most of a tile that holds an outlier or straddles a
/// gap. Clears has_close as well.
template <Index size>
__global__ void __launch_bounds__(size)
    tiles_kernel(const __grid_constant__ MixedSources sources, const Index* order, Index n,
                 const Frame* frame, Tile<size>* tiles, TileDetail<size>* details, std::uint8_t* has_close,
                 Index n_targets)
{
    __shared__ double shared_mass[size];
    __shared__ float shared[size];
    const double inverse_length = frame->inverse_length;
    const Index start = blockIdx.x * size, place = start + threadIdx.x;
    const bool present = place < n;
    for (std::uint64_t i = place; i < n_targets; i += gridDim.x * size) has_close[i] = 0;
    const Vec3 origin = sources.position.load(order[start + min(size / 2, (n - start) / 2)]);

    Vec3 d{0, 0, 0};
    double mass = 0;
    float softening = -1;
    if (present) {
        const Index j = order[place];
        d = inverse_length * (sources.position.load(j) - origin);
        mass = sources.mass[j];
        softening = scaled_softening(sources.softening_of(j), inverse_length, sources.spline);
    }
    const float x[3] = {static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z)};
    const float s2 = square(x[0], x[1], x[2]);
    const double unit = block_largest(fabs(mass), shared_mass);
    const float reach2 = block_largest(s2, shared), largest_softening = block_largest(softening, shared);
    const float touching = touching_ratio_of(x, place + 1 < n, reach2);
    float low[3], high[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        low[k] = -block_largest(-x[k], shared);
        high[k] = block_largest(x[k], shared);
    }

    const float relative_mass = unit > 0 ? static_cast<float>(mass / unit) : 0.0f;
    const bool equal_mass = __syncthreads_and(relative_mass == 1.0f);
    const bool uniform_softening = __syncthreads_and(!present || softening == largest_softening);
    Tile<size>& tile = tiles[blockIdx.x];
    tile.body[threadIdx.x] = {x[0], x[1], x[2], s2};
    tile.mass[threadIdx.x] = relative_mass;
    details[blockIdx.x].of[threadIdx.x] = {cut_off(d.x, x[0]), cut_off(d.y, x[1]), cut_off(d.z, x[2]),
                                           fmaxf(softening, 0.0f)};
    if (threadIdx.x == 0) {
        tile.head = {inverse_length * origin.x,
                     inverse_length * origin.y,
                     inverse_length * origin.z,
                     unit,
                     {low[0], low[1], low[2]},
                     {high[0], high[1], high[2]},
                     fmaxf(far_ratio * far_ratio * reach2, least_apart2),
                     fmaxf(touching * touching * reach2, least_apart2),
                     largest_softening,
                     equal_mass,
                     uniform_softening};
    }
}

}  // namespace aureole::gravity
