#include "sim/core/cuda_check.cuh"
#include "sim/core/sums/warp_sums.cuh"
#include "sim/run/diagnostics/measurement_kernels.hpp"
#include "sim/run/diagnostics/query_batches.cuh"

namespace aureole::run::detail {
namespace {

constexpr unsigned threads = 256, per_block = 1024;

struct ShapeTask {
    ConstParticlesView particles;
    Batch<ShapeQuery> queries;
    Index offset[most_queries];  ///< of each query's partial sums
    ShapeSums* partial;
    Index* arrived;  ///< blocks of each query that have added their sums; 0 between launches
    ComponentShape* shapes;
};

struct AddShapes {
    __device__ ShapeSums operator()(ShapeSums a, const ShapeSums& b) const
    {
        a.add(b);
        return a;
    }
};

std::size_t blocks_of(std::size_t n) { return (n + per_block - 1) / per_block; }

__global__ void shape_begin_kernel(const __grid_constant__ ShapeTask task)
{
    const ShapeQuery& query = task.queries.query[threadIdx.x];
    ComponentShape shape;
    shape.centre = *query.centre;
    shape.radius = *query.radius;
    task.shapes[threadIdx.x] = shape;
    task.arrived[threadIdx.x] = 0;
}

__device__ ShapeSums sums_of_block(const ShapeTask& task, const IndexRange range, const Ellipsoid& ellipsoid)
{
    ShapeSums sums;
    const std::size_t begin = range.begin + std::size_t{blockIdx.x} * per_block;
    for (unsigned k = threadIdx.x; k < per_block && begin + k < range.end; k += threads) {
        const auto i = static_cast<Index>(begin + k);
        ellipsoid.add_to(sums, task.particles.mass[i], task.particles.position.load(i));
    }
    return reduced_over_block<threads>(sums, AddShapes{});
}

/// As another block has written it: a line of the first cache may be older.
__device__ ShapeSums fresh(const ShapeSums* from)
{
    ShapeSums sums;
    for (unsigned k = 0; k < sizeof sums / sizeof(double); ++k)
        reinterpret_cast<double*>(&sums)[k] = __ldcg(reinterpret_cast<const double*>(from) + k);
    return sums;
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

/// One iteration of each query: the block that comes last adds the partial sums, in the order of the blocks,
/// and makes the next ellipsoid.
__global__ void __launch_bounds__(threads) shape_kernel(const __grid_constant__ ShapeTask task)
{
    const IndexRange range = task.queries.query[blockIdx.y].range;
    const Index n_blocks = (range.size() + per_block - 1) / per_block;
    ComponentShape& shape = task.shapes[blockIdx.y];
    if (blockIdx.x >= n_blocks || shape.settled != 0) return;
    ShapeSums sums = sums_of_block(task, range, Ellipsoid(shape));
    ShapeSums* const partial = task.partial + task.offset[blockIdx.y];
    if (threadIdx.x == 0) partial[blockIdx.x] = sums;
    if (!is_last(&task.arrived[blockIdx.y], n_blocks)) return;
    sums = {};
    for (Index k = threadIdx.x; k < n_blocks; k += threads) sums.add(fresh(&partial[k]));
    sums = reduced_over_block<threads>(sums, AddShapes{});
    if (threadIdx.x == 0) take_sums(shape, sums);
}

}  // namespace

std::size_t find_shapes_bytes(std::size_t n_in_all_ranges, std::size_t n_queries)
{
    return (n_in_all_ranges / per_block + n_queries) * sizeof(ShapeSums) + most_queries * sizeof(Index);
}

void find_shapes(CUstream_st* stream, const ConstParticlesView& particles,
                 std::span<const ShapeQuery> queries, std::byte* scratch, ComponentShape* shapes)
{
    in_batches(queries, [&](const Batch<ShapeQuery>& batch, std::size_t first, Index n) {
        ShapeTask task{particles, batch, {}, nullptr, nullptr, shapes + first};
        std::size_t offset = 0, longest = 1;
        for (Index k = 0; k < n; ++k) {
            const std::size_t blocks = blocks_of(batch.query[k].range.size());
            task.offset[k] = static_cast<Index>(offset);
            offset += blocks;
            longest = blocks > longest ? blocks : longest;
        }
        task.partial = reinterpret_cast<ShapeSums*>(scratch);
        task.arrived = reinterpret_cast<Index*>(task.partial + offset);
        shape_begin_kernel<<<1, n, 0, stream>>>(task);
        AUREOLE_CUDA_LAUNCHED("shape_begin_kernel");
        for (int k = 0; k < most_shape_iterations; ++k) {
            shape_kernel<<<dim3(static_cast<unsigned>(longest), n), threads, 0, stream>>>(task);
            AUREOLE_CUDA_LAUNCHED("shape_kernel");
        }
    });
}

}  // namespace aureole::run::detail
