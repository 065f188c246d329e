// Particles in the order of a space-filling curve, found on the device without host reads.
// Three small kernels: extent of the particles; keys, each chunk of 1024 sorted in shared memory; merges of
// 16 sorted runs at a time, where every element finds its own place by counting, in binary searches, the
// elements of the 15 other runs that come before it (all independent; 2^14 particles take one such launch,
// 2^20 three). O(N log N), negligible beside N^2. Equal keys keep the order of their indices, so the order is
// unique. The curve is Hilbert's: it has no jumps. In a Plummer
// sphere of 2^18 78 % of the (target, tile of 256) pairs have |t| > 2 |s|, on a Morton curve 63 %; the 99 %
// force error is 4.4e-7 against 6.6e-7.
#pragma once

#include <cstdint>

#include "gravity/direct/direct_share.cuh"
#include "sim/core/spatial/curve_keys.hpp"

namespace aureole::gravity {

inline constexpr int bounds_blocks = 128, bounds_threads = 256;
inline constexpr Index sort_chunk = 1024, merge_ways = 16, merge_threads = 128;
inline constexpr double last_cell = (Index{1} << key_bits) - 1;  ///< of a row of cells
/// Lengths are scaled so that the larger of extent and softening becomes 2^16 to 2^17: 1 / r^3 then stays
/// inside float's range for distances from 2^-56 of the extent upwards, and for masses down to 1e-22 of the
/// largest.
inline constexpr int scaled_exponent = 16;

/// The cube around all particles of a task.
struct Frame {
    double low[3];
    double cells_per_length;  ///< keys count cells of 2^-21 of the extent
    double inverse_length;    ///< a power of two: scaled length = length * inverse_length
};

/// [3 minima, 3 maxima][block]
using BoundsPart = double[6][bounds_blocks];

/// Each block takes every 128th chunk of 256 particles of both selections and leaves their least and largest
/// coordinates.
static __global__ void __launch_bounds__(bounds_threads)
    bounds_kernel(ConstVec3View x, Selection targets, Selection sources, BoundsPart* part)
{
    constexpr double huge = 1.7976931348623157e308;
    double bound[6] = {huge, huge, huge, -huge, -huge, -huge};
    for (const Selection& selection : {targets, sources})
        for (std::uint64_t k = std::uint64_t{blockIdx.x} * bounds_threads + threadIdx.x; k < selection.size();
             k += bounds_blocks * bounds_threads) {
            const Vec3 p = x.load(selection[static_cast<Index>(k)]);
            const double c[3] = {p.x, p.y, p.z};
            for (int axis = 0; axis < 3; ++axis) {
                bound[axis] = fmin(bound[axis], c[axis]);
                bound[3 + axis] = fmax(bound[3 + axis], c[axis]);
            }
        }
    __shared__ double warp_bound[6][bounds_threads / 32];
    for (int k = 0; k < 6; ++k) {
        for (int step = 16; step > 0; step /= 2) {
            const double other = __shfl_xor_sync(~0u, bound[k], step);
            bound[k] = k < 3 ? fmin(bound[k], other) : fmax(bound[k], other);
        }
        if (threadIdx.x % 32 == 0) warp_bound[k][threadIdx.x / 32] = bound[k];
    }
    __syncthreads();
    if (threadIdx.x < 6) {
        const int k = static_cast<int>(threadIdx.x);
        double result = warp_bound[k][0];
        for (const double other : warp_bound[k]) result = k < 3 ? fmin(result, other) : fmax(result, other);
        (*part)[k][blockIdx.x] = result;
    }
}

/// By all threads of a block, six warps at least: the frame from the parts of bounds_kernel.
__device__ inline Frame to_frame(const BoundsPart& part, double largest_softening)
{
    __shared__ double bound[6];
    const unsigned k = threadIdx.x / 32;
    if (k < 6) {
        double result = part[k][threadIdx.x % 32];
        for (unsigned b = threadIdx.x % 32; b < bounds_blocks; b += 32)
            result = k < 3 ? fmin(result, part[k][b]) : fmax(result, part[k][b]);
        for (int step = 16; step > 0; step /= 2) {
            const double other = __shfl_xor_sync(~0u, result, step);
            result = k < 3 ? fmin(result, other) : fmax(result, other);
        }
        bound[k] = result;
    }
    __syncthreads();
    // clamped as on the CPU, so that no scale becomes zero or infinite
    const double span = fmax(fmax(bound[3] - bound[0], bound[4] - bound[1]), bound[5] - bound[2]);
    const double extent = fmin(span, 1e270);
    const double largest = fmax(fmin(fmax(extent, largest_softening), 1e270), extent > 0 ? 1e-270 : 0.0);
    return {{bound[0], bound[1], bound[2]},
            extent > 0 ? last_cell / extent : 0.0,
            largest > 0 ? scalbn(1.0, scaled_exponent - ilogb(largest)) : 1.0};
}

/// Place of a particle's cell on the curve.
__device__ inline std::uint64_t curve_key(Vec3 x, const Frame& frame)
{
    const double c[3] = {x.x, x.y, x.z};
    Index cell[3];
#pragma unroll
    for (int k = 0; k < 3; ++k)
        cell[k] =
            static_cast<Index>(fmin(fmax((c[k] - frame.low[k]) * frame.cells_per_length, 0.0), last_cell));
    return hilbert_key(cell, key_bits);
}

/// One block per chunk of 1024 particles, a pair of elements per thread in each step of a bitonic network.
/// Elements compare by (key, index), so no two are equal; places past the end hold the largest key and stay
/// there.
static __global__ void __launch_bounds__(sort_chunk / 2)
    sort_chunks_kernel(ConstVec3View x, Selection selection, const BoundsPart* part, double largest_softening,
                       Frame* frame_out, std::uint64_t* key_out, Index* order_out)
{
    __shared__ std::uint64_t key[sort_chunk];
    __shared__ Index index[sort_chunk];
    const Frame frame = to_frame(*part, largest_softening);
    if (blockIdx.x == 0 && threadIdx.x == 0) *frame_out = frame;

    const Index n = selection.size(), start = blockIdx.x * sort_chunk;
    for (Index e = threadIdx.x; e < sort_chunk; e += blockDim.x) {
        const bool present = start + e < n;
        index[e] = present ? selection[start + e] : ~Index{0};
        key[e] = present ? curve_key(x.load(index[e]), frame) : ~std::uint64_t{0};
    }
    for (Index size = 2; size <= sort_chunk; size *= 2)
        for (Index stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            const Index a = 2 * threadIdx.x - (threadIdx.x & (stride - 1)), b = a + stride;
            const std::uint64_t key_a = key[a], key_b = key[b];
            const Index index_a = index[a], index_b = index[b];
            const bool ascending = (a & size) == 0;
            if ((key_a > key_b || (key_a == key_b && index_a > index_b)) == ascending) {
                key[a] = key_b;
                key[b] = key_a;
                index[a] = index_b;
                index[b] = index_a;
            }
        }
    __syncthreads();
    for (Index e = threadIdx.x; e < sort_chunk && start + e < n; e += blockDim.x) {
        key_out[start + e] = key[e];
        order_out[start + e] = index[e];
    }
}

/// One thread per element: merges groups of 16 sorted runs of `length` elements (a power of two) into one.
/// place = own offset + elements of the other runs before it: equal keys count where the run is an earlier
/// one.
static __global__ void __launch_bounds__(merge_threads)
    merge_kernel(Index n, Index length, const std::uint64_t* key, const Index* order, std::uint64_t* key_out,
                 Index* order_out)
{
    const Index e = blockIdx.x * merge_threads + threadIdx.x;
    if (e >= n) return;
    const std::uint64_t own = key[e];
    const Index run = e / length, first = run / merge_ways * merge_ways;
    Index before[merge_ways], size[merge_ways];
#pragma unroll
    for (Index w = 0; w < merge_ways; ++w) {
        const std::uint64_t begin = std::uint64_t{first + w} * length;
        before[w] = 0;
        size[w] =
            first + w == run || begin >= n ? 0 : static_cast<Index>(begin + length < n ? length : n - begin);
    }
    for (Index step = length; step > 0; step /= 2)
#pragma unroll
        for (Index w = 0; w < merge_ways; ++w) {  // the 16 searches step together: their loads overlap
            const Index reach = before[w] + step;
            if (reach <= size[w] &&
                key[std::size_t{first + w} * length + reach - 1] < own + (first + w < run))
                before[w] = reach;
        }
    Index place = first * length + e % length;
#pragma unroll
    for (Index w = 0; w < merge_ways; ++w) place += before[w];
    key_out[place] = own;
    order_out[place] = order[e];
}

/// Buffers of one sort.
struct OrderScratch {
    std::uint64_t* key[2];
    Index* order[2];

    OrderScratch(Carver& carver, Index n)
        : key{carver.take<std::uint64_t>(n), carver.take<std::uint64_t>(n)},
          order{carver.take<Index>(n), carver.take<Index>(n)}
    {
    }
};

/// Which of its two buffers holds the result of a sort of n elements.
inline int sorted_buffer(Index n)
{
    int from = 0;
    for (std::uint64_t length = sort_chunk; length < n; length *= merge_ways) from ^= 1;
    return from;
}

/// Particle indices of the selection in curve order (in one of the scratch buffers); fills `frame` too.
inline const Index* sort_along_curve(CUstream_st* stream, ConstVec3View x, const Selection& selection,
                                     const BoundsPart* part, double largest_softening, Frame* frame,
                                     const OrderScratch& scratch)
{
    const Index n = selection.size();
    sort_chunks_kernel<<<divide_up(n, sort_chunk), sort_chunk / 2, 0, stream>>>(
        x, selection, part, largest_softening, frame, scratch.key[0], scratch.order[0]);
    AUREOLE_CUDA_LAUNCHED("sort_chunks_kernel");
    int from = 0;
    for (std::uint64_t length = sort_chunk; length < n; length *= merge_ways, from ^= 1) {
        merge_kernel<<<divide_up(n, merge_threads), merge_threads, 0, stream>>>(
            n, static_cast<Index>(length), scratch.key[from], scratch.order[from], scratch.key[from ^ 1],
            scratch.order[from ^ 1]);
        AUREOLE_CUDA_LAUNCHED("merge_kernel");
    }
    return scratch.order[from];
}

}  // namespace aureole::gravity
