#include "sim/core/atomics.hpp"
#include "sim/core/cuda_check.cuh"
#include "sim/core/sums/warp_sums.cuh"
#include "sim/run/diagnostics/particle_hash.hpp"

namespace aureole::run::detail {
namespace {

constexpr unsigned hash_threads = 256, per_thread = 8;

/// Sums of integers modulo 2^64 are the same in any order.
__global__ void __launch_bounds__(hash_threads) hash_kernel(ConstParticlesView p, std::uint64_t* sum)
{
    const std::size_t first = std::size_t{blockIdx.x} * hash_threads * per_thread + threadIdx.x;
    unsigned long long own = 0;
    for (unsigned k = 0; k < per_thread; ++k)
        if (const std::size_t i = first + k * hash_threads; i < p.n)
            own += particle_hash(p, static_cast<Index>(i));
    own = sum_of_warp(own);
    if (threadIdx.x % 32 == 0) atomic_add(sum, std::uint64_t{own});
}

}  // namespace

void add_particle_hashes(CUstream_st* stream, const ConstParticlesView& particles, std::uint64_t* sum)
{
    if (particles.n == 0) return;
    const auto blocks = (particles.n - 1) / (hash_threads * per_thread) + 1;
    hash_kernel<<<blocks, hash_threads, 0, stream>>>(particles, sum);
    AUREOLE_CUDA_LAUNCHED("hash_kernel");
}

}  // namespace aureole::run::detail
