#include "sim/core/cuda_check.cuh"
#include "sim/core/sums/warp_sums.cuh"
#include "sim/run/diagnostics/measurement_kernels.hpp"
#include "sim/run/diagnostics/query_batches.cuh"

namespace aureole::run::detail {
namespace {

/// Of a block that goes through a histogram or the same particles again and again.
constexpr unsigned scan_threads = 1024;

struct AddEnergies {
    __device__ EnergySums operator()(EnergySums a, const EnergySums& b) const
    {
        a.add(b);
        return a;
    }
};

__global__ void __launch_bounds__(threads) energy_kernel(ConstParticlesView p, EnergySums* partial)
{
    EnergySums sums;
    for (unsigned k = threadIdx.x; k < per_block; k += threads) {
        const std::size_t i = std::size_t{blockIdx.x} * per_block + k;
        if (i < p.n) sums.add(p, static_cast<Index>(i));
    }
    sums = reduced_over_block<threads>(sums, AddEnergies{});
    if (threadIdx.x == 0) partial[blockIdx.x] = sums;
}

__global__ void __launch_bounds__(threads)
    energy_total_kernel(const EnergySums* partial, Index n, EnergySums* total, Vec3* centre)
{
    EnergySums sums;
    for (Index k = threadIdx.x; k < n; k += threads) sums.add(partial[k]);
    sums = reduced_over_block<threads>(sums, AddEnergies{});
    if (threadIdx.x != 0) return;
    *total = sums;
    *centre = sums.centre_of_mass();
}

/// Of a query; all start as zeros.
struct RadiusSearch {
    std::uint64_t inverted_least, largest, largest_mass;  ///< the first is the largest of ~key
    Index n_shells;
    unsigned bin[most_fractions];
    std::uint64_t below[most_fractions], wanted[most_fractions];
    std::uint64_t histogram[radius_bins];

    __device__ RadiusLimits limits() const { return {~inverted_least, largest, largest_mass}; }
};

struct RadiusTask {
    ConstParticlesView particles;
    Batch<RadiusQuery> queries;
    Index offset[most_queries];  ///< of each query's shells
    RadiusSearch* search;
    Index* shells;  ///< particles in the bins that hold a radius
    double* radii;

    __device__ std::uint64_t key(const RadiusQuery& query, Index i) const
    {
        return radius_key(particles.position.load(i), *query.centre);
    }
};

__device__ void raise(std::uint64_t* target, std::uint64_t value)
{
    for (int step = 16; step > 0; step /= 2) {
        const std::uint64_t other = __shfl_xor_sync(0xffffffffu, value, step);
        value = other > value ? other : value;
    }
    if (threadIdx.x % 32 == 0) atomicMax(reinterpret_cast<unsigned long long*>(target), value);
}

__device__ void add_to(std::uint64_t* target, std::uint64_t value)
{
    atomicAdd(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(value));
}

__global__ void __launch_bounds__(threads) radius_limits_kernel(const __grid_constant__ RadiusTask task)
{
    const RadiusQuery& query = task.queries.query[blockIdx.y];
    std::uint64_t inverted = 0, largest = 0, mass = 0;
    for (std::size_t i = query.range.begin + std::size_t{blockIdx.x} * threads + threadIdx.x;
         i < query.range.end; i += std::size_t{gridDim.x} * threads) {
        const std::uint64_t key = task.key(query, static_cast<Index>(i)),
                            m = ordered_bits(task.particles.mass[i]);
        inverted = ~key > inverted ? ~key : inverted;
        largest = key > largest ? key : largest;
        mass = m > mass ? m : mass;
    }
    RadiusSearch& search = task.search[blockIdx.y];
    raise(&search.inverted_least, inverted);
    raise(&search.largest, largest);
    raise(&search.largest_mass, mass);
}

__global__ void __launch_bounds__(threads) radius_histogram_kernel(const __grid_constant__ RadiusTask task)
{
    __shared__ std::uint64_t histogram[radius_bins];
    for (unsigned b = threadIdx.x; b < radius_bins; b += threads) histogram[b] = 0;
    __syncthreads();
    const RadiusQuery& query = task.queries.query[blockIdx.y];
    RadiusSearch& search = task.search[blockIdx.y];
    const RadiusLimits limits = search.limits();
    const int shift = bits_below_bin(limits);
    const double scale = mass_scale(limits, query.range.size());
    for (std::size_t i = query.range.begin + std::size_t{blockIdx.x} * threads + threadIdx.x;
         i < query.range.end; i += std::size_t{gridDim.x} * threads)
        add_to(&histogram[bin_of(task.key(query, static_cast<Index>(i)), limits, shift)],
               static_cast<std::uint64_t>(task.particles.mass[i] * scale));
    __syncthreads();
    for (unsigned b = threadIdx.x; b < radius_bins; b += threads)
        if (histogram[b] > 0) add_to(&search.histogram[b], histogram[b]);
}

/// The first of `n` bins up to which, with `below`, the mass is at least `wanted`, or the last; `below`
/// becomes the mass before it. By a block.
__device__ unsigned bin_reaching(const std::uint64_t* histogram, unsigned n, std::uint64_t wanted,
                                 std::uint64_t& below)
{
    __shared__ std::uint64_t of_warp[scan_threads / 32], found_below;
    __shared__ unsigned found;
    const unsigned run = (n + scan_threads - 1) / scan_threads, first = min(n, threadIdx.x * run),
                   end = min(n, first + run);
    std::uint64_t sum = 0;
    for (unsigned b = first; b < end; ++b) sum += histogram[b];
    std::uint64_t until = inclusive_sum_of_warp(sum);
    if (threadIdx.x % 32 == 31) of_warp[threadIdx.x / 32] = until;
    __syncthreads();
    until += below;
    for (unsigned warp = 0; warp < threadIdx.x / 32; ++warp) until += of_warp[warp];
    std::uint64_t before = until - sum;
    if (first < n && (before < wanted || first == 0) && (until >= wanted || end == n)) {
        unsigned b = first;
        for (; b + 1 < end && before + histogram[b] < wanted; ++b) before += histogram[b];
        found = b;
        found_below = before;
    }
    __syncthreads();
    below = found_below;
    return found;
}

__global__ void __launch_bounds__(scan_threads) radius_bins_kernel(const __grid_constant__ RadiusTask task)
{
    __shared__ std::uint64_t total;
    const RadiusQuery& query = task.queries.query[blockIdx.x];
    RadiusSearch& search = task.search[blockIdx.x];
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    std::uint64_t sum = 0;
    for (unsigned b = threadIdx.x; b < radius_bins; b += scan_threads) sum += search.histogram[b];
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0) add_to(&total, sum);
    __syncthreads();
    for (Index f = 0; f < query.n_fractions; ++f) {
        const std::uint64_t wanted = mass_wanted(query.fraction[f], total);
        std::uint64_t below = 0;
        const unsigned bin = bin_reaching(search.histogram, radius_bins, wanted, below);
        if (threadIdx.x != 0) continue;
        search.wanted[f] = wanted;
        search.below[f] = below;
        search.bin[f] = bin;
    }
}

__global__ void __launch_bounds__(threads) radius_shells_kernel(const __grid_constant__ RadiusTask task)
{
    const RadiusQuery& query = task.queries.query[blockIdx.y];
    RadiusSearch& search = task.search[blockIdx.y];
    const RadiusLimits limits = search.limits();
    const int shift = bits_below_bin(limits);
    for (std::size_t i = query.range.begin + std::size_t{blockIdx.x} * threads + threadIdx.x;
         i < query.range.end; i += std::size_t{gridDim.x} * threads) {
        const unsigned bin = bin_of(task.key(query, static_cast<Index>(i)), limits, shift);
        bool is_wanted = false;
        for (Index f = 0; f < query.n_fractions; ++f) is_wanted = is_wanted || bin == search.bin[f];
        if (is_wanted)
            task.shells[task.offset[blockIdx.y] + atomicAdd(&search.n_shells, 1)] = static_cast<Index>(i);
    }
}

/// A block for each fraction of a query: the bits below the bin, eleven at a time, among its shells, which
/// are kept in the block as soon as they fit.
__global__ void __launch_bounds__(scan_threads) radius_select_kernel(const __grid_constant__ RadiusTask task)
{
    constexpr int digit_bits = 11;
    constexpr Index most_kept = 1536;
    __shared__ std::uint64_t histogram[1 << digit_bits], kept_key[most_kept], kept_mass[most_kept];
    __shared__ Index n_kept;
    bool are_kept = false;
    const Index f = blockIdx.x;
    const RadiusQuery& query = task.queries.query[blockIdx.y];
    if (f >= query.n_fractions) return;
    const RadiusSearch& search = task.search[blockIdx.y];
    const RadiusLimits limits = search.limits();
    const double scale = mass_scale(limits, query.range.size());
    const Index* const shells = task.shells + task.offset[blockIdx.y];
    const std::uint64_t wanted = search.wanted[f];
    std::uint64_t prefix = search.bin[f], below = search.below[f];
    for (int bits = bits_below_bin(limits); bits > 0;) {
        const int digit = bits < digit_bits ? bits : digit_bits, rest = bits - digit;
        const unsigned n_digits = 1u << digit;
        for (unsigned b = threadIdx.x; b < n_digits; b += scan_threads) histogram[b] = 0;
        if (threadIdx.x == 0 && !are_kept) n_kept = 0;
        __syncthreads();
        const auto count = [&](std::uint64_t key, std::uint64_t mass) {
            add_to(&histogram[key >> rest & (n_digits - 1)], mass);
        };
        if (are_kept) {
            for (Index k = threadIdx.x; k < n_kept; k += scan_threads)
                if (kept_key[k] >> bits == prefix) count(kept_key[k], kept_mass[k]);
        } else {
            for (Index k = threadIdx.x; k < search.n_shells; k += scan_threads) {
                const std::uint64_t key = task.key(query, shells[k]) - limits.least;
                if (key >> bits != prefix) continue;
                const auto mass = static_cast<std::uint64_t>(task.particles.mass[shells[k]] * scale);
                count(key, mass);
                const Index at = atomicAdd(&n_kept, 1);
                if (at >= most_kept) continue;
                kept_key[at] = key;
                kept_mass[at] = mass;
            }
        }
        __syncthreads();
        are_kept = n_kept <= most_kept;
        const unsigned found = bin_reaching(histogram, n_digits, wanted, below);
        prefix = prefix << digit | found;
        bits = rest;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        task.radii[blockIdx.y * most_fractions + f] =
            wanted > 0 ? sqrt(from_ordered_bits(limits.least + prefix)) : nan("");
}

struct Add {
    __device__ double operator()(double a, double b) const { return a + b; }
};

struct BoundTask {
    ConstParticlesView particles;
    Batch<BoundQuery> queries;
    Index offset[most_queries];  ///< of each query's partial sums
    const double* potential;
    double *partial, *mass;
};

__global__ void __launch_bounds__(threads) bound_kernel(const __grid_constant__ BoundTask task)
{
    const BoundQuery& query = task.queries.query[blockIdx.y];
    const std::size_t begin = query.range.begin + std::size_t{blockIdx.x} * per_block;
    if (begin >= query.range.end) return;
    const Vec3 velocity = query.sphere->velocity;
    double sum = 0;
    for (unsigned k = threadIdx.x; k < per_block && begin + k < query.range.end; k += threads) {
        const Index i = static_cast<Index>(begin + k);
        const Vec3 v = task.particles.velocity.load(i) - velocity;
        if (0.5 * dot(v, v) + task.potential[i] < 0) sum += task.particles.mass[i];
    }
    sum = reduced_over_block<threads>(sum, Add{});
    if (threadIdx.x == 0) task.partial[task.offset[blockIdx.y] + blockIdx.x] = sum;
}

__global__ void __launch_bounds__(threads) bound_total_kernel(const __grid_constant__ BoundTask task)
{
    const Index n = (task.queries.query[blockIdx.x].range.size() + per_block - 1) / per_block;
    double sum = 0;
    for (Index k = threadIdx.x; k < n; k += threads) sum += task.partial[task.offset[blockIdx.x] + k];
    sum = reduced_over_block<threads>(sum, Add{});
    if (threadIdx.x == 0) task.mass[blockIdx.x] = sum;
}

}  // namespace

std::size_t sum_energies_bytes(std::size_t n) { return blocks_of(n) * sizeof(EnergySums); }

void sum_energies(CUstream_st* stream, const ConstParticlesView& particles, std::byte* scratch,
                  EnergySums* sums, Vec3* centre_of_mass)
{
    auto* const partial = reinterpret_cast<EnergySums*>(scratch);
    const auto blocks = static_cast<unsigned>(blocks_of(particles.n));
    if (blocks > 0) {
        energy_kernel<<<blocks, threads, 0, stream>>>(particles, partial);
        AUREOLE_CUDA_LAUNCHED("energy_kernel");
    }
    energy_total_kernel<<<1, threads, 0, stream>>>(partial, blocks, sums, centre_of_mass);
    AUREOLE_CUDA_LAUNCHED("energy_total_kernel");
}

std::size_t find_radii_bytes(std::size_t n_in_all_ranges, std::size_t n_queries)
{
    const std::size_t n = n_queries < most_queries ? n_queries : most_queries;
    return n * sizeof(RadiusSearch) + n_in_all_ranges * sizeof(Index);
}

void find_radii(CUstream_st* stream, const ConstParticlesView& particles,
                std::span<const RadiusQuery> queries, std::byte* scratch, double* radii)
{
    in_batches(queries, [&](const Batch<RadiusQuery>& batch, std::size_t first, Index n) {
        RadiusTask task{particles, batch};
        Index offset = 0, longest = 0;
        for (Index k = 0; k < n; ++k) {
            task.offset[k] = offset;
            offset += batch.query[k].range.size();
            longest = batch.query[k].range.size() > longest ? batch.query[k].range.size() : longest;
        }
        task.search = reinterpret_cast<RadiusSearch*>(scratch);
        task.shells = reinterpret_cast<Index*>(scratch + n * sizeof(RadiusSearch));
        task.radii = radii + first * most_fractions;
        AUREOLE_CUDA_CHECK(cudaMemsetAsync(task.search, 0, n * sizeof(RadiusSearch), stream));
        const std::size_t wanted = blocks_of(longest), most = 512;
        const dim3 grid(static_cast<unsigned>(wanted < 1 ? 1 : wanted < most ? wanted : most), n);
        radius_limits_kernel<<<grid, threads, 0, stream>>>(task);
        AUREOLE_CUDA_LAUNCHED("radius_limits_kernel");
        radius_histogram_kernel<<<grid, threads, 0, stream>>>(task);
        AUREOLE_CUDA_LAUNCHED("radius_histogram_kernel");
        radius_bins_kernel<<<n, scan_threads, 0, stream>>>(task);
        AUREOLE_CUDA_LAUNCHED("radius_bins_kernel");
        radius_shells_kernel<<<grid, threads, 0, stream>>>(task);
        AUREOLE_CUDA_LAUNCHED("radius_shells_kernel");
        radius_select_kernel<<<dim3(most_fractions, n), scan_threads, 0, stream>>>(task);
        AUREOLE_CUDA_LAUNCHED("radius_select_kernel");
    });
}

std::size_t sum_bound_mass_bytes(std::size_t n_in_all_ranges, std::size_t n_queries)
{
    return (n_in_all_ranges / per_block + n_queries) * sizeof(double);
}

void sum_bound_mass(CUstream_st* stream, const ConstParticlesView& particles, const double* potential,
                    std::span<const BoundQuery> queries, std::byte* scratch, double* mass)
{
    in_batches(queries, [&](const Batch<BoundQuery>& batch, std::size_t first, Index n) {
        BoundTask task{particles, batch};
        std::size_t offset = 0, longest = 1;
        for (Index k = 0; k < n; ++k) {
            const std::size_t blocks = blocks_of(batch.query[k].range.size());
            task.offset[k] = static_cast<Index>(offset);
            offset += blocks;
            longest = blocks > longest ? blocks : longest;
        }
        task.potential = potential;
        task.partial = reinterpret_cast<double*>(scratch);
        task.mass = mass + first;
        bound_kernel<<<dim3(static_cast<unsigned>(longest), n), threads, 0, stream>>>(task);
        AUREOLE_CUDA_LAUNCHED("bound_kernel");
        bound_total_kernel<<<n, threads, 0, stream>>>(task);
        AUREOLE_CUDA_LAUNCHED("bound_total_kernel");
    });
}

}  // namespace aureole::run::detail
