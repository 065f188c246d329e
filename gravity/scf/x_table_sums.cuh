// From the partial sums of blocks to coefficients. Blocks are the pieces of an X-table: each takes a run of
// neighbouring particles, so that its sums serve as those of a sub-sample too, and ranks with some of the
// particles make the sums of their pieces.
#pragma once

#include <cuda_pipeline.h>

#include "gravity/scf/expansion_kernels.hpp"
#include "sim/core/chained_launch.cuh"

namespace aureole::gravity::scf {

inline constexpr int finish_width = 32, finish_rows = 32;

/// Block (k, sample): row r of threads adds pieces r, r + 32, ... of the sample, neighbouring threads
/// neighbouring coefficients; then the rows are added. A fixed order.
static __global__ __launch_bounds__(finish_width* finish_rows) void finish_x_table_kernel(
    const double* partials, int n_partials, int samples, int size, const double* weights,
    double* coefficients)
{
    __shared__ double of_rows[finish_rows][finish_width];
    follow_earlier_kernels();
    const int k = blockIdx.x * finish_width + threadIdx.x, row = threadIdx.y;
    double sum = 0;
    constexpr int at_once = 9;  // as many as an expansion with the usual number of pieces has
    const int stride = samples * finish_rows;
    for (int first = blockIdx.y + samples * row; k < size && first < n_partials; first += at_once * stride) {
        double some[at_once];
#pragma unroll
        for (int u = 0; u < at_once; ++u) {
            const int piece = first + u * stride;
            some[u] = piece < n_partials ? partials[std::size_t(piece) * size + k] : 0;
        }
#pragma unroll
        for (int u = 0; u < at_once; ++u) sum += some[u];
    }
    of_rows[row][threadIdx.x] = sum;
    __syncthreads();
    if (row > 0 || k >= size) return;
#pragma unroll
    for (int r = 1; r < finish_rows; ++r) sum += of_rows[r][threadIdx.x];
    coefficients[blockIdx.y * size + k] = weights[k] * sum;
}

inline void finish_x_table(CUstream_st* stream, const ExpandTask& task, const Basis& basis,
                           const double* partials, const double* device_weights)
{
    const int size = static_cast<int>(basis.size());
    const dim3 grid((size + finish_width - 1) / finish_width, task.samples), block(finish_width, finish_rows);
    launch_chained(finish_x_table_kernel, grid, block, 0, stream, partials,
                   static_cast<int>(pieces_cuda(basis, task.n_all)), task.samples, size, device_weights,
                   task.coefficients);
    AUREOLE_CUDA_LAUNCHED("finish_x_table_kernel");
}

/// What an X-table kernel reads of the particles.
struct XTableInput {
    ConstParticlesView particles;
    IndexRange range;
    int component;
    Family family;
    Vec3 centre;
    double inverse_a, mass_unit;
    Index n_all;
    unsigned n_pieces, first_piece;
};

inline XTableInput input_of(const ExpandTask& task, const Basis& basis)
{
    const std::size_t pieces = pieces_cuda(basis, task.n_all);
    return {task.particles,
            task.range,
            task.component,
            basis.family,
            task.centre,
            1 / basis.scale_radius,
            task.mass_unit,
            task.n_all,
            static_cast<unsigned>(pieces),
            static_cast<unsigned>(first_of_part(pieces, task.slice, task.slice.part))};
}

/// Blocks of a launch, one for each piece of the part.
inline unsigned own_pieces(const ExpandTask& task, const Basis& basis)
{
    const std::size_t pieces = pieces_cuda(basis, task.n_all);
    return static_cast<unsigned>(first_of_part(pieces, task.slice, task.slice.part + 1) -
                                 first_of_part(pieces, task.slice, task.slice.part));
}

/// The piece of this block, and where its particles lie.
struct Piece {
    unsigned number;
    std::uint64_t begin, end;
};

__device__ inline Piece own_piece(const XTableInput& in)
{
    const unsigned number = in.first_piece + blockIdx.x;
    // the range begins with the first piece of the part
    const std::uint64_t before = in.range.begin - piece_begin_cuda(in.n_all, in.first_piece, in.n_pieces);
    return {number, before + piece_begin_cuda(in.n_all, number, in.n_pieces),
            before + piece_begin_cuda(in.n_all, number + 1, in.n_pieces)};
}

/// Whether particle i takes part: one beyond the piece or of another component does not.
__device__ inline bool is_member(const XTableInput& in, std::uint64_t i, std::uint64_t end)
{
    return i < end && (in.component < 0 || in.particles.component_of(static_cast<Index>(i)) == in.component);
}

/// The unit that is given, or a power of two near the largest of the masses that all blocks look at, so that
/// any unit of mass fits a float. Every thread of a block has to call it.
template <int threads>
__device__ inline double mass_unit(const XTableInput& in)
{
    if (in.mass_unit > 0) return in.mass_unit;
    __shared__ double of_warps[threads / 32];
    const std::uint64_t n = in.range.end - in.range.begin;
    double most = in.particles.mass[in.range.begin + n * threadIdx.x / threads];
    for (int half = 16; half > 0; half /= 2) most = fmax(most, __shfl_xor_sync(0xffffffffu, most, half));
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = most;
    __syncthreads();
    for (int w = 0; w < threads / 32; ++w) most = fmax(most, of_warps[w]);
    return most > 1e-300 ? scalbn(1.0, ilogb(most)) : 1.0;
}

/// Masses and positions on their way to the threads of a block: each thread asks for its particles `depth`
/// turns ahead, so that enough bytes are in flight with few threads (a register kernel has 8 warps a
/// multiprocessor).
template <int threads, int depth>
struct ParticleRing {
    double values[depth][4][threads];

    __device__ void ask(const XTableInput& in, std::uint64_t i, std::uint64_t end, int turn)
    {
        if (i < end) {
            double(&to)[4][threads] = values[turn % depth];
            const ConstParticlesView& p = in.particles;
            const double* const from[4] = {p.mass, p.position.x, p.position.y, p.position.z};
#pragma unroll
            for (int k = 0; k < 4; ++k)
                __pipeline_memcpy_async(&to[k][threadIdx.x], from[k] + i, sizeof(double));
        }
        __pipeline_commit();
    }
    /// The thread's own particle of this turn; what lies beyond the piece was never asked for.
    __device__ void wait() { __pipeline_wait_prior(depth - 1); }
    __device__ void wait_for_all() { __pipeline_wait_prior(0); }
    __device__ double mass(int turn) const { return values[turn % depth][0][threadIdx.x]; }
    __device__ Vec3 position(int turn) const
    {
        const double(&from)[4][threads] = values[turn % depth];
        return {from[1][threadIdx.x], from[2][threadIdx.x], from[3][threadIdx.x]};
    }
};

/// Each lane keeps half of the values and adds what its partner had of them, and so on down to one value.
template <int half, class T>
__device__ inline T halved_sum(const T (&v)[2 * half])
{
    const bool upper = threadIdx.x % 32 & half;
    T kept[half];
#pragma unroll
    for (int j = 0; j < half; ++j) {
        const T low = v[j], high = v[j + half];  // values: a choice of elements would be one of addresses
        kept[j] = (upper ? high : low) + __shfl_xor_sync(0xffffffffu, upper ? low : high, half);
    }
    if constexpr (half == 1)
        return kept[0];
    else
        return halved_sum<half / 2>(kept);
}

/// Adds up K values of the 32 lanes of a warp: lane j of round r holds the sum of value 32 r + j and stores
/// it. Halves are exchanged instead of copied: 31 shuffles for 32 sums.
template <int base = 0, int K, class T, class Store>
__device__ inline void warp_sums(const T (&values)[K], Store store)
{
    if constexpr (base < K) {
        const int lane = threadIdx.x % 32;
        T v[32];
#pragma unroll
        for (int j = 0; j < 32; ++j) v[j] = base + j < K ? values[base + j < K ? base + j : 0] : T(0);
        const T sum = halved_sum<16>(v);
        if (base + lane < K) store(base + lane, sum);
        warp_sums<base + 32>(values, store);
    }
}

}  // namespace aureole::gravity::scf
