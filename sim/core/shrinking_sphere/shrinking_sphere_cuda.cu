// Shrinking spheres of several sets of particles at once, in one kernel that asks the host for nothing. In
// each round of the search all blocks sort the members into bins of distance from the present centre and add
// up chunks of that list; then one block follows sphere after sphere. A sphere holds all that lies in the
// bins well inside its radius, whose sums are known, and some members near its surface: in bins as near to it
// as the centre has moved since the round began. When these hold too much, a new round begins. Sums are
// order-free, so that the bits depend neither on the number of blocks nor on the order within a bin.
#include "sim/core/cuda_check.cuh"
#include "sim/core/shrinking_sphere/shrinking_sphere_search.cuh"

namespace aureole::detail {
namespace {

using namespace sphere_search;

__global__ void __launch_bounds__(threads) shrinking_sphere_kernel(const __grid_constant__ Task task)
{
    __shared__ Search::Shared shared;
    Search(task, shared).run();
}

/// One block on a multiprocessor: the fewer blocks, the sooner they have met.
unsigned blocks_that_meet()
{
    int device = 0, multiprocessors = 0;
    AUREOLE_CUDA_CHECK(cudaGetDevice(&device));
    AUREOLE_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    return static_cast<unsigned>(multiprocessors);
}

struct Layout {
    std::size_t states, chunks, lists, indices, used = 0;

    Layout(std::size_t n_members, std::size_t n_sets)
    {
        take(n_sets * sizeof(SetSums));
        states = take(n_sets * sizeof(SetState));
        chunks = take(n_sets * (most_chunks + 1) * sizeof(ChunkSums));
        lists = take(2 * n_members * sizeof(Member));
        indices = take(2 * n_members * sizeof(Index));
    }
    std::size_t take(std::size_t bytes)
    {
        const std::size_t at = used;
        used += (bytes + 255) / 256 * 256;
        return at;
    }
};

}  // namespace

std::size_t shrinking_spheres_cuda_bytes(std::size_t n_members, std::size_t n_sets)
{
    return Layout(n_members, n_sets < most_sets ? n_sets : most_sets).used;
}

void shrinking_spheres_cuda(CUstream_st* stream, const ConstParticlesView& particles,
                            std::span<const SphereMembers> sets, std::byte* scratch, DeviceSphere* found)
{
    static const unsigned blocks = blocks_that_meet();
    const std::size_t most = blocks < most_sets ? blocks : most_sets;
    for (std::size_t first = 0; first < sets.size(); first += most) {
        const auto some = sets.subspan(first, sets.size() - first < most ? sets.size() - first : most);
        Task task{particles, static_cast<Index>(some.size())};
        std::size_t n_members = 0;
        for (std::size_t k = 0; k < some.size(); ++k) {
            task.set[k] = {some[k].range.clipped(particles.n), some[k].component};
            task.offset[k] = static_cast<Index>(n_members);
            n_members += task.set[k].range.size();
        }
        const Layout layout(n_members, some.size());
        task.sums = reinterpret_cast<SetSums*>(scratch);
        task.chunks = reinterpret_cast<ChunkSums*>(scratch + layout.chunks);
        task.states = reinterpret_cast<SetState*>(scratch + layout.states);
        for (int which : {0, 1}) {
            task.list[which] = reinterpret_cast<Member*>(scratch + layout.lists) + which * n_members;
            task.index[which] = reinterpret_cast<Index*>(scratch + layout.indices) + which * n_members;
        }
        task.found = found + first;
        AUREOLE_CUDA_CHECK(cudaMemsetAsync(scratch, 0, layout.states, stream));
        void* arguments[] = {&task};
        AUREOLE_CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(shrinking_sphere_kernel),
                                                       dim3(blocks), dim3(threads), arguments, 0, stream));
    }
}

}  // namespace aureole::detail
