#include <cooperative_groups.h>

#include "sim/core/cuda_check.cuh"
#include "sim/core/sums/warp_sums.cuh"
#include "sim/run/diagnostics/measurement_kernels.hpp"
#include "sim/run/diagnostics/query_batches.cuh"

namespace aureole::run::detail {
namespace {

struct ShapeTask {
    ConstParticlesView particles;
    Batch<ShapeQuery> queries;
    Index offset[most_queries];  ///< of each query's partial sums
    ShapeSums* partial;
    Index* arrived;      ///< blocks of each query that have added their sums; 0 between launches
    int* settled_after;  ///< iterations of each query; 0: not yet
    ComponentShape* shapes;
};

struct AddShapes {
    __device__ ShapeSums operator()(ShapeSums a, const ShapeSums& b) const
    {
        a.add(b);
        return a;
    }
};

__global__ void shape_begin_kernel(const __grid_constant__ ShapeTask task)
{
    const ShapeQuery& query = task.queries.query[threadIdx.x];
    ComponentShape shape;
    shape.centre = *query.centre;
    shape.radius = *query.radius;
    task.shapes[threadIdx.x] = shape;
    task.arrived[threadIdx.x] = 0;
    task.settled_after[threadIdx.x] = 0;
}

__device__ ShapeSums sums_of_part(const ShapeTask& task, const IndexRange range, Index part,
                                  const Ellipsoid& ellipsoid)
{
    ShapeSums sums;
    const std::size_t begin = range.begin + std::size_t{part} * per_block;
    for (unsigned k = threadIdx.x; k < per_block && begin + k < range.end; k += threads) {
        const auto i = static_cast<Index>(begin + k);
        ellipsoid.add_to(sums, task.particles.mass[i], task.particles.position.load(i));
    }
    return reduced_over_block<threads>(sums, AddShapes{});
}

/// As another block has written it: a line of the first cache may be older.
template <class T>
__device__ T fresh(const T* from)
{
    T value;
    for (unsigned k = 0; k < sizeof value / sizeof(double); ++k)
        reinterpret_cast<double*>(&value)[k] = __ldcg(reinterpret_cast<const double*>(from) + k);
    return value;
}

/// Whether this block is the last of `n` whose partial sums are written. All of its threads call.
__device__ bool is_last(Index* arrived, Index n)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(arrived, 1) == n - 1;
        if (last) *arrived = 0;
        __threadfence();
    }
    __syncthreads();
    return last;
}

/// One iteration of a query: the block that comes last adds the partial sums, in the order of the parts, and
/// makes the next ellipsoid.
__device__ void iterate(const ShapeTask& task, IndexRange range, ComponentShape& shape, int iteration)
{
    const Index n_parts = (range.size() + per_block - 1) / per_block,
                n_blocks = n_parts < gridDim.x ? n_parts : gridDim.x;
    const ComponentShape before = fresh(&shape);
    if (blockIdx.x >= n_blocks || before.settled != 0) return;
    const Ellipsoid ellipsoid(before);
    ShapeSums* const partial = task.partial + task.offset[blockIdx.y];
    for (Index part = blockIdx.x; part < n_parts; part += n_blocks) {
        const ShapeSums sums = sums_of_part(task, range, part, ellipsoid);
        if (threadIdx.x == 0) partial[part] = sums;
    }
    if (!is_last(&task.arrived[blockIdx.y], n_blocks)) return;
    ShapeSums all;
    for (Index k = threadIdx.x; k < n_parts; k += threads) all.add(fresh(&partial[k]));
    all = reduced_over_block<threads>(all, AddShapes{});
    if (threadIdx.x != 0) return;
    ComponentShape next = before;
    take_sums(next, all);
    shape = next;
    if (next.settled != 0) task.settled_after[blockIdx.y] = iteration;
}

/// All iterations of all queries, each by a row of blocks.
__global__ void __launch_bounds__(threads) shape_kernel(const __grid_constant__ ShapeTask task)
{
    const IndexRange range = task.queries.query[blockIdx.y].range;
    for (int k = 1; k <= most_shape_iterations; ++k) {
        iterate(task, range, task.shapes[blockIdx.y], k);
        cooperative_groups::this_grid().sync();
        // other blocks may be in the next iteration already: all have to decide alike
        bool settled = true;
        if (threadIdx.x < gridDim.y && task.queries.query[threadIdx.x].range.size() > 0) {
            const int after = __ldcg(&task.settled_after[threadIdx.x]);
            settled = after > 0 && after <= k;
        }
        if (__syncthreads_and(settled)) return;
    }
}

/// Blocks of that kernel that can meet.
unsigned blocks_that_meet()
{
    int device = 0, multiprocessors = 0, on_one = 0;
    AUREOLE_CUDA_CHECK(cudaGetDevice(&device));
    AUREOLE_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    AUREOLE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_one, shape_kernel, threads, 0));
    return static_cast<unsigned>(multiprocessors * on_one);
}

}  // namespace

std::size_t find_shapes_bytes(std::size_t n_in_all_ranges, std::size_t n_queries)
{
    return (n_in_all_ranges / per_block + n_queries) * sizeof(ShapeSums) +
           most_queries * (sizeof(Index) + sizeof(int));
}

void find_shapes(CUstream_st* stream, const ConstParticlesView& particles,
                 std::span<const ShapeQuery> queries, std::byte* scratch, ComponentShape* shapes)
{
    static const unsigned blocks = blocks_that_meet();
    in_batches(queries, [&](const Batch<ShapeQuery>& batch, std::size_t first, Index n) {
        ShapeTask task{particles, batch, {}, nullptr, nullptr, nullptr, shapes + first};
        std::size_t offset = 0, longest = 1;
        for (Index k = 0; k < n; ++k) {
            const std::size_t blocks = blocks_of(batch.query[k].range.size());
            task.offset[k] = static_cast<Index>(offset);
            offset += blocks;
            longest = blocks > longest ? blocks : longest;
        }
        task.partial = reinterpret_cast<ShapeSums*>(scratch);
        task.arrived = reinterpret_cast<Index*>(task.partial + offset);
        task.settled_after = reinterpret_cast<int*>(task.arrived + most_queries);
        shape_begin_kernel<<<1, n, 0, stream>>>(task);
        AUREOLE_CUDA_LAUNCHED("shape_begin_kernel");
        const unsigned most = blocks / n;
        const dim3 grid(longest < most ? static_cast<unsigned>(longest) : most, n);
        void* arguments[] = {&task};
        AUREOLE_CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(shape_kernel), grid,
                                                       dim3(threads), arguments, 0, stream));
    });
}

}  // namespace aureole::run::detail
