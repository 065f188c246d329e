// A tile of the mesh, summed in shared memory by one block of threads. Masses are counted in parts of the
// tree's unit, 2^31 of them, so that sums do not depend on their order; a sum has two words, since devices
// add single words in shared memory.
#pragma once

#include "gravity/tree/warp_runs.cuh"
#include "gravity/treepm/mesh_tiles.hpp"

namespace aureole::gravity::treepm {

inline constexpr int tile_side = 16;
/// Words from row to row and from layer to layer: the points of a body lie in many banks of shared memory.
inline constexpr unsigned tile_row = tile_side + 2, tile_layer = tile_side * tile_row + 4,
                          tile_points = tile_side * tile_layer;
/// A word for each lane of a warp beyond the points takes what belongs to no point of the tile: additions
/// without branches do not wait for each other.
inline constexpr unsigned tile_words = tile_points + 32;
/// Nodes that wait. Depth first needs no more than the tree is deep: so many stay free.
inline constexpr unsigned tile_queue_size = 1280, tile_queue_reserve = 512;
/// Leaves that wait to be added, and how many of them a warp takes at once: its lanes share their bodies.
inline constexpr unsigned tile_leaves = 768, leaves_at_once = 4;

struct TileSums {
    unsigned low[tile_words], high[tile_words];
    Index queue[tile_queue_size], leaves[tile_leaves];
    unsigned n_queue, n_leaves, next_leaf;
};

/// Adds to the word at a shared address; what it was before.
__device__ inline unsigned add_shared(unsigned address, unsigned part)
{
    unsigned before;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(before) : "r"(address), "r"(part) : "memory");
    return before;
}

/// The points along an axis that a body reaches: where they are in the tile, in bytes, in steps of `stride`,
/// or not.
struct TileAxis {
    static constexpr unsigned outside = 1u << 16;
    unsigned offset[4];
    float weight[4];

    /// `u`: the place in cells; the tile begins at `start` and has `width` points. `per_n`: 1 / n, to
    /// rounding.
    __device__ TileAxis(double u, int n, double per_n, int start, int width, unsigned stride)
    {
        const double below = floor(u), first = below - n * floor(below * per_n);
        const auto d = static_cast<float>(u - below);
        const float e = 1 - d;
        weight[0] = e * e * e * (1.0f / 6);
        weight[1] = (4 + d * d * (3 * d - 6)) * (1.0f / 6);
        weight[2] = (4 + e * e * (3 * e - 6)) * (1.0f / 6);
        weight[3] = d * d * d * (1.0f / 6);
        int at = static_cast<int>(first);  // by rounding it may be -1 or n
        at = (at < 0 ? at + n : at >= n ? at - n : at) - 1 - start;
        for (int c = 0; c < 4; ++c, ++at) {
            at = at < 0 ? at + n : at >= n ? at - n : at;
            offset[c] = at < width ? static_cast<unsigned>(at) * stride : outside;
        }
    }

    /// Begins with another of the points: neighbours in a warp then add to different ones at a time.
    __device__ void rotate(unsigned by)
    {
        if (by & 1) {
            const unsigned first = offset[0];
            const float heavy = weight[0];
            for (int c = 0; c < 3; ++c) {
                offset[c] = offset[c + 1];
                weight[c] = weight[c + 1];
            }
            offset[3] = first;
            weight[3] = heavy;
        }
        if (by & 2)
            for (int c = 0; c < 2; ++c) {
                const unsigned other = offset[c];
                const float heavy = weight[c];
                offset[c] = offset[c + 2];
                weight[c] = weight[c + 2];
                offset[c + 2] = other;
                weight[c + 2] = heavy;
            }
    }
};

/// One block at work on one tile. `threads`: of the block, a multiple of 32.
template <unsigned threads>
class MeshTile {
public:
    __device__ MeshTile(const TileTask& task, TileSums& sums, Index tile) : task_(task), sums_(sums)
    {
        const auto tiles = static_cast<Index>((task.n + tile_side - 1) / tile_side);
        const Index at[3] = {tile / tiles / tiles, tile / tiles % tiles, tile % tiles};
        const tree::Frame frame = *task.tree.frame;
        low_ = static_cast<unsigned>(__cvta_generic_to_shared(sums.low));
        high_ = static_cast<unsigned>(__cvta_generic_to_shared(sums.high));
        per_n_ = 1.0 / task.n;
        to_cells_ = task.n / (task.side * frame.length_scale);
        per_mass_ = 1 / frame.mass_scale;
        for (int k = 0; k < 3; ++k) {
            start_[k] = static_cast<int>(at[k]) * tile_side;
            width_[k] = min(tile_side, task.n - start_[k]);
        }
    }

    /// Leaves wait until there are many or no node is left, and are then shared by the warps: while these
    /// added the bodies of each step of the walk, they waited for each other most of the time.
    __device__ void run()
    {
        for (unsigned k = threadIdx.x; k < tile_points; k += threads) sums_.low[k] = sums_.high[k] = 0;
        if (threadIdx.x == 0) {
            sums_.queue[0] = 0;  // the pair of the root
            sums_.n_queue = 1;
            sums_.n_leaves = sums_.next_leaf = 0;
        }
        while (true) {
            __syncthreads();
            const unsigned n = sums_.n_queue, leaves = sums_.n_leaves;
            if (n > 0 && leaves + threads <= tile_leaves)
                open(n);
            else if (leaves > 0)
                add_leaves(leaves);
            else
                break;
        }
        store();
    }

private:
    /// Whether a body within the node may reach a point of the tile, to rounding.
    __device__ bool reaches(const tree::NodeHead& head, const tree::NodeBox& box) const
    {
        const double x[3] = {head.x, head.y, head.z};
        bool reaches = true;
        for (int k = 0; k < 3; ++k) {
            const double middle = x[k] + 0.5 * (static_cast<double>(box.low[k]) + box.high[k]);
            const double half = 0.5 * (static_cast<double>(box.high[k]) - box.low[k]) * to_cells_;
            // points are those within two cells of a body
            const double from = middle * to_cells_ - task_.shift - (start_[k] + 0.5 * (width_[k] - 1));
            const double apart = fabs(from - task_.n * rint(from / task_.n));
            reaches = reaches && apart <= half * 1.00001 + 0.5 * (width_[k] - 1) + 2.01;
        }
        return reaches;
    }

    /// Looks at the children of the youngest of n nodes in the queue.
    __device__ void open(unsigned n)
    {
        const unsigned free = tile_queue_size - tile_queue_reserve;
        const unsigned pairs = min(min(n, threads / 2), n < free ? free - n : 1u), mine = threadIdx.x / 2;
        const Index pair = mine < pairs ? sums_.queue[n - pairs + mine] : 0;
        __syncthreads();
        if (threadIdx.x == 0) sums_.n_queue = n - pairs;
        __syncthreads();
        if (mine < pairs) look_at(2 * pair + threadIdx.x % 2);
    }

    __device__ void look_at(Index slot)
    {
        if (slot == tree::empty_slot || !reaches(task_.tree.heads[slot], task_.tree.boxes[slot])) return;
        const tree::NodeTail& tail = task_.tree.tails[slot];
        if (tail.count > 0)
            sums_.leaves[atomicAdd(&sums_.n_leaves, 1u)] = slot;
        else
            sums_.queue[atomicAdd(&sums_.n_queue, 1u)] = tail.first;
    }

    /// The bodies of the n leaves that wait, which then are none.
    __device__ void add_leaves(unsigned n)
    {
        const unsigned lane = threadIdx.x % 32;
        while (true) {
            unsigned begin = 0;
            if (lane == 0) begin = atomicAdd(&sums_.next_leaf, leaves_at_once);
            begin = __shfl_sync(~0u, begin, 0);
            if (begin >= n) break;
            Index first = 0, count = 0;
            if (lane < leaves_at_once && begin + lane < n) {
                const tree::NodeTail& tail = task_.tree.tails[sums_.leaves[begin + lane]];
                first = tail.first;
                count = tail.count;
            }
            tree::deal_runs(first, count, [&](bool there, Index j, unsigned) {
                if (there) add(task_.tree.bodies[j]);
            });
        }
        __syncthreads();
        if (threadIdx.x == 0) sums_.n_leaves = sums_.next_leaf = 0;
    }

    __device__ void add(const tree::Body& body)
    {
        const int n = task_.n;
        constexpr unsigned word = sizeof(unsigned);
        TileAxis x(body.x * to_cells_ - task_.shift, n, per_n_, start_[0], width_[0], tile_layer * word);
        TileAxis y(body.y * to_cells_ - task_.shift, n, per_n_, start_[1], width_[1], tile_row * word);
        TileAxis z(body.z * to_cells_ - task_.shift, n, per_n_, start_[2], width_[2], word);
        x.rotate(threadIdx.x >> 4);
        y.rotate(threadIdx.x >> 2);
        z.rotate(threadIdx.x);
        const float mass = static_cast<float>(body.mass) * 0x1p31f;
        const unsigned nowhere = word * (tile_points + threadIdx.x % 32);
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const unsigned row = x.offset[i] + y.offset[j];
                const float across = mass * (x.weight[i] * y.weight[j]);
                unsigned at[4], part[4], before[4];
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    at[k] = min(row + z.offset[k], nowhere);
                    part[k] = __float2uint_rn(across * z.weight[k]);
                }
#pragma unroll
                for (int k = 0; k < 4; ++k) before[k] = add_shared(low_ + at[k], part[k]);
#pragma unroll
                for (int k = 0; k < 4; ++k)
                    if (before[k] > ~part[k]) add_shared(high_ + at[k], 1);
            }
    }

    __device__ void store() const
    {
        const double unit = per_mass_ * 0x1p-31;
        for (unsigned point = threadIdx.x; point < tile_side * tile_side * tile_side; point += threads) {
            const int x = static_cast<int>(point / (tile_side * tile_side)),
                      y = static_cast<int>(point / tile_side % tile_side),
                      z = static_cast<int>(point % tile_side);
            if (x >= width_[0] || y >= width_[1] || z >= width_[2]) continue;
            const unsigned k = static_cast<unsigned>(x) * tile_layer + static_cast<unsigned>(y) * tile_row +
                               static_cast<unsigned>(z);
            const auto row = static_cast<std::size_t>(start_[0] + x) * static_cast<std::size_t>(task_.n) +
                             static_cast<std::size_t>(start_[1] + y);
            const double sum = 0x1p32 * sums_.high[k] + sums_.low[k];
            task_.values[row * static_cast<std::size_t>(task_.n + task_.padding) +
                         static_cast<std::size_t>(start_[2] + z)] = static_cast<float>(unit * sum);
        }
    }

    const TileTask& task_;
    TileSums& sums_;
    unsigned low_, high_;  ///< where they are in shared memory
    double to_cells_, per_mass_, per_n_;
    int start_[3], width_[3];
};

}  // namespace aureole::gravity::treepm
