// Linking on a GPU: all pieces of a level share one tree over their members by piece and place along a curve
// through phase space. A warp looks around 32 members together. Distances are those of the host, to the bit,
// so the same members are friends.
#include <bit>

#include "halo/copy_bytes.hpp"
#include "halo/substructure/hierarchy.hpp"
#include "halo/substructure/link_places.cuh"
#include "halo/substructure/phase_kernels.hpp"
#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/build_nodes_dual.hpp"
#include "sim/core/spatial/curve_keys.hpp"

namespace aureole::halo {
namespace {

using namespace linking;

constexpr int curve_bits = 7;  ///< an axis

/// A cell of a coordinate, of any size: the middle of a distribution gets the finest.
AUREOLE_HD std::uint32_t cell_of(float x)
{
    constexpr float half = static_cast<float>(1 << (curve_bits - 1));
    const float at = half * (1 + x / (1 + (x < 0 ? -x : x)));
    const auto cell = static_cast<std::uint32_t>(at > 0 ? at : 0);
    return cell < 2 * half ? cell : static_cast<std::uint32_t>(2 * half) - 1;
}

struct BoxBuilder : Hierarchy<PhaseBox> {
    const PhaseSite* site;

    AUREOLE_HD PhaseBox leaf(Index k) const
    {
        PhaseBox box{};
        for (Index i = begin(k); i < end(k); ++i)
            for (int axis = 0; axis < 6; ++axis) {
                const float x = site[i].at[axis];
                box.low[axis] = i == begin(k) || x < box.low[axis] ? x : box.low[axis];
                box.high[axis] = i == begin(k) || x > box.high[axis] ? x : box.high[axis];
            }
        return box;
    }
    AUREOLE_HD static PhaseBox merge(const PhaseBox& a, const PhaseBox& b) { return {a.around(b)}; }
};

__global__ void __launch_bounds__(32 * warps_per_block)
    link_places_kernel(const __grid_constant__ SortedEntries sorted)
{
    __shared__ WalkMemory memory[warps_per_block];
    const Index k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k - threadIdx.x % 32 < sorted.shape.n) WarpOfPlaces(sorted, memory[threadIdx.x / 32], k).run();
}

constexpr Index nearest_tile = 1024, sites_at_once = 64;

/// A block for each tile of a piece's entries, a thread for each of its samples: nearest[s] becomes no larger
/// than the squared distance of sample s to the nearest entry of the tile, as bits of a float.
__global__ void nearest_kernel(const PhaseSite* site, MembersView pieces, MembersView samples,
                               unsigned* nearest)
{
    __shared__ PhaseSite shared[sites_at_once];
    const auto tile = segments::segment_at(pieces, blockIdx.x, nearest_tile);
    if (tile.begin == tile.end) return;
    const auto first = static_cast<Index>(pieces.begin[tile.list]),
               n = static_cast<Index>(pieces.begin[tile.list + 1]) - first;
    const Index number = threadIdx.x;
    const bool present = number < samples_of(n);
    const Index own = first + (present ? sample_at(number, n) : 0);
    const PhaseSite p = site[own];
    float least = CUDART_INF_F;
    for (std::uint64_t from = tile.begin; from < tile.end; from += sites_at_once) {
        const auto count =
            static_cast<Index>(tile.end - from < sites_at_once ? tile.end - from : sites_at_once);
        __syncthreads();
        for (Index k = threadIdx.x; k < 6 * count; k += blockDim.x)
            (&shared[0].at[0])[k] = (&site[from].at[0])[k];
        __syncthreads();
        if (!present) continue;
        for (Index k = 0; k < count; ++k) {
            const float d = squared_between(shared[k], p);
            if (d < least && from + k != own) least = d;
        }
    }
    if (present) atomicMin(nearest + samples.begin[tile.list] + number, __float_as_uint(least));
}

void sort_entries(Exec exec, const Pieces& pieces, const SortedEntries& sorted, Arena& arena)
{
    const Arena::Frame frame(arena);
    const Index n = pieces.lists.n;
    SortBuffers pairs{arena.take<std::uint64_t>(n), arena.take<std::uint64_t>(n), arena.take<Index>(n),
                      arena.take<Index>(n)};
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        std::uint32_t cell[6];
        for (int axis = 0; axis < 6; ++axis) cell[axis] = cell_of(pieces.site[k].at[axis]);
        pairs.key[k] = std::uint64_t{pieces.piece[k]} << 6 * curve_bits | hilbert_key(cell, curve_bits);
        pairs.value[k] = k;
    });
    sort_pairs(exec, n, pairs, 6 * curve_bits + static_cast<int>(std::bit_width(pieces.lists.n_lists)),
               arena.take<std::byte>(sort_pairs_scratch_bytes(exec.backend, n)));
    const Index* const order = pairs.value;
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        const Index entry = order[k];
        sorted.entry[k] = entry;
        sorted.piece[k] = pieces.piece[entry];
        sorted.site[k] = pieces.site[entry];
    });
}

void find_lengths(Exec exec, const Pieces& pieces, const SortedEntries& sorted, double fraction,
                  const std::vector<std::uint64_t>& begin, Arena& arena)
{
    const Arena::Frame frame(arena);
    const Index n_pieces = pieces.lists.n_lists;
    std::vector<std::uint64_t> sample_begin{0};
    for (Index p = 0; p < n_pieces; ++p)
        sample_begin.push_back(sample_begin.back() + samples_of(static_cast<Index>(begin[p + 1] - begin[p])));
    const PointLists samples = make_lists(exec, sample_begin, nullptr, arena);
    const Index n = samples.n;
    SortBuffers pairs{arena.take<std::uint64_t>(n), arena.take<std::uint64_t>(n), arena.take<Index>(n),
                      arena.take<Index>(n)};
    auto* const nearest = arena.take<unsigned>(n);
    constexpr unsigned infinity = 0x7f800000u;
    for_each(exec, n, [=] AUREOLE_HD(Index s) { nearest[s] = infinity; });
    const MembersView all = pieces.lists.view(), sampled = samples.view();
    const auto n_tiles = static_cast<unsigned>(segments::most_segments(all, nearest_tile));
    nearest_kernel<<<n_tiles, most_piece_samples, 0, exec.stream>>>(pieces.site, all, sampled, nearest);
    AUREOLE_CUDA_LAUNCHED("nearest_kernel");
    for_each(exec, n, [=] AUREOLE_HD(Index s) {
        pairs.key[s] = std::uint64_t{segments::list_of_entry(sampled, s)} << 32 | nearest[s];
        pairs.value[s] = s;
    });
    sort_pairs(exec, n, pairs, 32 + static_cast<int>(std::bit_width(n_pieces)),
               arena.take<std::byte>(sort_pairs_scratch_bytes(exec.backend, n)));
    const std::uint64_t* const by_distance = pairs.key;
    for_each(exec, n_pieces, [=] AUREOLE_HD(Index p) {
        const std::uint64_t at = samples.begin[p] + sample_rank(sorted.end(p) - sorted.first(p), fraction);
        const auto bits = static_cast<std::uint32_t>(by_distance[at]);
        std::memcpy(&sorted.squared_length[p], &bits, sizeof bits);
    });
}

/// Sets start as the largest nodes in which all are friends.
void start_sets(Exec exec, const SortedEntries& sorted)
{
    const BalancedTree shape = sorted.shape;
    for_each(exec, static_cast<Index>(shape.n_places()), [=] AUREOLE_HD(Index node) {
        sorted.friends[node] = 0;
        if (node == 0 || shape.begin(node) == shape.end(node)) return;
        const Index piece = sorted.piece[shape.begin(node)];
        if (piece != sorted.piece[shape.end(node) - 1]) return;
        double diagonal = 0;  // and room for rounding of the distances in float
        for (int axis = 0; axis < 6; ++axis) {
            const double side = sorted.box[node].high[axis] - sorted.box[node].low[axis];
            diagonal += side * side;
        }
        sorted.friends[node] = diagonal * (1 + 0x1p-18) <= sorted.squared_length[piece];
    });
    for_each(exec, shape.n, [=] AUREOLE_HD(Index k) {
        Index node = shape.leaf_of(k), set = k;
        for (; sorted.friends[node]; node = BalancedTree::parent(node)) {
            set = shape.begin(node);
            if (node == BalancedTree::root) break;
        }
        sorted.sets.parent[k] = set;
    });
}

}  // namespace

void link_pieces_cuda(CUstream_st* stream, const Pieces& pieces, const std::vector<std::uint64_t>& begin,
                      double fraction, Index* label, Arena& arena)
{
    const Exec exec{Backend::cuda, stream};
    const Arena::Frame frame(arena);
    const Index n = pieces.lists.n;
    const BalancedTree shape = BalancedTree::over(n, leaf_points);
    const SortedEntries sorted{shape,
                               pieces.lists.begin,
                               arena.take<PhaseSite>(n),
                               arena.take<Index>(n),
                               arena.take<Index>(n),
                               arena.take<PhaseBox>(shape.n_places()),
                               arena.take<std::uint8_t>(shape.n_places()),
                               arena.take<float>(pieces.lists.n_lists),
                               {arena.take<Index>(n)}};
    sort_entries(exec, pieces, sorted, arena);
    build_nodes(exec, shape, BoxBuilder{{shape, sorted.box}, sorted.site});
    find_lengths(exec, pieces, sorted, fraction, begin, arena);
    start_sets(exec, sorted);
    link_places_kernel<<<(n - 1) / (32 * warps_per_block) + 1, 32 * warps_per_block, 0, stream>>>(sorted);
    AUREOLE_CUDA_LAUNCHED("link_places_kernel");
    auto* const smallest = arena.take<Index>(n);
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        smallest[k] = n;
        sorted.sets.flatten(k);
    });
    for_each(exec, n,
             [=] AUREOLE_HD(Index k) { atomic_min(&smallest[sorted.sets.parent[k]], sorted.entry[k]); });
    for_each(exec, n, [=] AUREOLE_HD(Index k) { label[sorted.entry[k]] = smallest[sorted.sets.parent[k]]; });
}

}  // namespace aureole::halo
