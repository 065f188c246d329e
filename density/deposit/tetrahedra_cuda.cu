// Kernels that add tetrahedra to patches of cells. A thread block takes a sixth of a task: one tetrahedron of
// each lattice cube. Each warp takes 32 tetrahedra at a time. A lane loads a tetrahedron and expresses it
// relative to its first cell; then the warp distributes the pieces of slabs of as many tiles as fit its
// shared memory, then their parts in rows, then the cells (Kaehler's kernel distributes cells likewise).
// Lanes are thus busy whatever the sizes of tetrahedra. Cells of a tile are fixed-point numbers in shared
// memory, to which any thread adds at any time, and what is added to the grid is exact as well. Cost: for 3^3
// cells some ten rows of a few hundred double operations.
#include "density/deposit/warp_deposit.cuh"
#include "sim/core/cuda_check.cuh"

namespace aureole::density {
namespace {

/// The tetrahedra of a task; a thread takes one at a time.
template <int carried>
struct TaskTetrahedra {
    const DeviceChunk& chunk;
    const DeviceTask& task;
    const DevicePatch& patch;

    __device__ bool exists(Index e) const
    {
        const Index c = e % cubes;
        return c / (side * side) < task.cubes[0] && c / side % side < task.cubes[1] &&
               c % side < task.cubes[2];
    }

    __device__ TetrahedronSites sites(Index e) const
    {
        const Index c = e % cubes;
        return {static_cast<int>(e / cubes), c / (side * side), c / side % side, c % side};
    }

    __device__ Tetrahedron tetrahedron(Index e, Vec3 shift) const
    {
        Tetrahedron t =
            sites(e).tetrahedron(chunk.position + std::size_t{task.slot} * corners_per_block, patch.cells);
        for (Vec3& corner : t.corner) corner = corner + shift;
        return t;
    }

    __device__ Piece<carried> whole(Index e, const Tetrahedron& t) const
    {
        if constexpr (carried == 0)
            return whole_piece(t);
        else
            return whole_piece(
                t, sites(e).velocities(chunk.velocity + std::size_t{task.slot} * corners_per_block,
                                       chunk.speed_scale));
    }

    static constexpr Index side = cubes_per_block_side, cubes = side * side * side;
};

/// The periodic images of a tetrahedron whose bounding box reaches into the patch.
class ImageShifts {
public:
    template <int carried>
    __device__ ImageShifts(const TaskTetrahedra<carried>& of, Index e) : period_(of.patch.cells.period())
    {
        if (!of.exists(e)) {
            range_[0] = {0, -1};
            return;
        }
        const Tetrahedron t = of.tetrahedron(e, Vec3{});
        const CornerExtent extent(t.corner, 4);
        for (int a = 0; a < 3; ++a) range_[a] = extent.images(of.patch.sums.grid, a, period_);
    }

    __device__ int count() const
    {
        int product = 1;
        for (const ImageRange& r : range_) product *= r.empty() ? 0 : r.last - r.first + 1;
        return product;
    }

    __device__ Vec3 operator[](int image) const
    {
        const int z = range_[2].last - range_[2].first + 1, y = range_[1].last - range_[1].first + 1;
        return {(range_[0].first + image / z / y) * period_.x, (range_[1].first + image / z % y) * period_.y,
                (range_[2].first + image % z) * period_.z};
    }

private:
    Vec3 period_;
    ImageRange range_[3];
};

/// `by_planes`: patches may store some of their planes alone; whole ones take 3 % less time without the look.
template <int carried, bool streams, bool by_planes, class Real>
__global__ void __launch_bounds__(warps<carried>* lanes, 4) deposit_kernel(DeviceChunk chunk)
{
    extern __shared__ double memory[];
    WarpSpace<carried, Real>& space =
        reinterpret_cast<WarpSpace<carried, Real>*>(memory)[threadIdx.x / lanes];
    const DeviceTask& task = chunk.tasks[blockIdx.x / tetrahedra_per_cube];
    const TaskTetrahedra<carried> tetrahedra{chunk, task, chunk.patches[task.patch]};
    WarpDeposit<carried, streams, by_planes, Real> deposit(space, tetrahedra.patch);
    constexpr Index n = TaskTetrahedra<carried>::cubes;
    const Index first = blockIdx.x % tetrahedra_per_cube * n;
    for (Index e = first + threadIdx.x; e < first + n; e += warps<carried> * lanes) {
        // each lane takes the images of its tetrahedron one after the other
        const ImageShifts shifts(tetrahedra, e);
        for (int image = 0; __any_sync(~0u, image < shifts.count()); ++image) {
            const bool active = image < shifts.count();
            const Tetrahedron t = active ? tetrahedra.tetrahedron(e, shifts[image]) : Tetrahedron{};
            const Piece<carried> whole = active ? tetrahedra.whole(e, t) : Piece<carried>{};
            const bool stored =
                active && (!by_planes || tetrahedra.patch.sums.stores_some(bounding_cells(t).axis[0]));
            deposit(stored, FramedTetrahedron<carried>(t, whole));
        }
    }
}

/// Sums the signed volumes of a task in a fixed order; a thread block is one warp and takes one task.
__global__ void volume_kernel(DeviceChunk chunk)
{
    const DeviceTask task = chunk.tasks[blockIdx.x];
    const DevicePatch& patch = chunk.patches[task.patch];
    const Vec3* const position = chunk.position + std::size_t{task.slot} * corners_per_block;
    constexpr Index side = cubes_per_block_side;
    double volume = 0;
    for (Index c = threadIdx.x; c < side * side * side; c += lanes) {
        const Index i = c / (side * side), j = c / side % side, k = c % side;
        if (i >= task.cubes[0] || j >= task.cubes[1] || k >= task.cubes[2]) continue;
        const LatticeCube cube = lattice_cube(position, patch.cells, i, j, k);
        for (int t = 0; t < tetrahedra_per_cube; ++t) volume += cube.tetrahedron(t).signed_volume();
    }
    for (int step = lanes / 2; step > 0; step /= 2) volume += __shfl_xor_sync(~0u, volume, step);
    const Vec3 period = patch.cells.period();
    if (threadIdx.x == 0) chunk.volume[blockIdx.x] = volume / (period.x * period.y * period.z);
}

template <int carried, bool streams, bool by_planes, class Real>
void launch(CUstream_st* stream, const DeviceChunk& chunk)
{
    constexpr int bytes = warps<carried> * sizeof(WarpSpace<carried, Real>);
    const auto kernel = deposit_kernel<carried, streams, by_planes, Real>;
    AUREOLE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    AUREOLE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                            cudaSharedmemCarveoutMaxShared));
    kernel<<<chunk.n_tasks * tetrahedra_per_cube, warps<carried> * lanes, bytes, stream>>>(chunk);
    AUREOLE_CUDA_LAUNCHED("deposit_kernel");
}

template <int carried, bool streams, bool by_planes>
void launch(CUstream_st* stream, const DeviceChunk& chunk)
{
    if (chunk.precision == Precision::mixed)
        launch<carried, streams, by_planes, float>(stream, chunk);
    else
        launch<carried, streams, by_planes, double>(stream, chunk);
}

template <int carried, bool streams>
void launch(CUstream_st* stream, const DeviceChunk& chunk)
{
    chunk.by_planes ? launch<carried, streams, true>(stream, chunk)
                    : launch<carried, streams, false>(stream, chunk);
}

}  // namespace

void deposit_chunk(CUstream_st* stream, const DeviceChunk& chunk)
{
    if (chunk.n_tasks == 0) return;
    if (chunk.velocity)
        chunk.streams ? launch<3, true>(stream, chunk) : launch<3, false>(stream, chunk);
    else
        chunk.streams ? launch<0, true>(stream, chunk) : launch<0, false>(stream, chunk);
    volume_kernel<<<chunk.n_tasks, lanes, 0, stream>>>(chunk);
    AUREOLE_CUDA_LAUNCHED("volume_kernel");
}

}  // namespace aureole::density
