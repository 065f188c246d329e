// Joining cells on a GPU. Cells that touch and hold several points each nearly always have a link: a few
// trials of their points join the dense regions first. Then a lane for each cell looks at half of its
// neighbours and passes over those whose set is its own already, nearly all of the dense ones. What is left
// is queued by the warp, so that its lanes compare points together: pairs of few points a lane each, larger
// ones by the whole warp, and the largest are set aside for warps of another kernel. Cost: a look-up in the
// table of rows for each of 13 rows; distances where sets differ, until the first link.
#include "halo/fof/cell_linking.hpp"
#include "halo/fof/cell_walk.hpp"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo {
namespace {

constexpr int block = 256, warp = 32;
constexpr unsigned whole_warp = 0xffffffffu;

/// So many pairs of points are tried to join two cells that touch.
constexpr Index trials = 8;

/// Pairs of points that a lane compares for a pair of cells, and that a warp does before it sets them aside.
constexpr std::uint64_t most_of_lane = 8, most_of_warp = 4096;

Index blocks_for(Index n) { return (n - 1) / block + 1; }

__device__ unsigned own_lane() { return threadIdx.x % warp; }

/// Joins two cells when one of the first pairs of points, of certain distance, is a link.
template <bool periodic>
__device__ void try_to_join(const CellTask& task, Index a, Index b)
{
    const CellGrid& grid = task.grid;
    const LinkMetric<periodic, false> metric = task.query.metric<periodic, false>();
    const Index begin = grid.begin(a), length = grid.end(a) - begin, end = grid.end(b);
    Index i = 0, j = grid.begin(b);
    for (Index k = 0; k < trials && j < end; ++k) {
        const float squared =
            metric.squared(site_of<false>(task.points, begin + i), site_of<false>(task.points, j));
        if (squared <= task.query.band.certain) {
            task.cell_sets.unite(a, b);
            return;
        }
        if (++i == length) {
            i = 0;
            ++j;
        }
    }
}

template <bool periodic>
__global__ void join_touching(CellTask task)
{
    const Index cell = blockIdx.x * block + threadIdx.x;
    const CellGrid& grid = task.grid;
    if (cell >= grid.n_cells || grid.end(cell) - grid.begin(cell) < 2) return;
    const std::uint64_t key = grid.key(cell);
    for (int axis = 0; axis < 3; ++axis) {
        const std::uint64_t wanted = key + (std::uint64_t{1} << (axis == 0   ? 0
                                                                 : axis == 1 ? grid.z_bits
                                                                             : grid.yz_bits));
        const Index other = axis == 0 ? cell + 1 : grid.first_in_row(wanted);
        if (grid.key(other) == wanted) try_to_join<periodic>(task, cell, other);
    }
}

/// Compares the points of pairs of cells. All lanes of a warp call each function together.
template <bool periodic>
struct WarpJoin {
    const CellTask& task;

    /// One pair for each lane that has one; joins what has a link.
    __device__ void join(bool has_pair, CellPair pair) const
    {
        const bool apart = has_pair && task.cell_sets.find(pair.fewer) != task.cell_sets.find(pair.more);
        std::uint64_t n_pairs = 0;
        if (apart) {
            const CellPairs<periodic> cells{task};
            const Index a = cells.length(pair.fewer), b = cells.length(pair.more);
            if (b < a) pair = {pair.more, pair.fewer};
            n_pairs = std::uint64_t{a} * b;
            if (n_pairs <= most_of_lane && cells.have_link(pair.fewer, pair.more))
                task.cell_sets.unite(pair.fewer, pair.more);
        }
        const bool large = n_pairs > most_of_lane && !(n_pairs > most_of_warp && set_aside(pair));
        for (unsigned left = __ballot_sync(whole_warp, large); left != 0; left &= left - 1)
            join_together(broadcast(pair, __ffs(static_cast<int>(left)) - 1));
    }

    /// The same pair for all lanes.
    __device__ void join_together(CellPair pair) const
    {
        const CellGrid& grid = task.grid;
        const Index lane = own_lane(), begin = grid.begin(pair.more), end = grid.end(pair.more);
        for (Index first = begin; first < end; first += warp) {
            const bool exists = first + lane < end;
            const Site<false> site = site_of<false>(task.points, exists ? first + lane : end - 1);
            for (Index i = grid.begin(pair.fewer); i < grid.end(pair.fewer); ++i)
                if (__any_sync(whole_warp,
                               CellPairs<periodic>{task}.linked(site, site_of<false>(task.points, i)))) {
                    if (lane == 0) task.cell_sets.unite(pair.fewer, pair.more);
                    return;
                }
        }
    }

private:
    __device__ static CellPair broadcast(CellPair pair, int lane)
    {
        return {__shfl_sync(whole_warp, pair.fewer, lane), __shfl_sync(whole_warp, pair.more, lane)};
    }

    __device__ bool set_aside(CellPair pair) const
    {
        const Index k = atomicAdd(task.n_set_aside, 1);
        if (k >= task.points.n) return false;  // no place left: done at once
        task.set_aside[k] = pair;
        return true;
    }
};

/// Pairs of cells that wait until there is one for every lane of the warp.
template <bool periodic>
struct PairQueue {
    const WarpJoin<periodic>& joins;
    CellPair* place;  ///< shared by the warp, two for each lane
    int length = 0;

    __device__ void add(bool has_pair, CellPair pair)
    {
        const unsigned adding = __ballot_sync(whole_warp, has_pair);
        if (has_pair) place[length + __popc(adding & ((1u << own_lane()) - 1))] = pair;
        length += __popc(adding);
        __syncwarp();
        if (length >= warp) take(warp);
    }

    __device__ void take_rest() { take(length); }

private:
    __device__ void take(int n)
    {
        length -= n;
        const int lane = static_cast<int>(own_lane());
        const bool has_pair = lane < n;
        const CellPair pair = has_pair ? place[length + lane] : CellPair{};
        __syncwarp();
        joins.join(has_pair, pair);
    }
};

/// A lane's cell and what it has found out.
struct OwnCell {
    Index cell;
    bool exists;
    Index root;  ///< when last looked up
};

/// Queues what may link a lane's cell with cells of these keys.
template <bool periodic>
__device__ void see_keys(const CellTask& task, KeyRange keys, OwnCell& own, PairQueue<periodic>& queue)
{
    const CellGrid& grid = task.grid;
    Index other = own.exists && keys.any() ? grid.first_in_row(keys.first) : grid.n_cells;
    for (;; ++other) {
        const bool is_near = own.exists && keys.any() && other < grid.n_cells && grid.key(other) <= keys.last;
        if (!__any_sync(whole_warp, is_near)) return;
        bool apart = false;
        if (is_near) {
            const Index theirs = task.cell_sets.find(other);
            if (theirs != own.root) {
                own.root = task.cell_sets.find(own.cell);
                apart = theirs != own.root;
            }
        }
        queue.add(apart, {own.cell, other});
    }
}

template <bool periodic>
__global__ void __launch_bounds__(block) join_half(CellTask task)
{
    __shared__ CellPair places[block / warp][2 * warp];
    const CellGrid& grid = task.grid;
    const WarpJoin<periodic> joins{task};
    PairQueue<periodic> queue{joins, places[threadIdx.x / warp]};
    OwnCell own{blockIdx.x * block + threadIdx.x, false, 0};
    own.exists = own.cell < grid.n_cells;
    std::uint64_t key = 0;
    if (own.exists) {
        own.root = task.cell_sets.find(own.cell);
        key = grid.key(own.cell);
    }
    bool at_face = false;
    if constexpr (periodic) at_face = own.exists && grid.is_at_face(grid.place_of_key(key));
    const bool any_at_face = periodic && __any_sync(whole_warp, at_face);
    for (int k = 0; k < n_half_rows; ++k) {
        KeyRange keys = half_row_keys(key, half_row_offset(grid, k), k);
        if (at_face) keys = half_row_piece<periodic>(grid, grid.place_of_key(key), k, 0);
        see_keys(task, keys, own, queue);
        if (!any_at_face) continue;
        keys = at_face ? half_row_piece<periodic>(grid, grid.place_of_key(key), k, 1) : KeyRange::none();
        see_keys(task, keys, own, queue);
    }
    queue.take_rest();
}

/// Only points of the smaller cell that are near the cube of the larger one.
template <bool periodic>
__device__ bool have_link(const CellTask& task, CellPair pair)
{
    const CellPairs<periodic> pairs{task};
    const CellGrid& grid = task.grid;
    const LinkNode cube = pairs.cube_of(pair.more);
    const Index lane = own_lane(), end = grid.end(pair.fewer), last = grid.end(pair.more);
    for (Index first = grid.begin(pair.fewer); first < end; first += warp) {
        const Index i = first + lane < end ? first + lane : end - 1;
        const Site<false> site = site_of<false>(task.points, i);
        const bool near = pairs.may_reach(site, cube);
        if (!__any_sync(whole_warp, near)) continue;
        for (Index j = grid.begin(pair.more); j < last; ++j)
            if (__any_sync(whole_warp, near && pairs.linked(site, site_of<false>(task.points, j))))
                return true;
    }
    return false;
}

template <bool periodic>
__global__ void join_set_aside(CellTask task)
{
    const Index n_warps = gridDim.x * (block / warp);
    const Index n = *task.n_set_aside < task.points.n ? *task.n_set_aside : task.points.n;
    for (Index k = blockIdx.x * (block / warp) + threadIdx.x / warp; k < n; k += n_warps) {
        const CellPair pair = task.set_aside[k];
        bool apart = false;
        if (own_lane() == 0) apart = task.cell_sets.find(pair.fewer) != task.cell_sets.find(pair.more);
        if (!__shfl_sync(whole_warp, apart, 0) || !have_link<periodic>(task, pair)) continue;
        if (own_lane() == 0) task.cell_sets.unite(pair.fewer, pair.more);
    }
}

template <bool periodic>
void join(CUstream_st* stream, const CellTask& task)
{
    const Index n_blocks = blocks_for(task.grid.n_cells);
    join_touching<periodic><<<n_blocks, block, 0, stream>>>(task);
    AUREOLE_CUDA_LAUNCHED("join_touching");
    flatten_sets({Backend::cuda, stream}, task.cell_sets, task.grid.n_cells);
    join_half<periodic><<<n_blocks, block, 0, stream>>>(task);
    AUREOLE_CUDA_LAUNCHED("join_half");
    constexpr Index warps_in_flight = 1 << 13;
    join_set_aside<periodic><<<warps_in_flight * warp / block, block, 0, stream>>>(task);
    AUREOLE_CUDA_LAUNCHED("join_set_aside");
}

/// A lane each for cells of few points; the warp goes together through each of the others.
__global__ void point_at_roots_kernel(CellTask task)
{
    constexpr Index few = 8;
    const CellGrid& grid = task.grid;
    const Index cell = blockIdx.x * block + threadIdx.x;
    Index begin = 0, end = 0, root = 0;
    if (cell < grid.n_cells) {
        begin = grid.begin(cell);
        end = grid.end(cell);
        root = grid.begin(task.cell_sets.parent[cell]);
    }
    const bool large = end - begin > few;
    if (!large)
        for (Index i = begin; i < end; ++i) task.sets.parent[i] = root;
    for (unsigned left = __ballot_sync(whole_warp, large); left != 0; left &= left - 1) {
        const int lane = __ffs(static_cast<int>(left)) - 1;
        const Index last = __shfl_sync(whole_warp, end, lane), to = __shfl_sync(whole_warp, root, lane);
        for (Index i = __shfl_sync(whole_warp, begin, lane) + own_lane(); i < last; i += warp)
            task.sets.parent[i] = to;
    }
}

}  // namespace

void join_cells_cuda(Exec exec, const CellTask& task)
{
    if (task.grid.n_cells == 0) return;
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(task.n_set_aside, 0, sizeof(Index), exec.stream));
    if (task.query.box.periodic())
        join<true>(exec.stream, task);
    else
        join<false>(exec.stream, task);
}

void point_at_roots_cuda(Exec exec, const CellTask& task)
{
    point_at_roots_kernel<<<blocks_for(task.grid.n_cells), block, 0, exec.stream>>>(task);
    AUREOLE_CUDA_LAUNCHED("point_at_roots_kernel");
}

}  // namespace aureole::halo
