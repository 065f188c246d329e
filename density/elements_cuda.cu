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
constexpr int tile_side = 4, tile_cells = tile_side * tile_side * tile_side;
/// Sums of one tile: along x at most 5 planes of 3 pieces each and the whole, along y 5 planes and the whole.
constexpr int largest_tile = 16 * 6 * tile_side + tile_cells;

/// Warps of a block; shared memory of 64 kB must do.
template <int carried>
constexpr int warps = carried > 0 ? 2 : 4;

__device__ int lane_number() { return static_cast<int>(threadIdx.x) % lanes; }

/// What a warp works on, in shared memory; [lanes]: a unit for each lane, one tile of its tetrahedron.
template <int carried>
struct WarpSpace {
    static constexpr int n = n_sums<carried>;
    static constexpr int capacity = (carried > 0 ? 1 : 2) * largest_tile * n;
    double corner[4][3 + carried][lanes];
    double value[capacity];  ///< rows of a unit, then of the next
    int cells[3][lanes], middle[3][lanes], low[3][lanes], size[3][lanes];
    int first[3][lanes];
    unsigned pieces[lanes];
    int row_begin[lanes], cell_begin[lanes], value_begin[lanes];
    unsigned given_low[n][lanes], given_high[n][lanes];  ///< sums modulo 2^52 of what cells were given
    unsigned largest[lanes];                             ///< a share's leading bits, then its cell
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

/// The cells of one tetrahedron that lie in the patch, from its first cell, and their tiles.
struct Tiling {
    int low[3], n[3];
    bool whole = true;  ///< all its cells are in the patch

    template <int carried>
    __device__ Tiling(const FramedTetrahedron<carried>& t, const Grid& grid)
    {
        for (int a = 0; a < 3; ++a) {
            int high = t.cells[a];
            low[a] = 0;
            if (!grid.wraps(a)) {
                const int first = static_cast<int>(t.first[a]);
                const int end = static_cast<int>(grid.axis[a].cells) - first;
                low[a] = first < 0 ? -first : 0;
                high = high < end ? high : end;
            }
            n[a] = high - low[a];
            whole = whole && n[a] == t.cells[a];
        }
    }

    __device__ int tiles(int a) const { return n[a] > 0 ? (n[a] - 1) / tile_side + 1 : 0; }
    __device__ int total() const { return tiles(0) * tiles(1) * tiles(2); }
};

template <int carried, bool streams>
class WarpDeposit {
    static constexpr int n = n_sums<carried>;
    using Space = WarpSpace<carried>;

public:
    __device__ WarpDeposit(Space& space, const DevicePatch& patch) : space_(space), patch_(patch) {}

    /// All lanes call; those that are not `active` have no tetrahedron.
    __device__ void operator()(bool active, const FramedTetrahedron<carried>& framed,
                               const Piece<carried>& whole)
    {
        const Tiling tiling(framed, patch_.sums.grid);
        const int n_tiles = active ? tiling.total() : 0;
        if (!__any_sync(~0u, n_tiles > 0)) return;
        keep(framed);
        Given given;
        for (int tile = 0; __any_sync(~0u, tile < n_tiles);) {
            if (n_tiles > 1)
                while (tile < n_tiles && misses(tile, tiling)) ++tile;
            const bool taken = take(tile < n_tiles, tile, tiling);
            __syncwarp();
            fill_rows();
            __syncwarp();
            fill_cells();
            __syncwarp();
            if (taken) {
                account(given);
                ++tile;
            }
        }
        if (n_tiles > 0 && tiling.whole) give_rest(given, whole);
        __syncwarp();
    }

private:
    /// What a tetrahedron has given to its cells.
    struct Given {
        std::int64_t sums[n] = {};
        unsigned largest = 0;
        std::int64_t largest_cell = 0;
    };

    __device__ void keep(const FramedTetrahedron<carried>& framed)
    {
        const int lane = lane_number();
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 3 + carried; ++k) space_.corner[c][k][lane] = framed.corner[c][k];
        for (int a = 0; a < 3; ++a) {
            space_.cells[a][lane] = framed.cells[a];
            space_.middle[a][lane] = framed.middle[a];
            space_.first[a][lane] = static_cast<int>(framed.first[a]);
        }
    }

    __device__ Vec3 corner(int c, int u) const
    {
        return {space_.corner[c][0][u], space_.corner[c][1][u], space_.corner[c][2][u]};
    }

    /// Cells of a tile along an axis of this lane's tetrahedron.
    __device__ TileAxis tile_axis(int a, int tile, const Tiling& tiling) const
    {
        const int lane = lane_number(), begin = tile * tile_side, left = tiling.n[a] - begin;
        return {space_.cells[a][lane], space_.middle[a][lane], tiling.low[a] + begin,
                left < tile_side ? left : tile_side};
    }

    __device__ void axes_of(int tile, const Tiling& tiling, TileAxis (&axis)[3]) const
    {
        const int z = tiling.tiles(2), y = tiling.tiles(1);
        axis[0] = tile_axis(0, tile / z / y, tiling);
        axis[1] = tile_axis(1, tile / z % y, tiling);
        axis[2] = tile_axis(2, tile % z, tiling);
    }

    /// Is a face's plane, or its parallel through the fourth corner, between the tile and the tetrahedron?
    __device__ bool misses(int tile, const Tiling& tiling) const
    {
        TileAxis axis[3];
        axes_of(tile, tiling, axis);
        const Vec3 half{0.5 * axis[0].n, 0.5 * axis[1].n, 0.5 * axis[2].n};
        const Vec3 middle{axis[0].low + half.x, axis[1].low + half.y, axis[2].low + half.z};
        const int lane = lane_number();
        const double extent = space_.cells[0][lane] + space_.cells[1][lane] + space_.cells[2][lane];
        const double rounding = 1e-14 * extent * extent * extent;  // of `at`; some 2^-53 of it, a few times
        for (int f = 0; f < 4; ++f) {
            const Vec3 a = corner(f, lane), b = corner((f + 1) & 3, lane), c = corner((f + 2) & 3, lane),
                       d = corner((f + 3) & 3, lane);
            const Vec3 normal = cross(b - a, c - a);
            const double reach =
                std::fabs(normal.x) * half.x + std::fabs(normal.y) * half.y + std::fabs(normal.z) * half.z;
            const double at = dot(normal, middle - a), tip = dot(normal, d - a);
            const double size = std::fabs(normal.x) + std::fabs(normal.y) + std::fabs(normal.z);
            const double margin = 1e-9 * size + rounding;
            const double low = tip < 0 ? tip : 0, high = tip < 0 ? 0 : tip;
            if (at - reach > high + margin || at + reach < low - margin) return true;
        }
        return false;
    }

    /// Puts this lane's tile on the list if there is room; returns whether.
    __device__ bool take(bool wanted, int tile, const Tiling& tiling)
    {
        const int lane = lane_number();
        TileOverlap<carried> unit{};
        if (wanted) {
            axes_of(tile, tiling, unit.axis);
            unit.count_pieces([&](int c, int k) { return space_.corner[c][k][lane]; });
        }
        int rows = wanted ? unit.rows() : 0;
        const int values = rows * unit.row_doubles();
        const int values_end = inclusive_sum(values);
        const bool taken = wanted && values_end <= Space::capacity;
        rows = taken ? rows : 0;
        const int cells = taken ? unit.cells() : 0;
        const int rows_end = inclusive_sum(rows), cells_end = inclusive_sum(cells);
        for (int a = 0; a < 3; ++a) {
            space_.low[a][lane] = unit.axis[a].low;
            space_.size[a][lane] = unit.axis[a].n;
        }
        space_.pieces[lane] = unit.pieces;
        space_.row_begin[lane] = rows_end - rows;
        space_.cell_begin[lane] = cells_end - cells;
        space_.value_begin[lane] = values_end - values;
        space_.largest[lane] = 0;
        for (int s = 0; s < n; ++s) space_.given_low[s][lane] = space_.given_high[s][lane] = 0;
        n_rows_ = __shfl_sync(~0u, rows_end, lanes - 1);
        n_cells_ = __shfl_sync(~0u, cells_end, lanes - 1);
        return taken;
    }

    __device__ TileOverlap<carried> unit(int u) const
    {
        TileOverlap<carried> result;
        for (int a = 0; a < 3; ++a)
            result.axis[a] = {space_.cells[a][u], space_.middle[a][u], space_.low[a][u], space_.size[a][u]};
        result.pieces = space_.pieces[u];
        return result;
    }

    __device__ void fill_rows()
    {
        AUREOLE_ROLLED
        for (int item = lane_number(); item < n_rows_; item += lanes) {
            const int u = owner_of(space_.row_begin, item), r = item - space_.row_begin[u];
            const TileOverlap<carried> overlap = unit(u);
            overlap.row(
                r, [&](int c, int k) { return space_.corner[c][k][u]; },
                space_.value + space_.value_begin[u] + r * overlap.row_doubles());
        }
    }

    /// Adds up cells from rows and gives them to the patch.
    __device__ void fill_cells()
    {
        AUREOLE_ROLLED
        for (int item = lane_number(); item < n_cells_; item += lanes) {
            const int u = owner_of(space_.cell_begin, item), c = item - space_.cell_begin[u];
            const int nz = space_.size[2][u], ny = space_.size[1][u];
            const int k = c % nz, j = c / nz % ny, i = c / nz / ny;
            double sums[n];
            unit(u).cell(i, j, k, space_.value + space_.value_begin[u], sums);
            const bool reached = sums[0] > least_share;
            if (!reached && !streams) continue;
            const std::int64_t cell = target(u, i, j, k);
            if (reached) give(u, c, cell, sums);
            if (streams && holds_centre(u, i, j, k)) aureole::atomic_add(patch_.streams + cell, Index{1});
        }
    }

    __device__ std::int64_t target(int u, int i, int j, int k) const
    {
        return patch_.sums.cell(space_.first[0][u] + space_.low[0][u] + i,
                                space_.first[1][u] + space_.low[1][u] + j,
                                space_.first[2][u] + space_.low[2][u] + k);
    }

    __device__ void give(int u, int c, std::int64_t cell, const double (&sums)[n])
    {
        for (int s = 0; s < n; ++s) {
            const std::int64_t term = to_fixed(sums[s]);
            density::atomic_add(patch_.sums.sums + cell * n + s, term);
            atomicAdd(&space_.given_low[s][u], static_cast<unsigned>(term) & ((1u << low_bits) - 1));
            atomicAdd(&space_.given_high[s][u], static_cast<unsigned>(term >> low_bits));
        }
        const unsigned leading = static_cast<unsigned>(__double2hiint(sums[0]));
        atomicMax(&space_.largest[u], leading - leading % tile_cells + (tile_cells - 1 - c));
    }

    __device__ bool holds_centre(int u, int i, int j, int k) const
    {
        const Tetrahedron t{{corner(0, u), corner(1, u), corner(2, u), corner(3, u)}};
        const Vec3 centre{space_.low[0][u] + i + 0.5, space_.low[1][u] + j + 0.5, space_.low[2][u] + k + 0.5};
        return holds(t, centre, patch_.cells.quantum()) != 0;
    }

    /// This lane's tile has been given.
    __device__ void account(Given& given) const
    {
        const int lane = lane_number();
        for (int s = 0; s < n; ++s)
            given.sums[s] += space_.given_low[s][lane] +
                             (static_cast<std::int64_t>(space_.given_high[s][lane]) << low_bits);
        const unsigned found = space_.largest[lane];
        if (found / tile_cells <= given.largest / tile_cells) return;
        given.largest = found;
        const int c = tile_cells - 1 - static_cast<int>(found % tile_cells);
        const int nz = space_.size[2][lane], ny = space_.size[1][lane];
        given.largest_cell = target(lane, c / nz / ny, c / nz % ny, c % nz);
    }

    /// What is left to give is some roundings: its low bits tell it.
    __device__ void give_rest(const Given& given, const Piece<carried>& whole)
    {
        constexpr int unknown = 64 - (32 + low_bits);
        double total[n] = {};
        add_moments(whole, total);
        for (int s = 0; s < n; ++s) {
            const auto rest = static_cast<std::uint64_t>(to_fixed(total[s]) - given.sums[s]);
            density::atomic_add(patch_.sums.sums + given.largest_cell * n + s,
                                static_cast<std::int64_t>(rest << unknown) >> unknown);
        }
    }

    static constexpr int low_bits = 20;  ///< sums of a tile's 64 cells stay within 32

    Space& space_;
    const DevicePatch& patch_;
    int n_rows_ = 0, n_cells_ = 0;
};

/// The tetrahedra of a task, one for each thread at a time.
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

template <int carried, bool streams>
__global__ void __launch_bounds__(warps<carried>* lanes, 4) deposit_kernel(DeviceChunk chunk)
{
    extern __shared__ double memory[];
    WarpSpace<carried>& space = reinterpret_cast<WarpSpace<carried>*>(memory)[threadIdx.x / lanes];
    const DeviceTask& task = chunk.tasks[blockIdx.x];
    const TaskTetrahedra<carried> tetrahedra{chunk, task, chunk.patches[task.patch]};
    WarpDeposit<carried, streams> deposit(space, tetrahedra.patch);
    constexpr Index n = tetrahedra_per_cube * TaskTetrahedra<carried>::cubes;
    for (Index e = threadIdx.x; e < n; e += warps<carried> * lanes)
        for_each_image(tetrahedra.patch.sums.grid, tetrahedra.patch.cells.period(), [&](Vec3 shift) {
            const bool active = tetrahedra.exists(e);
            const Tetrahedron t = active ? tetrahedra.tetrahedron(e, shift) : Tetrahedron{};
            const Piece<carried> whole = active ? tetrahedra.whole(e, t) : Piece<carried>{};
            deposit(active, FramedTetrahedron<carried>(t, whole), whole);
        });
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
