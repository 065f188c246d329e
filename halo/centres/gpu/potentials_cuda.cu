// Potentials of all members of short lists by all pairs in double: a warp owns 32 members of a list, a lane
// each, and takes 32 sources at a time. They err by the rounding of sums alone, so they also say which
// members may be the most bound.
#include "halo/centres/gpu/list_segments.cuh"
#include "halo/centres/gpu/pair_sums.cuh"
#include "halo/centres/gpu/search_steps.hpp"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo::centre_search {
namespace {

constexpr unsigned potential_warps = 4;

/// Sources that weigh nothing and are far from all members fill up the last tile.
__device__ Body weightless_body(const ListFrame& frame)
{
    return {frame.middle.x + 4 / frame.length, frame.middle.y, frame.middle.z, 0};
}

/// A lane's member and its sum |phi| so far.
struct PairSum {
    Body at;
    double eps2, potential = 0;

    /// Adds 32 sources in shared memory, of which lane k does not see source k if they are the `own` ones.
    /// Squares that are not normal numbers, of members at one place and in units beyond those of doubles,
    /// are left to the slower terms.
    template <bool own>
    __device__ void add(const Body* tile)
    {
        const unsigned lane = threadIdx.x % 32;
        double part[4] = {};
        unsigned unusual = 0;
#pragma unroll 8
        for (unsigned k = 0; k < 32; ++k) {
            const Body from = tile[k];
            const double dx = from.x - at.x, dy = from.y - at.y, dz = from.z - at.z;
            double s2 = fma(dz, dz, fma(dy, dy, fma(dx, dx, eps2))), mass = from.mass;
            if constexpr (own) {
                s2 = k == lane ? 1.0 : s2;
                mass = k == lane ? 0.0 : mass;
            }
            unusual = max(unusual, static_cast<unsigned>(__double2hiint(s2)) - least_high_word);
            part[k % 4] = fma(mass, inverse_root(s2), part[k % 4]);
        }
        double sum = (part[0] + part[1]) + (part[2] + part[3]);
        if (unusual >= end_of_high_words - least_high_word) {
            sum = 0;
            for (unsigned k = 0; k < 32; ++k)
                if (!own || k != lane) sum += pair_term(tile[k], at, eps2);
        }
        potential += sum;
    }

private:
    /// Of normal, finite, positive numbers.
    static constexpr unsigned least_high_word = 0x00100000, end_of_high_words = 0x7ff00000;
};

/// What bounds the energies of a warp's members, in scaled units: candidates for the most bound ones.
__device__ void set_bounds(const CentreQuery& query, const SearchArrays& arrays, const ListSegment& segment,
                           std::uint64_t bucket, bool alive, double potential)
{
    const Index lane = lane_number();
    const std::uint64_t n = length_of(query.members, segment.list), entry = segment.begin + lane;
    double least_depth = -infinite;
    if (alive) {
        const ListFrame& frame = arrays.frame[segment.list];
        const double unit = frame.mass / frame.length, scaled = unit * potential;
        const double kinetic = query.with_motion ? unit * arrays.kinetic[entry] : 0;
        const double rounding = (64 + 0.25 * static_cast<double>(n)) * 0x1p-53;
        const double error = rounding * scaled + 1e-14 * kinetic + 0x1p-90;
        arrays.high[entry] = __double2float_ru(scaled + error);
        least_depth = fmax(scaled - error, 0.0) - kinetic;
    }
    least_depth = warp_largest(least_depth);
    if (lane != 0) return;
    arrays.bucket_list[bucket] = segment.list;
    arrays.mask[bucket] = all_lanes >> (32 - static_cast<Index>(segment.end - segment.begin));
    atomicMax(atomic_word(&arrays.best[segment.list]),
              static_cast<unsigned long long>(ordered_bits(least_depth)));
}

__global__ void __launch_bounds__(32 * potential_warps)
    potentials_kernel(const __grid_constant__ CentreQuery query, const __grid_constant__ SearchArrays arrays,
                      std::size_t tree_members, double* potential, bool with_bounds)
{
    __shared__ Body tiles[potential_warps][bucket_size];
    Body* const tile = tiles[threadIdx.x / 32];
    const Index lane = lane_number();
    const std::uint64_t bucket = std::uint64_t{blockIdx.x} * potential_warps + threadIdx.x / 32;
    if (bucket >= most_segments(query.members, bucket_size)) return;
    const ListSegment segment = segment_at(query.members, bucket, bucket_size);
    const std::uint64_t n = length_of(query.members, segment.list);
    with_bounds = with_bounds && n < query.tree_members;
    if (!with_bounds && n >= tree_members) return;
    if (segment.begin == segment.end) {
        if (!with_bounds || lane != 0) return;
        arrays.bucket_list[bucket] = segment.list;
        arrays.mask[bucket] = 0;
        return;
    }
    const Body* const members = arrays.image + query.members.begin[segment.list];
    const std::uint64_t own = segment.begin - query.members.begin[segment.list];
    const ListFrame& frame = arrays.frame[segment.list];
    const bool alive = own + lane < n, massless = frame.massless;
    PairSum sum{members[alive ? own + lane : own], query.softening * query.softening};
    for (std::uint64_t base = 0; base < n; base += bucket_size) {
        Body source = base + lane < n ? members[base + lane] : weightless_body(frame);
        if (massless && base + lane < n) source.mass = 1;
        __syncwarp();
        tile[lane] = source;
        __syncwarp();
        if (base == own)
            sum.add<true>(tile);
        else
            sum.add<false>(tile);
    }
    const std::uint64_t entry = segment.begin + lane;
    if (alive && n < tree_members && potential) potential[entry] = -sum.potential;
    if (with_bounds) set_bounds(query, arrays, segment, bucket, alive, sum.potential);
}

}  // namespace

void set_potentials(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                    std::size_t tree_members, double* potential, bool with_bounds)
{
    const std::uint64_t n_warps = most_segments(query.members, bucket_size);
    const auto n_blocks = static_cast<unsigned>((n_warps - 1) / potential_warps + 1);
    potentials_kernel<<<n_blocks, 32 * potential_warps, 0, stream>>>(query, arrays, tree_members, potential,
                                                                     with_bounds);
    AUREOLE_CUDA_LAUNCHED("potentials_kernel");
}

}  // namespace aureole::halo::centre_search
