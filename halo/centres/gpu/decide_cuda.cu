// The candidates that bounds leave, and the decision among them: sums in double over all members, as integers
// that are the same in any order, with the very terms of halo/centres/candidates.hpp.
#include "halo/centres/gpu/list_segments.cuh"
#include "halo/centres/gpu/pair_sums.cuh"
#include "halo/centres/gpu/search_steps.hpp"
#include "sim/core/cuda_check.cuh"
#include "sim/core/sums/fixed_sum.hpp"

namespace aureole::halo::centre_search {
namespace {

/// A warp for each bucket.
__global__ void drop_kernel(const __grid_constant__ CentreQuery query,
                            const __grid_constant__ SearchArrays arrays, Index n, std::uint64_t n_warps,
                            Index few)
{
    const std::uint64_t warp = thread_number() / 32;
    if (warp >= n_warps) return;
    const Index bucket = n > 0 ? arrays.active[warp] : static_cast<Index>(warp);
    const Index mask = arrays.mask[bucket];
    if (mask == 0) return;
    const Index list = arrays.bucket_list[bucket];
    const std::uint64_t place = first_place(query.members, bucket, list) + lane_number();
    bool possible = mask >> lane_number() & 1, unbounded = false;
    if (possible) {
        const float high = arrays.high[place];
        possible = high - scaled_kinetic(query, arrays, list, place) >= from_ordered_bits(arrays.best[list]);
        unbounded = possible && isinf(high);
    }
    const unsigned left = __ballot_sync(all_lanes, possible);
    unbounded = __any_sync(all_lanes, unbounded);
    if (lane_number() != 0) return;
    arrays.mask[bucket] = left;
    // more than few in any case: they are walked for
    if (left != 0) atomicAdd(&arrays.count[list], static_cast<Index>(__popc(left)) + (unbounded ? few : 0));
}

/// A warp for a segment of a list: which member is the deepest, by potentials that may err.
__global__ void seed_kernel(const __grid_constant__ CentreQuery query,
                            const __grid_constant__ SearchArrays arrays, const double* potential)
{
    const ListSegment segment = own_segment(query.members);
    if (segment.begin == segment.end || length_of(query.members, segment.list) < query.tree_members) return;
    const ListFrame& frame = arrays.frame[segment.list];
    std::uint64_t best = 0;
    for (std::uint64_t place = segment.begin + lane_number(); place < segment.end; place += 32) {
        if (isinf(arrays.high[place])) continue;
        const double scaled = -potential[arrays.order[place]] * (frame.mass / frame.length);
        const double depth = scaled - scaled_kinetic(query, arrays, segment.list, place);
        const std::uint64_t number = place - query.members.begin[segment.list];
        const std::uint64_t seed = ordered_bits(depth) >> 32 << 32 | number;
        if (isfinite(depth) && seed > best) best = seed;
    }
    best = warp_largest(best);
    if (lane_number() == 0 && best != 0)
        atomicMax(atomic_word(&arrays.seed[segment.list]), static_cast<unsigned long long>(best));
}

/// A thread for each list: this member is its candidate, if there is one. Lists that are not searched by a
/// tree name their first.
__global__ void choose_seeds_kernel(const __grid_constant__ CentreQuery query,
                                    const __grid_constant__ SearchArrays arrays)
{
    const std::uint64_t list = thread_number();
    if (list >= query.members.n_lists) return;
    const std::uint64_t seed = arrays.seed[list], place = query.members.begin[list] + (seed & 0xffffffffu);
    arrays.candidate[list] = static_cast<Index>(place);
    arrays.count[list] = seed != 0;
    arrays.deepest[list] = seed != 0 ? __float_as_uint(arrays.high[place]) : 0;
}

/// A thread for each bucket.
__global__ void flag_open_kernel(const __grid_constant__ CentreQuery query,
                                 const __grid_constant__ SearchArrays arrays, Index few)
{
    const std::uint64_t bucket = thread_number();
    if (bucket >= most_segments(query.members, bucket_size)) return;
    const Index list = arrays.bucket_list[bucket];
    arrays.flag[bucket] = arrays.mask[bucket] != 0 && arrays.count[list] > few &&
                          length_of(query.members, list) >= query.tree_members;
}

__device__ bool same(const Body& a, const Body& b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z && a.mass == b.mass;
}

/// A warp for each bucket. Of its members at one place with one mass and one energy of motion the smallest id
/// stands for all: they have the same sum.
__global__ void flag_candidates_kernel(const __grid_constant__ CentreQuery query,
                                       const __grid_constant__ SearchArrays arrays)
{
    const std::uint64_t bucket = thread_number() / 32;
    if (bucket >= most_segments(query.members, bucket_size)) return;
    const Index list = arrays.bucket_list[bucket], lane = lane_number();
    const std::uint64_t place = first_place(query.members, static_cast<Index>(bucket), list) + lane;
    if (place >= query.members.begin[list + 1]) return;
    const Index mask = arrays.mask[bucket];
    bool candidate = mask >> lane & 1;
    if (candidate && __popc(mask) > 1) {
        const double* const kinetic = query.with_motion ? arrays.kinetic : nullptr;
        const Index entry = arrays.order[place];
        const Body own = arrays.image[entry];
        const std::uint64_t id = query.particles.id_of(query.members.particle[entry]);
        for (Index rest = mask & ~(1u << lane); rest != 0; rest &= rest - 1) {
            const Index other = __ffs(static_cast<int>(rest)) - 1,
                        other_entry = arrays.order[place - lane + other];
            const std::uint64_t other_id = query.particles.id_of(query.members.particle[other_entry]);
            const bool before = other_id < id || (other_id == id && other_entry < entry);
            const bool alike = !kinetic || kinetic[entry] == kinetic[other_entry];
            candidate = candidate && !(before && alike && same(own, arrays.image[other_entry]));
        }
    }
    arrays.flag[place] = candidate;
    if (candidate) atomicMax(&arrays.deepest[list], __float_as_uint(arrays.high[place]));
}

struct Candidates {
    Index begin, end;
};

/// First of n rising places that is not below `place`.
__device__ Index first_not_below(const Index* places, Index n, std::uint64_t place)
{
    Index first = 0;
    for (Index count = n; count > 0;) {
        const Index half = count / 2;
        if (places[first + half] < place) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

__device__ Candidates candidates_of(const CentreQuery& query, const SearchArrays& arrays, Index list, Index n)
{
    return {first_not_below(arrays.candidate, n, query.members.begin[list]),
            first_not_below(arrays.candidate, n, query.members.begin[list + 1])};
}

/// What brings sums of a list's candidates near 2^60.
__device__ double unit_of(const SearchArrays& arrays, Index list)
{
    const ListFrame& frame = arrays.frame[list];
    const double highest = __uint_as_float(arrays.deepest[list]) * (frame.length / frame.mass);
    if (!isfinite(highest)) return 0;  // then the energy is NaN, and the host says what is wrong
    return highest > 0 ? scale_of(highest) * 0x1p60 : 1.0;
}

/// A warp adds its segment of a list to the sums of all of the list's candidates, one after the other.
__global__ void sum_kernel(const __grid_constant__ CentreQuery query,
                           const __grid_constant__ SearchArrays arrays, Index n)
{
    const ListSegment segment = own_segment(query.members);
    if (segment.begin == segment.end) return;
    const Candidates own = candidates_of(query, arrays, segment.list, n);
    const double unit = unit_of(arrays, segment.list), eps2 = query.softening * query.softening;
    for (Index c = own.begin; c < own.end; ++c) {
        const Index entry = arrays.order[arrays.candidate[c]];
        const Body at = arrays.image[entry];
        SplitSum sum;
        for (std::uint64_t k = segment.begin + lane_number(); k < segment.end; k += 32)
            if (k != entry) sum.add(__dmul_rn(pair_term(arrays.image[k], at, eps2), unit));
        sum.whole = sum_of_warp(sum.whole);
        sum.part = sum_of_warp(sum.part);
        if (lane_number() != 0) continue;
        atomicAdd(atomic_word(&arrays.sum[c].whole), static_cast<unsigned long long>(sum.whole));
        atomicAdd(atomic_word(&arrays.sum[c].part), static_cast<unsigned long long>(sum.part));
    }
}

constexpr Index own_members = 8;  ///< of a lane at a time
constexpr std::uint64_t block_members = 4 * block * own_members;
constexpr Index candidates_at_a_time = 128;

/// Whether a list's candidates are told apart by sums over all members.
__device__ bool is_summed(const CentreQuery& query, const SearchArrays& arrays, Index list,
                          const SumLimits& limits)
{
    const std::uint64_t n = length_of(query.members, list), count = arrays.count[list];
    return n >= query.tree_members && count > limits.few && count * n <= limits.most_pairs;
}

/// A lane's members.
struct OwnMembers {
    Body body[own_members];
    std::uint64_t first;  ///< entry of the first, the others follow 32 apart

    __device__ OwnMembers(const SearchArrays& arrays, std::uint64_t from, std::uint64_t end)
        : first(from + lane_number())
    {
#pragma unroll
        for (Index k = 0; k < own_members; ++k) {
            body[k] = arrays.image[first + 32 * k < end ? first + 32 * k : from];
            if (first + 32 * k >= end) body[k].mass = 0;
        }
    }

    /// The part of the sum for the candidate at `at`, whose entry this is.
    __device__ double sum(const Body& at, Index entry, double eps2) const
    {
        double sum = 0;
#pragma unroll
        for (Index k = 0; k < own_members; ++k) {
            const Body& from = body[k];
            const double dx = from.x - at.x, dy = from.y - at.y, dz = from.z - at.z;
            const double s2 = fma(dz, dz, fma(dy, dy, fma(dx, dx, eps2)));
            if (first + 32 * k == entry || from.mass == 0) continue;
            sum += has_normal_root(s2) ? from.mass * inverse_root(s2) : pair_term(from, at, eps2);
        }
        return sum;
    }
};

/// A block adds its segment of a list to the sums of all of the list's candidates.
__global__ void __launch_bounds__(block)
    fast_sum_kernel(const __grid_constant__ CentreQuery query, const __grid_constant__ SearchArrays arrays,
                    Index n, SumLimits limits)
{
    __shared__ unsigned long long whole[candidates_at_a_time], part[candidates_at_a_time];
    __shared__ Body at[candidates_at_a_time];
    __shared__ Index entry[candidates_at_a_time];
    const ListSegment segment = segment_at(query.members, blockIdx.x, block_members);
    if (segment.begin == segment.end || !is_summed(query, arrays, segment.list, limits)) return;
    const Candidates all = candidates_of(query, arrays, segment.list, n);
    const double unit = unit_of(arrays, segment.list), eps2 = query.softening * query.softening;
    for (Index c = all.begin; c < all.end; c += candidates_at_a_time) {
        const Index count = all.end - c < candidates_at_a_time ? all.end - c : candidates_at_a_time;
        if (threadIdx.x < count) {
            whole[threadIdx.x] = part[threadIdx.x] = 0;
            entry[threadIdx.x] = arrays.order[arrays.candidate[c + threadIdx.x]];
            at[threadIdx.x] = arrays.image[entry[threadIdx.x]];
        }
        __syncthreads();
        for (std::uint64_t from = segment.begin + threadIdx.x / 32 * (32 * own_members); from < segment.end;
             from += block * own_members) {
            const OwnMembers members(arrays, from, segment.end);
            for (Index k = 0; k < count; ++k) {
                SplitSum sum;
                sum.add(sum_of_warp(members.sum(at[k], entry[k], eps2)) * unit);
                if (lane_number() != 0) continue;
                atomicAdd(&whole[k], static_cast<unsigned long long>(sum.whole));
                atomicAdd(&part[k], static_cast<unsigned long long>(sum.part));
            }
        }
        __syncthreads();
        if (threadIdx.x < count) {
            atomicAdd(atomic_word(&arrays.sum[c + threadIdx.x].whole), whole[threadIdx.x]);
            atomicAdd(atomic_word(&arrays.sum[c + threadIdx.x].part), part[threadIdx.x]);
        }
        __syncthreads();
    }
}

/// A thread for each candidate: bounds from its sum, of which each term errs by rounding.
__global__ void bound_summed_kernel(const __grid_constant__ CentreQuery query,
                                    const __grid_constant__ SearchArrays arrays, Index n, SumLimits limits)
{
    const std::uint64_t c = thread_number();
    if (c >= n) return;
    const Index place = arrays.candidate[c], list = list_of_entry(query.members, place);
    if (!is_summed(query, arrays, list, limits)) return;
    const ListFrame& frame = arrays.frame[list];
    const SplitSum sum{static_cast<std::int64_t>(arrays.sum[c].whole),
                       static_cast<std::int64_t>(arrays.sum[c].part)};
    const double scaled = sum.value() / unit_of(arrays, list) * (frame.mass / frame.length);
    const double kinetic = scaled_kinetic(query, arrays, list, place);
    const double error = 1e-13 * scaled + 1e-14 * kinetic + 0x1p-90;
    float& high = arrays.high[place];
    high = fminf(high, __double2float_ru(scaled + error));
    const double low = fmax(scaled - error, 0.0);
    if (limits.set_depth) arrays.depth[list] = __float_as_uint(__double2float_rd(low));
    atomicMax(atomic_word(&arrays.best[list]), static_cast<unsigned long long>(ordered_bits(low - kinetic)));
}

/// A thread for each list.
__global__ void winner_kernel(const __grid_constant__ CentreQuery query,
                              const __grid_constant__ SearchArrays arrays, Index n)
{
    const std::uint64_t list = thread_number();
    if (list >= query.members.n_lists) return;
    const auto own_list = static_cast<Index>(list);
    const Candidates own = candidates_of(query, arrays, own_list, n);
    const double unit = unit_of(arrays, own_list);
    FoundCentre best{{}, infinite, 0};
    std::uint64_t best_id = 0;
    for (Index c = own.begin; c < own.end; ++c) {
        const Index entry = arrays.order[arrays.candidate[c]], i = query.members.particle[entry];
        const SplitSum sum{static_cast<std::int64_t>(arrays.sum[c].whole),
                           static_cast<std::int64_t>(arrays.sum[c].part)};
        const double value = (query.with_motion ? arrays.kinetic[entry] : 0.0) - sum.value() / unit;
        const std::uint64_t id = query.particles.id_of(i);
        if (c > own.begin && !(value < best.value || (value == best.value && id < best_id))) continue;
        best = {{}, value, i};
        best_id = id;
    }
    best.position = query.box.wrap(query.particles.position.load(best.particle));
    arrays.found[list] = best;
}

}  // namespace

void drop_beaten(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays, Index n,
                 Index few)
{
    const std::uint64_t n_buckets = most_segments(query.members, bucket_size);
    const std::uint64_t n_warps = n > 0 ? n : n_buckets;
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(arrays.count, 0, query.members.n_lists * sizeof(Index), stream));
    drop_kernel<<<blocks_for_warps(n_warps), block, 0, stream>>>(query, arrays, n, n_warps, few);
    AUREOLE_CUDA_LAUNCHED("drop_kernel");
    flag_open_kernel<<<blocks_for_threads(n_buckets), block, 0, stream>>>(query, arrays, few);
    AUREOLE_CUDA_LAUNCHED("flag_open_kernel");
}

void flag_candidates(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays)
{
    const std::uint64_t n_buckets = most_segments(query.members, bucket_size);
    flag_candidates_kernel<<<blocks_for_warps(n_buckets), block, 0, stream>>>(query, arrays);
    AUREOLE_CUDA_LAUNCHED("flag_candidates_kernel");
}

void bound_by_sums(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays, Index n,
                   const SumLimits& limits)
{
    if (n == 0) return;
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(arrays.sum, 0, n * sizeof(PartialSum), stream));
    const auto blocks = static_cast<unsigned>(most_segments(query.members, block_members));
    fast_sum_kernel<<<blocks, block, 0, stream>>>(query, arrays, n, limits);
    AUREOLE_CUDA_LAUNCHED("fast_sum_kernel");
    bound_summed_kernel<<<blocks_for_threads(n), block, 0, stream>>>(query, arrays, n, limits);
    AUREOLE_CUDA_LAUNCHED("bound_summed_kernel");
}

void bound_by_deepest(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                      const double* potential)
{
    const Index n = query.members.n_lists;
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(arrays.seed, 0, n * sizeof(std::uint64_t), stream));
    seed_kernel<<<blocks_for_segments(query.members), block, 0, stream>>>(query, arrays, potential);
    AUREOLE_CUDA_LAUNCHED("seed_kernel");
    choose_seeds_kernel<<<blocks_for_threads(n), block, 0, stream>>>(query, arrays);
    AUREOLE_CUDA_LAUNCHED("choose_seeds_kernel");
    bound_by_sums(stream, query, arrays, n, {0, ~std::uint64_t{0}, true});
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(arrays.deepest, 0, n * sizeof(Index), stream));
}

void decide(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays, Index n)
{
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(arrays.sum, 0, n * sizeof(PartialSum), stream));
    sum_kernel<<<blocks_for_segments(query.members), block, 0, stream>>>(query, arrays, n);
    AUREOLE_CUDA_LAUNCHED("sum_kernel");
    winner_kernel<<<blocks_for_threads(query.members.n_lists), block, 0, stream>>>(query, arrays, n);
    AUREOLE_CUDA_LAUNCHED("winner_kernel");
}

}  // namespace aureole::halo::centre_search
