// How the target rows x source tiles of a direct sum are dealt out to thread blocks, and how the pieces of a
// row that several blocks share are added up again.
// Small sums: the grid is one wave of blocks, all that run at once. The n_rows * n_tiles items (row-major)
// are cut into as many contiguous shares, equal to within one item, so there is no tail whatever N is. Large
// sums: every row is cut into as many equal segments as make some 20 000 shares, whatever the device: a slice
// of the rows then fills each of several GPUs for many waves, and the last block, which has a GPU for itself,
// takes a small part of the time. Rows that are so many are shares as they are. A block keeps the sum of a
// row that lies inside its share; of a row cut by the border of its share it writes a partial sum, and
// combine_row adds the partials in the order of the shares. Equal device and sizes give equal shares, hence
// equal bits. Of a slice of the rows the shares stay the same, and what they have of its rows is summed, so
// that any number of GPUs of one kind has the bits of one.
#pragma once

#include <algorithm>
#include <numeric>

#include "gravity/direct/direct_task.hpp"
#include "sim/core/cuda_check.cuh"

namespace aureole::gravity {

/// Targets of one row: every shape of every kernel serves this many with one thread block.
inline constexpr Index row_targets = 256;
/// Most thread blocks of a wave: bounds the partial sums, two of 8 KB each.
inline constexpr Index max_shares = 1536;
/// x, y, z and potential of a target.
inline constexpr int n_sums = 4;
/// Threads of a warp.
inline constexpr Index lanes = 32;

inline AUREOLE_HD constexpr Index divide_up(Index n, Index by) { return n / by + (n % by != 0); }

/// Segments of a row of a large sum; 0 of a small one, whose shares know no rows. Shares of fewer than 64
/// tiles would have too little to do.
inline constexpr Index segments_of(Index n_rows, Index n_tiles)
{
    constexpr Index large_items = 1u << 18, wanted_shares = 20480, least_tiles = 64;
    if (std::uint64_t{n_rows} * n_tiles < large_items) return 0;
    const auto wanted = static_cast<Index>((wanted_shares + std::uint64_t{n_rows} / 2) / n_rows);
    return std::max<Index>(1, std::min<Index>(wanted, n_tiles / least_tiles));
}

/// The items and their division: block b owns the items [begin(b), begin(b + 1)).
struct Shares {
    Index n_rows, n_tiles, n_blocks;
    Index segments;            ///< of each row, or 0
    std::uint64_t items_each;  ///< and the first n_longer blocks have one more
    Index n_longer;
    Index stride;  ///< from one tile of a share to the next, modulo n_tiles; no common divisor with it
    Index first_row, end_row;  ///< of the slice
    Index first_block;         ///< that has items of these rows

    Shares() = default;
    /// `rows` of targets, of which [slice.begin, slice.end), not empty, are summed.
    Shares(Index rows, Index tiles, std::uint64_t resident_blocks, IndexRange slice)
        : n_rows(rows),
          n_tiles(tiles),
          segments(segments_of(rows, tiles)),
          first_row(slice.begin),
          end_row(slice.end)
    {
        const std::uint64_t n_items = std::uint64_t{rows} * tiles;
        n_blocks = segments > 0 ? rows * segments
                                : static_cast<Index>(std::min<std::uint64_t>(
                                      n_items, std::min<std::uint64_t>(resident_blocks, max_shares)));
        items_each = n_items / n_blocks;
        n_longer = static_cast<Index>(n_items % n_blocks);
        stride = std::max<Index>(1, static_cast<Index>(0.618 * tiles));
        while (std::gcd(stride, tiles) != 1) ++stride;
        first_block = block_of(std::uint64_t{first_row} * n_tiles);
    }
    /// Thread blocks of a grid for the slice, one for each share, and which share is the block's.
    Index grid() const { return block_of(std::uint64_t{end_row} * n_tiles - 1) - first_block + 1; }
    Index rows_of_slice() const { return end_row - first_row; }
#if defined(__CUDACC__)
    __device__ Index block() const { return first_block + blockIdx.x; }
#endif
    /// Tiles near a row cost more than distant ones in mixed precision: a golden-section stride deals them
    /// out evenly. The double kernel takes them in turn.
    AUREOLE_HD Index tile_of(Index t) const
    {
        return static_cast<Index>(std::uint64_t{t} * stride % n_tiles);
    }
    AUREOLE_HD Index tile_after(Index tile) const
    {
        const std::uint64_t next = std::uint64_t{tile} + stride;
        return static_cast<Index>(next < n_tiles ? next : next - n_tiles);
    }
    AUREOLE_HD std::uint64_t begin(Index block) const
    {
        if (segments > 0) {
            const Index row = block / segments, segment = block % segments;
            return std::uint64_t{row} * n_tiles + std::uint64_t{n_tiles} * segment / segments;
        }
        return items_each * block + (block < n_longer ? block : n_longer);
    }
    /// The items of a block that are of the slice.
    AUREOLE_HD std::uint64_t begin_in_slice(Index block) const
    {
        const std::uint64_t own = begin(block), first = std::uint64_t{first_row} * n_tiles;
        return own < first ? first : own;
    }
    AUREOLE_HD std::uint64_t end_in_slice(Index block) const
    {
        const std::uint64_t own = begin(block + 1), end = std::uint64_t{end_row} * n_tiles;
        return own > end ? end : own;
    }
    AUREOLE_HD Index block_of(std::uint64_t item) const
    {
        if (segments > 0) {
            const auto row = static_cast<Index>(item / n_tiles), tile = static_cast<Index>(item % n_tiles);
            return row * segments + static_cast<Index>(((std::uint64_t{tile} + 1) * segments - 1) / n_tiles);
        }
        const std::uint64_t in_longer = (items_each + 1) * n_longer;
        if (item < in_longer) return static_cast<Index>(item / (items_each + 1));
        return n_longer + static_cast<Index>((item - in_longer) / items_each);
    }
};

/// Partial sums of the first (0) and the last (1) row of each block's share, of one row where rows are cut
/// into segments: [block][first or last][sum][target].
inline AUREOLE_HD constexpr std::size_t partial_at(bool is_in_one_row, Index block, bool last, int sum,
                                                   Index target)
{
    const std::size_t piece = is_in_one_row ? std::size_t{block} : std::size_t{block} * 2 + last;
    return (piece * n_sums + static_cast<std::size_t>(sum)) * row_targets + target;
}

/// Doubles that the partial sums may take on any device.
inline std::size_t partial_size(Index n_targets, Index n_tiles)
{
    const Index n_rows = divide_up(n_targets, row_targets), segments = segments_of(n_rows, n_tiles);
    if (segments == 1) return 0;
    if (segments > 1) return partial_at(true, n_rows * segments, false, 0, 0);
    const std::uint64_t n_items = std::uint64_t{n_rows} * n_tiles;
    return partial_at(false, static_cast<Index>(std::min<std::uint64_t>(n_items, max_shares)), false, 0, 0);
}

/// Where sums go, and how a sum becomes a result.
struct Results {
    ForceOutputs outputs;
    const Index* order;  ///< target of each place in the rows; nullptr: first_target + place
    Index first_target, n_targets;
    const double* inverse_length;  ///< the scale of lengths in the sums; nullptr: 1

    __device__ Index target(Index place) const { return order ? order[place] : first_target + place; }
    __device__ void store(Index place, const double (&sum)[n_sums]) const
    {
        const double scale = inverse_length ? *inverse_length : 1.0;  // a power of two: exact
        const Index i = target(place);
        outputs.acceleration.store(i,
                                   {sum[0] * scale * scale, sum[1] * scale * scale, sum[2] * scale * scale});
        if (outputs.potential) outputs.potential[i] = -sum[3] * scale;
    }
    /// To what is stored.
    __device__ void add(Index place, const double (&sum)[n_sums]) const
    {
        const double scale = inverse_length ? *inverse_length : 1.0;
        const Index i = target(place);
        const Vec3View& a = outputs.acceleration;
        a.store(i, a.load(i) + scale * scale * Vec3{sum[0], sum[1], sum[2]});
        if (outputs.potential) outputs.potential[i] -= sum[3] * scale;
    }
};

/// Called by the thread that owns `place` when its block leaves a row having done the items [from, to):
/// a whole row is a result, anything else a partial sum.
__device__ inline void put_sums(const Shares& shares, const Results& results, double* partial, Index row,
                                std::uint64_t from, std::uint64_t to, Index in_row,
                                const double (&sum)[n_sums])
{
    const Index place = row * row_targets + in_row, block = shares.block();
    if (place >= results.n_targets || row < shares.first_row || row >= shares.end_row) return;
    if (to - from == shares.n_tiles) {
        results.store(place, sum);
        return;
    }
    const bool last = shares.begin(block) < std::uint64_t{row} * shares.n_tiles;
    for (int s = 0; s < n_sums; ++s)
        if (s < 3 || results.outputs.potential)
            partial[partial_at(shares.segments > 0, block, last, s, in_row)] = sum[s];
}

/// By one block per row of the slice, one thread per target: adds the partial sums of a row in the order of
/// its shares.
__device__ inline void combine_row(const Shares& shares, const Results& results, const double* partial)
{
    const Index row = shares.first_row + blockIdx.x, in_row = threadIdx.x, place = row * row_targets + in_row;
    const std::uint64_t row_begin = std::uint64_t{row} * shares.n_tiles;
    const Index first = shares.block_of(row_begin), last = shares.block_of(row_begin + shares.n_tiles - 1);
    if (first == last || place >= results.n_targets) return;
    double sum[n_sums] = {};
    for (Index block = first; block <= last; ++block) {
        const bool last_of_share = shares.begin(block) < row_begin;
        for (int s = 0; s < n_sums; ++s)
            if (s < 3 || results.outputs.potential)
                sum[s] += partial[partial_at(shares.segments > 0, block, last_of_share, s, in_row)];
    }
    results.store(place, sum);
}

/// Thread blocks of `kernel` that the current device holds at once.
template <class Kernel>
std::uint64_t resident_blocks(Kernel kernel, int threads)
{
    int device = 0, multiprocessors = 0, per_multiprocessor = 0;
    AUREOLE_CUDA_CHECK(cudaGetDevice(&device));
    AUREOLE_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    AUREOLE_CUDA_CHECK(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, threads, 0));
    return static_cast<std::uint64_t>(multiprocessors) * static_cast<std::uint64_t>(per_multiprocessor);
}

/// place_of[order[k] - first_place] = k, one thread per entry of `order`.
static __global__ void places_kernel(const Index* order, Index n, Index first_place, Index* place_of)
{
    const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (k < n) place_of[order[k] - first_place] = static_cast<Index>(k);
}

/// Of the particles [first_place, first_place + n_places): which entry of `order` they are, or none (the
/// largest Index).
inline void find_places(CUstream_st* stream, const Index* order, Index n, Index first_place, Index n_places,
                        Index* place_of)
{
    constexpr Index block = 256;
    if (n_places > n)
        AUREOLE_CUDA_CHECK(cudaMemsetAsync(place_of, 0xff, std::size_t{n_places} * sizeof(Index), stream));
    places_kernel<<<divide_up(n, block), block, 0, stream>>>(order, n, first_place, place_of);
    AUREOLE_CUDA_LAUNCHED("places_kernel");
}

/// Hands out aligned pieces of the scratch; with a null base it only counts bytes.
class Carver {
public:
    explicit Carver(std::byte* base) : base_(base) {}
    template <class T>
    T* take(std::size_t n)
    {
        const std::size_t begin = used_;
        used_ += (n * sizeof(T) + alignment - 1) / alignment * alignment;
        return base_ ? reinterpret_cast<T*>(base_ + begin) : nullptr;
    }
    std::size_t used() const { return used_; }

private:
    static constexpr std::size_t alignment = 256;
    std::byte* base_;
    std::size_t used_ = 0;
};

}  // namespace aureole::gravity
