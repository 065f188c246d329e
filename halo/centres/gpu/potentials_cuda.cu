// Potentials of all members of short lists by all pairs in double: a warp owns 32 members of a list, a lane
// each. Member j goes to partial sum j mod 8, as in halo/centres/potential_loops.hpp: eights without the
// target to one set, the target's own eight and an incomplete one to another, and both are added in order.
// Equal bit for bit to those of the host.
#include "halo/centres/gpu/list_segments.cuh"
#include "halo/centres/gpu/pair_term.cuh"
#include "halo/centres/gpu/search_steps.hpp"
#include "halo/centres/gpu/warp.cuh"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo::centre_search {
namespace {

constexpr unsigned warps_per_block = 4;
constexpr Index partial_sums = 8;

/// One list and the member that a lane sums for; numbers count from the list's first member.
struct PotentialSum {
    const Body* members;
    std::uint64_t n, target;
    Body at;
    bool massless;
    double eps2;
    double of_whole[partial_sums] = {}, of_others[partial_sums] = {};

    __device__ double term(Body from) const
    {
        if (massless) from.mass = 1;
        return pair_term(from, at, eps2);
    }
    __device__ bool has_target(std::uint64_t first) const { return target - first < partial_sums; }

    /// Eight members, of which the target is none.
    __device__ void add_whole(const Body* eight)
    {
#pragma unroll
        for (Index k = 0; k < partial_sums; ++k) of_whole[k] += term(eight[k]);
    }
    /// Up to eight, without the target.
    __device__ void add_others(std::uint64_t first)
    {
#pragma unroll
        for (Index k = 0; k < partial_sums; ++k)
            if (first + k < n && first + k != target) of_others[k] += term(members[first + k]);
    }
    __device__ double total() const
    {
        double sum = 0;
#pragma unroll
        for (Index k = 0; k < partial_sums; ++k) sum += of_whole[k] + of_others[k];
        return sum;
    }
};

__global__ void __launch_bounds__(32 * warps_per_block)
    potentials_kernel(const __grid_constant__ CentreQuery query, const __grid_constant__ SearchArrays arrays,
                      std::size_t tree_members, double* potential)
{
    __shared__ Body tiles[warps_per_block][bucket_size];
    Body* const tile = tiles[threadIdx.x / 32];
    const Index lane = threadIdx.x % 32;
    const std::uint64_t warp = std::uint64_t{blockIdx.x} * warps_per_block + threadIdx.x / 32;
    if (warp >= most_segments(query.members, bucket_size)) return;
    const ListSegment segment = segment_at(query.members, warp, bucket_size);
    if (segment.begin == segment.end || length_of(query.members, segment.list) >= tree_members) return;
    const std::uint64_t begin = query.members.begin[segment.list];
    const bool alive = segment.begin + lane < segment.end;
    const std::uint64_t entry = alive ? segment.begin + lane : segment.begin;
    PotentialSum sum{
        arrays.image + begin, length_of(query.members, segment.list), entry - begin,
        arrays.image[entry],  arrays.frame[segment.list].massless,    query.softening * query.softening};
    for (std::uint64_t base = 0; base + partial_sums <= sum.n; base += bucket_size) {
        __syncwarp();
        if (base + lane < sum.n) tile[lane] = sum.members[base + lane];
        __syncwarp();
        for (Index k = 0; k < bucket_size && base + k + partial_sums <= sum.n; k += partial_sums)
            if (!sum.has_target(base + k)) sum.add_whole(tile + k);
    }
    const std::uint64_t own = sum.target / partial_sums * partial_sums;
    const std::uint64_t last = sum.n / partial_sums * partial_sums;
    sum.add_others(own);
    if (last != own) sum.add_others(last);
    if (alive) potential[entry] = -sum.total();
}

/// A thread for each list.
__global__ void last_tree_kernel(const __grid_constant__ MembersView members, std::size_t tree_members,
                                 InputReport* report)
{
    const std::uint64_t list = thread_number();
    if (list >= members.n_lists || length_of(members, static_cast<Index>(list)) < tree_members) return;
    if (length_of(members, static_cast<Index>(list)) > 0)
        atomicMax(atomic_word(&report->n_to_last_tree), static_cast<unsigned long long>(list + 1));
}

}  // namespace

void find_last_tree(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                    std::size_t tree_members)
{
    last_tree_kernel<<<blocks_for_threads(query.members.n_lists), block, 0, stream>>>(
        query.members, tree_members, arrays.report);
    AUREOLE_CUDA_LAUNCHED("last_tree_kernel");
}

void set_potentials(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                    std::size_t tree_members, double* potential)
{
    const std::uint64_t n_warps = most_segments(query.members, bucket_size);
    const auto n_blocks = static_cast<unsigned>((n_warps - 1) / warps_per_block + 1);
    potentials_kernel<<<n_blocks, 32 * warps_per_block, 0, stream>>>(query, arrays, tree_members, potential);
    AUREOLE_CUDA_LAUNCHED("potentials_kernel");
}

}  // namespace aureole::halo::centre_search
