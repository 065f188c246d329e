#include "gravity/acceleration_passes.hpp"
#include "sim/core/chained_launch.cuh"
#include "sim/core/sums/warp_sums.cuh"

namespace aureole::gravity::detail {
namespace {

constexpr unsigned threads = 256;
/// Blocks that sum: few enough for every block of the second kernel to add up what they have found.
constexpr std::size_t most_sums = 512, most_blocks = 1056;

struct AddForces {
    __device__ NetForce operator()(NetForce a, const NetForce& b) const
    {
        a.add(b);
        return a;
    }
};

unsigned blocks_of(std::size_t n, std::size_t most)
{
    constexpr std::size_t per_block = 2 * threads;
    const std::size_t wanted = (n + per_block - 1) / per_block;
    return static_cast<unsigned>(wanted < most ? wanted : most);
}

__global__ void __launch_bounds__(threads)
    net_force_kernel(ConstParticlesView p, Selection members, Vec3View acceleration, NetForceShare share,
                     NetForce* sums)
{
    follow_earlier_kernels();
    const std::size_t stride = std::size_t{gridDim.x} * threads;
    NetForce sum{};
#pragma unroll 4
    for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < members.size(); i += stride) {
        const Index k = members[static_cast<Index>(i)];
        sum.add(force_of(share, p.mass[k], acceleration.load(k)));
    }
    sum = reduced_over_block<threads>(sum, AddForces{});
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(threads)
    without_net_force_kernel(Selection members, Vec3View acceleration, NetForceShare share,
                             const NetForce* sums, unsigned n_sums)
{
    follow_earlier_kernels();
    NetForce sum{};
    for (unsigned k = threadIdx.x; k < n_sums; k += threads) sum.add(sums[k]);
    sum = reduced_over_block<threads>(sum, AddForces{});
    if (!(sum.weight > 0)) return;
    const std::size_t stride = std::size_t{gridDim.x} * threads;
    for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < members.size(); i += stride) {
        const Index k = members[static_cast<Index>(i)];
        acceleration.store(k, without(sum, share, acceleration.load(k)));
    }
}

}  // namespace

std::size_t net_force_scratch_cuda(std::size_t n)
{
    return blocks_of(n, most_sums) * sizeof(NetForce) / sizeof(double);
}

void cancel_net_force_cuda(CUstream_st* stream, const ConstParticlesView& particles,
                           const Vec3View& acceleration, NetForceShare share, double* scratch,
                           const Selection& members)
{
    auto* const sums = reinterpret_cast<NetForce*>(scratch);
    const unsigned n_sums = blocks_of(members.size(), most_sums);
    launch_chained(net_force_kernel, dim3(n_sums), dim3(threads), 0, stream, particles, members, acceleration,
                   share, sums);
    AUREOLE_CUDA_LAUNCHED("net_force_kernel");
    launch_chained(without_net_force_kernel, dim3(blocks_of(members.size(), most_blocks)), dim3(threads), 0,
                   stream, members, acceleration, share, static_cast<const NetForce*>(sums), n_sums);
    AUREOLE_CUDA_LAUNCHED("without_net_force_kernel");
}

}  // namespace aureole::gravity::detail
