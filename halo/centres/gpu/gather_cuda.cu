// From particles to the bodies of each list: checked, in one piece of space, scaled, and sorted along a
// curve. A warp owns up to 1024 members of one list.
#include "halo/centres/gpu/list_segments.cuh"
#include "halo/centres/gpu/search_steps.hpp"
#include "sim/core/cuda_check.cuh"
#include "sim/core/device.hpp"
#include "sim/core/spatial/curve_keys.hpp"

namespace aureole::halo::centre_search {
namespace {

/// A thread for each list.
__global__ void check_lists_kernel(MembersView members, SearchArrays arrays, Index tree_members)
{
    const std::uint64_t list = thread_number();
    if (list >= members.n_lists) return;
    const std::uint64_t from = members.begin[list], to = members.begin[list + 1];
    const bool first = list == 0, last = list + 1 == members.n_lists;
    if (from > to || to > members.n_members || (first && from != 0) || (last && to != members.n_members))
        atomicMin(atomic_word(&arrays.report->bad_list), static_cast<unsigned long long>(list));
    else if (from == to)
        atomicMin(atomic_word(&arrays.report->empty_list), static_cast<unsigned long long>(list));
    else
        atomicMax(atomic_word(&arrays.report->longest), static_cast<unsigned long long>(to - from));
    if (from < to && to - from >= tree_members) {
        atomicMax(atomic_word(&arrays.report->lists_to_last_tree), static_cast<unsigned long long>(list + 1));
        atomicMax(atomic_word(&arrays.report->members_to_last_tree), static_cast<unsigned long long>(to));
    }
    ListSummary& summary = arrays.summary[list];
    summary.smallest_id = summary.first_entry = ~std::uint64_t{0};
    for (int axis = 0; axis < 3; ++axis) {
        summary.low[axis] = ordered_bits(infinite);
        summary.high[axis] = ordered_bits(-infinite);
    }
    summary.heaviest = ordered_bits(0.0);
    arrays.best[list] = ordered_bits(-infinite);
    arrays.depth[list] = arrays.deepest[list] = 0;
    arrays.densest[list] = 0;
}

/// A thread for each entry.
__global__ void gather_kernel(const __grid_constant__ CentreQuery query, SearchArrays arrays)
{
    const std::uint64_t entry = thread_number();
    if (entry >= query.members.n_members) return;
    const ConstParticlesView& p = query.particles;
    const Index i = query.members.particle[entry];
    bool usable = i < p.n;
    if (usable) {
        const Vec3 x = p.position.load(i);
        const double mass = p.mass[i];
        usable =
            finite(x) && isfinite(mass) && mass >= 0 && (!query.with_motion || finite(p.velocity.load(i)));
        const Vec3 inside = query.box.wrap(x);
        arrays.image[entry] = {inside.x, inside.y, inside.z, mass};
    }
    if (!usable) atomicMin(atomic_word(&arrays.report->bad_entry), static_cast<unsigned long long>(entry));
}

__global__ void smallest_id_kernel(const __grid_constant__ CentreQuery query, SearchArrays arrays)
{
    const ListSegment segment = own_segment(query.members);
    if (segment.begin == segment.end) return;
    std::uint64_t smallest = ~std::uint64_t{0};
    for (std::uint64_t k = segment.begin + lane_number(); k < segment.end; k += 32) {
        const std::uint64_t id = query.particles.id_of(query.members.particle[k]);
        smallest = id < smallest ? id : smallest;
    }
    smallest = warp_least(smallest);
    if (lane_number() == 0)
        atomicMin(atomic_word(&arrays.summary[segment.list].smallest_id),
                  static_cast<unsigned long long>(smallest));
}

__global__ void first_entry_kernel(const __grid_constant__ CentreQuery query, SearchArrays arrays)
{
    const ListSegment segment = own_segment(query.members);
    if (segment.begin == segment.end) return;
    ListSummary& summary = arrays.summary[segment.list];
    const std::uint64_t smallest = summary.smallest_id;
    for (std::uint64_t k = segment.begin + lane_number(); k < segment.end; k += 32)
        if (query.particles.id_of(query.members.particle[k]) == smallest)
            atomicMin(atomic_word(&summary.first_entry), static_cast<unsigned long long>(k));
}

/// x, moved by whole sides of the box to where it is nearest to `reference`. Unmoved it keeps its bits.
__device__ double image_near(const Box& box, double x, double reference)
{
    const double sides = rint((x - reference) / box.side);
    return sides == 0 ? x : x - sides * box.side;  // one side at most: the product is exact
}

/// Where the list's member with the smallest id is, before anything moves: from the particles, as other warps
/// move images meanwhile.
__device__ Vec3 reference_of(const CentreQuery& query, const ListSummary& summary)
{
    return query.box.wrap(query.particles.position.load(query.members.particle[summary.first_entry]));
}

__global__ void summary_kernel(const __grid_constant__ CentreQuery query, SearchArrays arrays)
{
    const ListSegment segment = own_segment(query.members);
    if (segment.begin == segment.end) return;
    ListSummary& summary = arrays.summary[segment.list];
    const bool periodic = query.box.periodic();
    const Vec3 reference = periodic ? reference_of(query, summary) : Vec3{};
    double low[3] = {infinite, infinite, infinite}, high[3] = {-infinite, -infinite, -infinite}, mass = 0;
    for (std::uint64_t k = segment.begin + lane_number(); k < segment.end; k += 32) {
        Body at = arrays.image[k];
        if (periodic) {
            at.x = image_near(query.box, at.x, reference.x);
            at.y = image_near(query.box, at.y, reference.y);
            at.z = image_near(query.box, at.z, reference.z);
            arrays.image[k] = at;
        }
        const double x[3] = {at.x, at.y, at.z};
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = fmin(low[axis], x[axis]);
            high[axis] = fmax(high[axis], x[axis]);
        }
        mass = fmax(mass, at.mass);
    }
    for (int axis = 0; axis < 3; ++axis) {
        const std::uint64_t lowest = ordered_bits(warp_least(low[axis]));
        const std::uint64_t highest = ordered_bits(warp_largest(high[axis]));
        if (lane_number() != 0) continue;
        atomicMin(atomic_word(&summary.low[axis]), static_cast<unsigned long long>(lowest));
        atomicMax(atomic_word(&summary.high[axis]), static_cast<unsigned long long>(highest));
    }
    mass = warp_largest(mass);
    if (lane_number() == 0)
        atomicMax(atomic_word(&summary.heaviest), static_cast<unsigned long long>(ordered_bits(mass)));
}

/// A thread for each list.
__global__ void frame_kernel(const __grid_constant__ CentreQuery query, SearchArrays arrays)
{
    const std::uint64_t list = thread_number();
    if (list >= query.members.n_lists) return;
    const ListSummary& summary = arrays.summary[list];
    double low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = from_ordered_bits(summary.low[axis]);
        high[axis] = from_ordered_bits(summary.high[axis]);
    }
    arrays.frame[list] =
        frame_of(low, high, from_ordered_bits(summary.heaviest),
                 length_of(query.members, static_cast<Index>(list)), query.softening, query.alike);
}

/// Members that are not sorted, from place n_sorted on, keep their order.
__global__ void key_kernel(const __grid_constant__ CentreQuery query, SearchArrays arrays, int axis_bits,
                           std::uint64_t n_sorted, SortBuffers pairs)
{
    const ListSegment segment = own_segment(query.members);
    if (segment.begin == segment.end) return;
    const ListFrame frame = arrays.frame[segment.list];
    const bool has_tree = length_of(query.members, segment.list) >= query.tree_members;
    for (std::uint64_t k = segment.begin + lane_number(); k < segment.end; k += 32) {
        if (frame.massless) arrays.image[k].mass = 1;
        pairs.value[k] = static_cast<Index>(k);
        if (k >= n_sorted) {
            pairs.spare_value[k] = static_cast<Index>(k);
            continue;
        }
        const Body at = arrays.image[k];
        std::uint32_t cell[3] = {cell_of(at.x - frame.middle.x, frame.longest, axis_bits),
                                 cell_of(at.y - frame.middle.y, frame.longest, axis_bits),
                                 cell_of(at.z - frame.middle.z, frame.longest, axis_bits)};
        pairs.key[k] = std::uint64_t{segment.list} << 3 * axis_bits |
                       (has_tree ? hilbert_key(cell, axis_bits) : std::uint64_t{0});
    }
}

__global__ void place_kernel(const __grid_constant__ CentreQuery query, SearchArrays arrays)
{
    const ListSegment segment = own_segment(query.members);
    if (segment.begin == segment.end) return;
    const ListFrame frame = arrays.frame[segment.list];
    for (std::uint64_t place = segment.begin + lane_number(); place < segment.end; place += 32)
        arrays.body[place] = scaled(arrays.image[arrays.order[place]], frame);
}

/// Densities of buckets with fewer members say little.
constexpr Index least_in_dense_bucket = bucket_size / 2;

/// A thread for each bucket.
__global__ void bucket_kernel(const __grid_constant__ MembersView members,
                              const __grid_constant__ SearchArrays arrays)
{
    const std::uint64_t bucket = thread_number();
    if (bucket >= most_segments(members, bucket_size)) return;
    const ListSegment segment = segment_at(members, bucket, bucket_size);
    const auto n = static_cast<Index>(segment.end - segment.begin);
    arrays.bucket_list[bucket] = segment.list;
    arrays.mask[bucket] = n == 0 ? 0 : all_lanes >> (32 - n);
    if (n == 0 || (n < least_in_dense_bucket && bucket_size < length_of(members, segment.list))) return;
    const TreeNode& node = arrays.node[bucket];
    float longest = 1e-15f;
    for (int axis = 0; axis < 3; ++axis) longest = fmaxf(longest, node.below[axis] + node.above[axis]);
    const float density = node.mass / longest;
    const std::uint64_t place = (segment.begin - members.begin[segment.list]) / bucket_size;
    atomicMax(atomic_word(&arrays.densest[segment.list]),
              static_cast<unsigned long long>(std::uint64_t{__float_as_uint(density)} << 32 | place));
}

}  // namespace

void start_buckets(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays)
{
    const MembersView& members = query.members;
    bucket_kernel<<<blocks_for_threads(most_segments(members, bucket_size)), block, 0, stream>>>(members,
                                                                                                 arrays);
    AUREOLE_CUDA_LAUNCHED("bucket_kernel");
}

void gather(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays)
{
    const MembersView& members = query.members;
    const InputReport fine{members.n_members, members.n_lists, members.n_lists, 0, 0, 0};
    device::copy(stream, arrays.report, &fine, sizeof fine);
    check_lists_kernel<<<blocks_for_threads(members.n_lists), block, 0, stream>>>(members, arrays,
                                                                                  query.tree_members);
    AUREOLE_CUDA_LAUNCHED("check_lists_kernel");
    gather_kernel<<<blocks_for_threads(members.n_members), block, 0, stream>>>(query, arrays);
    AUREOLE_CUDA_LAUNCHED("gather_kernel");
}

void frame_lists(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays)
{
    const unsigned blocks = blocks_for_segments(query.members);
    if (query.box.periodic()) {
        smallest_id_kernel<<<blocks, block, 0, stream>>>(query, arrays);
        AUREOLE_CUDA_LAUNCHED("smallest_id_kernel");
        first_entry_kernel<<<blocks, block, 0, stream>>>(query, arrays);
        AUREOLE_CUDA_LAUNCHED("first_entry_kernel");
    }
    summary_kernel<<<blocks, block, 0, stream>>>(query, arrays);
    AUREOLE_CUDA_LAUNCHED("summary_kernel");
    frame_kernel<<<blocks_for_threads(query.members.n_lists), block, 0, stream>>>(query, arrays);
    AUREOLE_CUDA_LAUNCHED("frame_kernel");
}

void make_keys(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays, int axis_bits,
               std::uint64_t n_sorted, const SortBuffers& pairs)
{
    key_kernel<<<blocks_for_segments(query.members), block, 0, stream>>>(query, arrays, axis_bits, n_sorted,
                                                                         pairs);
    AUREOLE_CUDA_LAUNCHED("key_kernel");
}

void place_bodies(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays)
{
    place_kernel<<<blocks_for_segments(query.members), block, 0, stream>>>(query, arrays);
    AUREOLE_CUDA_LAUNCHED("place_kernel");
}

}  // namespace aureole::halo::centre_search
