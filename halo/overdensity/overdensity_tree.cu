// One pass that summarizes, one that makes keys and packs every particle into one 32-byte sector (a gather
// from four arrays would touch four), one that gathers, and boxes from the leaves up, nine levels in a
// launch.
#include <cmath>

#include "halo/overdensity/overdensity_tree.hpp"
#include "sim/core/cuda_check.cuh"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::halo {
namespace {

constexpr int block = 256;
constexpr int summary_blocks = 1024;
constexpr int tree_block = 512;  ///< leaves, or nodes, of one block
constexpr int tree_levels = 9;   ///< that one block can climb

unsigned blocks_for(std::size_t n, int threads) { return static_cast<unsigned>((n - 1) / threads + 1); }

__device__ bool is_finite(Vec3 x) { return x.x - x.x == 0 && x.y - x.y == 0 && x.z - x.z == 0; }

__device__ std::uint64_t least_of_warp(std::uint64_t value)
{
    for (int step = 16; step > 0; step /= 2) {
        const std::uint64_t other = __shfl_xor_sync(~0u, value, step);
        value = other < value ? other : value;
    }
    return value;
}

/// Ordered bits of minima; maxima are kept as complements.
struct Extremes {
    std::uint64_t least[7];  ///< x, y, z, then the complements of x, y, z and of the mass
    Index first_bad;
};

__device__ void include(std::uint64_t& least, std::uint64_t value) { least = value < least ? value : least; }

/// A thread owns every (grid size)-th particle; the extremes of a warp meet in `summary` by integer atomics.
__global__ void summary_kernel(ConstParticlesView p, Box box, MassSummary* summary)
{
    Extremes e;
    for (std::uint64_t& least : e.least) least = ~std::uint64_t{0};
    e.first_bad = MassSummary::none;
    for (std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; k < p.n;
         k += std::size_t{gridDim.x} * blockDim.x) {
        const auto i = static_cast<Index>(k);
        const Vec3 at = p.position.load(i);
        const double mass = p.mass[i];
        if (!is_finite(at)) {
            e.first_bad = i < e.first_bad ? i : e.first_bad;
            continue;
        }
        const Vec3 x = box.wrap(at);
        const std::uint64_t bits[3] = {ordered_bits(x.x), ordered_bits(x.y), ordered_bits(x.z)};
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
            include(e.least[axis], bits[axis]);
            include(e.least[3 + axis], ~bits[axis]);
        }
        if (mass > 0) include(e.least[6], ~static_cast<std::uint64_t>(__double_as_longlong(mass)));
    }
    const bool first = threadIdx.x % 32 == 0;
#pragma unroll
    for (int k = 0; k < 7; ++k) {
        const std::uint64_t least = least_of_warp(e.least[k]);
        auto* const low = reinterpret_cast<unsigned long long*>(k < 3 ? &summary->low[k] : nullptr);
        auto* const high = reinterpret_cast<unsigned long long*>(
            k == 6 ? &summary->largest_mass : (k < 3 ? nullptr : &summary->high[k - 3]));
        if (first && low) atomicMin(low, least);
        if (first && high) atomicMax(high, ~least);
    }
    if (e.first_bad != MassSummary::none) atomicMin(&summary->first_bad, e.first_bad);
}

/// The low 21 bits of `x` with two zeros after each.
__device__ std::uint64_t spread(std::uint64_t x)
{
    x = (x | x << 32) & 0x001f00000000ffffu;
    x = (x | x << 16) & 0x001f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

__device__ std::uint64_t cell(double offset, double cells_per_length)
{
    constexpr double last = (std::uint64_t{1} << MassCurve::bits_per_axis) - 1;
    return spread(static_cast<std::uint64_t>(fmin(offset * cells_per_length, last)));
}

/// A thread owns one particle.
__global__ void key_kernel(ConstParticlesView p, Box box, MassCurve curve, SortBuffers pairs,
                           MassPoint* unordered)
{
    const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (k >= p.n) return;
    const auto i = static_cast<Index>(k);
    const Vec3 x = box.wrap(p.position.load(i));
    const Vec3 offset = x - curve.low;
    pairs.key[i] = cell(offset.x, curve.cells_per_length) | cell(offset.y, curve.cells_per_length) << 1 |
                   cell(offset.z, curve.cells_per_length) << 2;
    pairs.value[i] = i;
    unordered[i] = {x.x, x.y, x.z, p.mass[i]};
}

/// A thread owns one place in the order.
__global__ void gather_kernel(Index n, const MassPoint* unordered, const Index* order, MassPoint* point)
{
    const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (k < n) point[k] = unordered[order[k]];
}

struct Corners {
    Vec3f low, high;
};

__device__ Corners around(Corners a, Corners b)
{
    return {{fminf(a.low.x, b.low.x), fminf(a.low.y, b.low.y), fminf(a.low.z, b.low.z)},
            {fmaxf(a.high.x, b.high.x), fmaxf(a.high.y, b.high.y), fmaxf(a.high.z, b.high.z)}};
}

/// A leaf in the frame: a coordinate is rounded once in double, by far less than one step of float.
__device__ Corners corners_of_leaf(const DeviceMassTree& tree, Index leaf)
{
    const Index end = tree.numbering.end(leaf);
    MassPoint p = tree.point[tree.numbering.begin(leaf)];
    Vec3 low{p.x, p.y, p.z}, high = low;
    for (Index i = tree.numbering.begin(leaf) + 1; i < end; ++i) {
        p = tree.point[i];
        low = {fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = {fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    const Vec3 a = tree.frame.scale * (low - tree.frame.centre);
    const Vec3 b = tree.frame.scale * (high - tree.frame.centre);
    return {{__double2float_rd(a.x), __double2float_rd(a.y), __double2float_rd(a.z)},
            {__double2float_ru(b.x), __double2float_ru(b.y), __double2float_ru(b.z)}};
}

__device__ void store(const DeviceMassTree& tree, Index k, Corners c)
{
    tree.node[k] = {c.low, 0, c.high, 0};
}

__device__ Corners load(const DeviceMassTree& tree, Index k)
{
    const MassNode node = tree.node[k];
    return {node.low, node.high};
}

/// A thread owns one node of `level`: a leaf, or one whose children are there; a block goes on with all that
/// is above its nodes alone.
__global__ void box_kernel(DeviceMassTree tree, int level)
{
    __shared__ Corners shared[tree_block];
    const Index t = threadIdx.x, n_level = Index{1} << level;
    const Index k = n_level + blockIdx.x * tree_block + t;
    Corners mine{};
    if (k < 2 * n_level) {
        mine = level == tree.numbering.depth ? corners_of_leaf(tree, k)
                                             : around(load(tree, 2 * k), load(tree, 2 * k + 1));
        store(tree, k, mine);
    }
    shared[t] = mine;
    const Index n = n_level < tree_block ? n_level : tree_block;
    for (Index count = n / 2, up = 1; count > 0; count /= 2, ++up) {
        __syncthreads();
        if (t < count) mine = around(shared[2 * t], shared[2 * t + 1]);
        __syncthreads();
        if (t >= count) continue;
        shared[t] = mine;
        store(tree, (n_level >> up) + blockIdx.x * (tree_block >> up) + t, mine);
    }
}

}  // namespace

void summarize_masses(CUstream_st* stream, const ConstParticlesView& particles, const Box& box,
                      MassSummary* summary)
{
    // least values start at all bits set, as does `none`; greatest ones at zero
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(summary, 0xff, sizeof *summary, stream));
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(summary->high, 0, sizeof summary->high, stream));
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(&summary->largest_mass, 0, sizeof summary->largest_mass, stream));
    summary_kernel<<<summary_blocks, block, 0, stream>>>(particles, box, summary);
    AUREOLE_CUDA_LAUNCHED("summary_kernel");
}

void make_mass_keys(CUstream_st* stream, const ConstParticlesView& particles, const Box& box,
                    const MassCurve& curve, const SortBuffers& pairs, MassPoint* unordered)
{
    key_kernel<<<blocks_for(particles.n, block), block, 0, stream>>>(particles, box, curve, pairs, unordered);
    AUREOLE_CUDA_LAUNCHED("key_kernel");
}

void build_mass_tree(CUstream_st* stream, const MassPoint* unordered, const Index* order,
                     const DeviceMassTree& tree)
{
    const Index n = tree.numbering.n;
    gather_kernel<<<blocks_for(n, block), block, 0, stream>>>(n, unordered, order, tree.point);
    AUREOLE_CUDA_LAUNCHED("gather_kernel");
    for (int level = tree.numbering.depth; level >= 0; level -= tree_levels + 1) {
        box_kernel<<<blocks_for(std::size_t{1} << level, tree_block), tree_block, 0, stream>>>(tree, level);
        AUREOLE_CUDA_LAUNCHED("box_kernel");
    }
}

}  // namespace aureole::halo
