#include "gravity/treepm/mesh_tiles.cuh"
#include "sim/core/cuda_check.cuh"

namespace aureole::gravity::treepm {
namespace {

constexpr unsigned threads = 256;

__global__ void __launch_bounds__(threads, 4) mesh_tiles_kernel(const __grid_constant__ TileTask task)
{
    __shared__ TileSums sums;
    MeshTile<threads>(task, sums, blockIdx.x).run();
}

}  // namespace

void assign_masses_cuda(CUstream_st* stream, const TileTask& task)
{
    const auto tiles = static_cast<unsigned>((task.n + tile_side - 1) / tile_side);
    mesh_tiles_kernel<<<tiles * tiles * tiles, threads, 0, stream>>>(task);
    AUREOLE_CUDA_LAUNCHED("mesh_tiles_kernel");
}

}  // namespace aureole::gravity::treepm
