// Tetrahedra onto patches of cells. A block of threads takes one task, each of its warps 32 tetrahedra at a
// time: a lane loads one and frames it, then the warp shares out the rows of all their tiles, then the cells
// (as Kaehler's kernel shares out cells). Rows and cells of many tetrahedra together fill the warp whatever
// their sizes; large ones go through in tiles. What a tetrahedron has given is kept by its lane, which at
// last gives the rest. Cost: some ten rows of a few hundred double operations each for a tetrahedron of 3^3
// cells.
#include "density/elements_device.hpp"
#include "density/tile_overlap.hpp"
#include "sim/core/cuda_check.cuh"

namespace aureole::density {
namespace {

constexpr int lanes = 32;
constexpr int tile_xy = 4, tile_z = 8;
__device__ constexpr int tile_side(int axis) { return axis < 2 ? tile_xy : tile_z; }
/// Sums of one tile: of 6 parts along x and y each (5 planes and the whole), and of its cells.
constexpr int largest_tile = (6 * 6 + tile_xy * tile_xy) * tile_z;

/// Warps of a block; shared memory of 64 kB must do.
template <int carried>
constexpr int warps = carried > 0 ? 2 : 4;

__device__ int lane_number() { return static_cast<int>(threadIdx.x) % lanes; }

/// What a warp works on, in shared memory.
template <int carried>
struct WarpSpace {
    static constexpr int capacity = (carried > 0 ? 1 : 2) * largest_tile * n_sums<carried>;
    double corner[4][3 + carried][lanes];
    double value[capacity];  ///< rows of a unit, then its cells
    int cells[3][lanes], middle[3][lanes], low[3][lanes], n[3][lanes];
    int first[3][lanes];
    int row_begin[lanes], cell_begin[lanes], value_begin[lanes];
};

/// Sums over the lanes up to and with this one.
__device__ int inclusive_sum(int value)
{
    for (int step = 1; step < lanes; step *= 2) {
        const int other = __shfl_up_sync(~0u, value, step);
        if (lane_number() >= step) value += other;
    }
    return value;
}

/// The last lane that begins at or before `item`.
__device__ int owner_of(const int (&begin)[lanes], int item)
{
    int owner = 0;
    for (int step = lanes / 2; step > 0; step /= 2)
        if (begin[owner + step] <= item) owner += step;
    return owner;
}

/// The tiles of one tetrahedron that lie in the patch.
struct Tiling {
    int low[3], n[3], tiles[3], first[3];
    int total = 0;
    bool whole = false;  ///< all its cells are in the patch

    template <int carried>
    __device__ Tiling(const FramedTetrahedron<carried>& t, const Grid& grid)
    {
        total = 1;
        whole = true;
        for (int a = 0; a < 3; ++a) {
            first[a] = static_cast<int>(t.first[a]);
            int high = t.cells[a];
            low[a] = 0;
            if (!grid.wraps(a)) {
                low[a] = first[a] < 0 ? -first[a] : 0;
                const int end = static_cast<int>(grid.axis[a].cells) - first[a];
                high = high < end ? high : end;
            }
            n[a] = high - low[a];
            whole = whole && n[a] == t.cells[a];
            tiles[a] = n[a] > 0 ? (n[a] - 1) / tile_side(a) + 1 : 0;
            total *= tiles[a];
        }
    }

    /// Cells of a tile along an axis, from the tetrahedron's first cell.
    __device__ TileAxis axis(int a, int tile, int cells, int middle) const
    {
        const int begin = tile * tile_side(a), left = n[a] - begin;
        return {cells, middle, low[a] + begin, left < tile_side(a) ? left : tile_side(a)};
    }
};

template <int carried, bool streams>
class WarpDeposit {
    static constexpr int n = n_sums<carried>;
    using Space = WarpSpace<carried>;

public:
    __device__ WarpDeposit(Space& space, const DevicePatch& patch) : space_(space), patch_(patch) {}

    /// All lanes call; those that are not `active` have no tetrahedron.
    __device__ void operator()(bool active, const Tetrahedron& t, const Piece<carried>& whole)
    {
        const FramedTetrahedron<carried> framed(t, whole);
        const Tiling tiling(framed, patch_.sums.grid);
        const int n_tiles = active ? tiling.total : 0;
        if (!__any_sync(~0u, n_tiles > 0)) return;
        keep(framed, tiling);
        Given given;
        for (int tile = 0; __any_sync(~0u, tile < n_tiles);) {
            const bool taken = take(tile < n_tiles, tile, framed, tiling);
            __syncwarp();
            fill_rows();
            __syncwarp();
            fill_cells();
            __syncwarp();
            if (taken) {
                account(given);
                ++tile;
            }
            __syncwarp();
        }
        if (n_tiles > 0 && tiling.whole) give_rest(given, whole);
    }

private:
    /// What a tetrahedron has given to its cells.
    struct Given {
        std::int64_t sums[n] = {};
        double largest_share = 0;
        std::int64_t largest_cell = 0;
    };

    __device__ void keep(const FramedTetrahedron<carried>& framed, const Tiling& tiling)
    {
        const int lane = lane_number();
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 3 + carried; ++k) space_.corner[c][k][lane] = framed.corner[c][k];
        for (int a = 0; a < 3; ++a) {
            space_.cells[a][lane] = framed.cells[a];
            space_.middle[a][lane] = framed.middle[a];
            space_.first[a][lane] = tiling.first[a];
        }
    }

    /// Puts this lane's next tile on the list if there is room; returns whether.
    __device__ bool take(bool wanted, int tile, const FramedTetrahedron<carried>& framed,
                         const Tiling& tiling)
    {
        const int lane = lane_number();
        TileOverlap<carried> unit{};
        if (wanted) {
            const int z = tile % tiling.tiles[2], y = tile / tiling.tiles[2] % tiling.tiles[1],
                      x = tile / tiling.tiles[2] / tiling.tiles[1];
            unit.axis[0] = tiling.axis(0, x, framed.cells[0], framed.middle[0]);
            unit.axis[1] = tiling.axis(1, y, framed.cells[1], framed.middle[1]);
            unit.axis[2] = tiling.axis(2, z, framed.cells[2], framed.middle[2]);
        }
        const int rows = wanted ? unit.rows() : 0, cells = wanted ? unit.cells() : 0;
        const int values = rows * unit.row_doubles() + cells * n;
        const int values_end = inclusive_sum(values);
        const bool taken = wanted && values_end <= Space::capacity;
        const int rows_end = inclusive_sum(taken ? rows : 0), cells_end = inclusive_sum(taken ? cells : 0);
        for (int a = 0; a < 3; ++a) {
            space_.low[a][lane] = unit.axis[a].low;
            space_.n[a][lane] = unit.axis[a].n;
        }
        space_.row_begin[lane] = rows_end - (taken ? rows : 0);
        space_.cell_begin[lane] = cells_end - (taken ? cells : 0);
        space_.value_begin[lane] = values_end - values;
        n_rows_ = __shfl_sync(~0u, rows_end, lanes - 1);
        n_cells_ = __shfl_sync(~0u, cells_end, lanes - 1);
        return taken;
    }

    __device__ TileOverlap<carried> unit(int u) const
    {
        TileOverlap<carried> result;
        for (int a = 0; a < 3; ++a)
            result.axis[a] = {space_.cells[a][u], space_.middle[a][u], space_.low[a][u], space_.n[a][u]};
        return result;
    }

    __device__ void fill_rows()
    {
        for (int item = lane_number(); item < n_rows_; item += lanes) {
            const int u = owner_of(space_.row_begin, item), r = item - space_.row_begin[u];
            const TileOverlap<carried> overlap = unit(u);
            overlap.row(
                r, [&](int c, int k) { return space_.corner[c][k][u]; },
                space_.value + space_.value_begin[u] + r * overlap.row_doubles());
        }
    }

    /// Sums cells from rows, gives them to the patch, and leaves them for account().
    __device__ void fill_cells()
    {
        for (int item = lane_number(); item < n_cells_; item += lanes) {
            const int u = owner_of(space_.cell_begin, item), c = item - space_.cell_begin[u];
            const TileOverlap<carried> overlap = unit(u);
            const int nz = overlap.axis[2].n, ny = overlap.axis[1].n;
            const int k = c % nz, j = c / nz % ny, i = c / nz / ny;
            double* const rows = space_.value + space_.value_begin[u];
            double sums[n];
            overlap.cell(i, j, k, rows, sums);
            if (!(sums[0] > least_share))
                for (int s = 0; s < n; ++s) sums[s] = 0;
            double* const to = rows + overlap.rows() * overlap.row_doubles() + c * n;
            for (int s = 0; s < n; ++s) to[s] = sums[s];
            if (streams || sums[0] > 0) give(u, c, sums);
        }
    }

    __device__ std::int64_t target(int u, int c) const
    {
        const int nz = space_.n[2][u], ny = space_.n[1][u];
        const auto at = [&](int a, int i) {
            return static_cast<std::int64_t>(space_.first[a][u] + space_.low[a][u] + i);
        };
        return patch_.sums.cell(at(0, c / nz / ny), at(1, c / nz % ny), at(2, c % nz));
    }

    __device__ void give(int u, int c, const double (&sums)[n])
    {
        const std::int64_t cell = target(u, c);
        if (sums[0] > 0)
            for (int s = 0; s < n; ++s)
                density::atomic_add(patch_.sums.sums + cell * n + s, to_fixed(sums[s]));
        if constexpr (streams) {
            Tetrahedron t;
            for (int q = 0; q < 4; ++q)
                t.corner[q] = {space_.corner[q][0][u], space_.corner[q][1][u], space_.corner[q][2][u]};
            const int nz = space_.n[2][u], ny = space_.n[1][u];
            const Vec3 centre{space_.low[0][u] + c / nz / ny + 0.5, space_.low[1][u] + c / nz % ny + 0.5,
                              space_.low[2][u] + c % nz + 0.5};
            if (holds(t, centre, patch_.cells.quantum()) != 0)
                aureole::atomic_add(patch_.streams + cell, Index{1});
        }
    }

    /// This lane's tile has been given.
    __device__ void account(Given& given) const
    {
        const int lane = lane_number();
        const TileOverlap<carried> overlap = unit(lane);
        const double* const cells =
            space_.value + space_.value_begin[lane] + overlap.rows() * overlap.row_doubles();
        int largest = -1;
        for (int c = 0; c < overlap.cells(); ++c) {
            for (int s = 0; s < n; ++s) given.sums[s] += to_fixed(cells[c * n + s]);
            if (cells[c * n] <= given.largest_share) continue;
            given.largest_share = cells[c * n];
            largest = c;
        }
        if (largest >= 0) given.largest_cell = target(lane, largest);
    }

    __device__ void give_rest(const Given& given, const Piece<carried>& whole)
    {
        double total[n] = {};
        add_moments(whole, total);
        for (int s = 0; s < n; ++s)
            density::atomic_add(patch_.sums.sums + given.largest_cell * n + s,
                                to_fixed(total[s]) - given.sums[s]);
    }

    Space& space_;
    const DevicePatch& patch_;
    int n_rows_ = 0, n_cells_ = 0;
};

/// One tetrahedron of a task, and all its images that may reach into the patch.
template <int carried, bool streams>
__device__ void deposit_images(WarpDeposit<carried, streams>& deposit, const DevicePatch& patch, bool active,
                               const Tetrahedron& first, const Piece<carried>& whole)
{
    for_each_image(patch.sums.grid, patch.cells.period(), [&](Vec3 shift) {
        Tetrahedron t = first;
        for (Vec3& corner : t.corner) corner = corner + shift;
        deposit(active, t, whole);
    });
}

template <int carried, bool streams>
__global__ void __launch_bounds__(warps<carried>* lanes) deposit_kernel(DeviceChunk chunk)
{
    extern __shared__ double memory[];
    WarpSpace<carried>& space = reinterpret_cast<WarpSpace<carried>*>(memory)[threadIdx.x / lanes];
    const DeviceTask task = chunk.tasks[blockIdx.x];
    const DevicePatch& patch = chunk.patches[task.patch];
    const Vec3* const position = chunk.position + std::size_t{task.slot} * corners_per_block;
    WarpDeposit<carried, streams> deposit(space, patch);
    constexpr Index side = cubes_per_block_side, cubes = side * side * side;
    for (Index e = threadIdx.x; e < tetrahedra_per_cube * cubes; e += warps<carried> * lanes) {
        const Index t = e / cubes, i = e / (side * side) % side, j = e / side % side, k = e % side;
        const bool active = i < task.cubes[0] && j < task.cubes[1] && k < task.cubes[2];
        Tetrahedron tetrahedron{};
        Piece<carried> whole{};
        if (active) {
            const TetrahedronSites sites(static_cast<int>(t), i, j, k);
            tetrahedron = sites.tetrahedron(position, patch.cells);
            if constexpr (carried > 0)
                whole = whole_piece(
                    tetrahedron, sites.velocities(chunk.velocity + std::size_t{task.slot} * corners_per_block,
                                                  chunk.speed_scale));
            else
                whole = whole_piece(tetrahedron);
        }
        deposit_images(deposit, patch, active, tetrahedron, whole);
    }
}

/// A block of one warp for each task; sums in a fixed order.
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

template <int carried, bool streams>
void launch(CUstream_st* stream, const DeviceChunk& chunk)
{
    constexpr int bytes = warps<carried> * sizeof(WarpSpace<carried>);
    AUREOLE_CUDA_CHECK(cudaFuncSetAttribute(deposit_kernel<carried, streams>,
                                            cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    deposit_kernel<carried, streams><<<chunk.n_tasks, warps<carried> * lanes, bytes, stream>>>(chunk);
    AUREOLE_CUDA_LAUNCHED("deposit_kernel");
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
