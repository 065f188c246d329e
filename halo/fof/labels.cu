// Members counted and smallest ids found by warps: 32 neighbouring elements, of which those of one set in a
// row touch the common result once.
#include "halo/fof/labels.hpp"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo {
namespace {

constexpr int block = 256;
constexpr unsigned whole_warp = 0xffffffffu;

/// A lane's element, and the run of neighbours of its set that it is the first of.
struct Run {
    Index set;
    int length;  ///< in this warp; 0 for lanes that are not the first of a run, and outside

    /// All lanes of the warp must call.
    __device__ static Run of(const SetArrays& sets, std::size_t k)
    {
        const int lane = threadIdx.x % 32;
        const Index set = k < sets.n ? sets.set[k] : no_set;
        const Index before = __shfl_up_sync(whole_warp, set, 1);
        const bool first = lane == 0 || set != before;
        const unsigned behind = __ballot_sync(whole_warp, first) & ~((2u << lane) - 1);
        const int end = behind ? __ffs(static_cast<int>(behind)) - 1 : 32;
        return {set, first && set != no_set ? end - lane : 0};
    }
};

__device__ std::size_t own_element() { return std::size_t{blockIdx.x} * block + threadIdx.x; }

__global__ void count_members_kernel(SetArrays sets)
{
    const Run run = Run::of(sets, own_element());
    if (run.length > 0) atomicAdd(&sets.n_members[run.set], static_cast<Index>(run.length));
}

__global__ void find_smallest_ids_kernel(SetArrays sets, Ids ids, std::uint64_t* smallest)
{
    const std::size_t k = own_element();
    const Run run = Run::of(sets, k);
    const Index slot = run.set == no_set ? no_set : sets.row[run.set];
    unsigned long long least = slot == no_set ? ~0ull : ids.of(sets.order[k]);
    for (int step = 1; step < 32; step *= 2) {
        const unsigned long long other = __shfl_down_sync(whole_warp, least, step);
        const Index set = __shfl_down_sync(whole_warp, run.set, step);
        if (set == run.set && other < least) least = other;
    }
    if (run.length > 0 && slot != no_set)
        atomicMin(reinterpret_cast<unsigned long long*>(smallest + slot), least);
}

Index blocks_for(Index n) { return (n - 1) / block + 1; }

}  // namespace

void count_members_cuda(Exec exec, const SetArrays& sets)
{
    count_members_kernel<<<blocks_for(sets.n), block, 0, exec.stream>>>(sets);
    AUREOLE_CUDA_LAUNCHED("count_members_kernel");
}

void find_smallest_ids_cuda(Exec exec, const SetArrays& sets, const Ids& ids, std::uint64_t* smallest)
{
    find_smallest_ids_kernel<<<blocks_for(sets.n), block, 0, exec.stream>>>(sets, ids, smallest);
    AUREOLE_CUDA_LAUNCHED("find_smallest_ids_kernel");
}

}  // namespace aureole::halo
