// Rotation curves and half-mass radii of all lists: members are sorted by (list, squared distance), exactly,
// and the mass inside is a running sum along each list, over segments: their masses, those before each, then
// member by member.
#include <cmath>

#include "halo/properties/gpu/list_segments.cuh"
#include "halo/properties/rotation_curve.hpp"

namespace aureole::halo::properties {
namespace {

/// One thread per member.
__global__ void key_by_list_kernel(PropertyArrays a)
{
    const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (k < a.members.n_members) a.radial.key[k] = a.key[a.radial.value[k]];
}

__device__ double weight_of(const PropertyArrays& a, const ListFrame& frame, Index slot)
{
    return frame.massless ? 1 : a.mass[slot];
}

/// A warp sums the masses of a segment, where the list has others.
__global__ void __launch_bounds__(warp_block) piece_masses_kernel(PropertyArrays a)
{
    if (warp_number() >= a.n_segments) return;
    const ListSegment segment = a.segment[warp_number()];
    if (segment.length == 0 || segments_of(a.members, segment.list).n == 1) return;
    const ListFrame frame = a.frame[segment.list];
    SegmentSums<1> sums{};
    for (Index k = lane_number(); k < segment.length; k += lanes)
        sums.term[0] += weight_of(a, frame, a.radial.value[segment.begin + k]);
    sum_over_warp(sums);
    if (lane_number() == 0) a.inside[warp_number()] = sums.term[0];
}

/// The sum over this lane and those before it.
__device__ double running_sum(double value)
{
#pragma unroll
    for (Index step = 1; step < lanes; step *= 2) {
        const double before = __shfl_up_sync(all_lanes, value, step);
        if (lane_number() >= step) value += before;
    }
    return value;
}

/// A warp replaces the masses of a list's segments by those of the segments before each.
__global__ void __launch_bounds__(warp_block) masses_before_kernel(PropertyArrays a)
{
    const Index list = warp_number();
    if (list >= a.members.n_lists) return;
    const SegmentRange segments = segments_of(a.members, list);
    if (segments.n == 0) return;
    double before = 0;
    for (Index base = 0; base < segments.n; base += lanes) {
        const Index k = base + lane_number();
        const double mass = k < segments.n && segments.n > 1 ? a.inside[segments.first + k] : 0;
        const double sum = running_sum(mass);
        const double earlier = __shfl_up_sync(all_lanes, sum, 1);
        if (k < segments.n) a.inside[segments.first + k] = lane_number() == 0 ? before : before + earlier;
        before += __shfl_sync(all_lanes, sum, lanes - 1);
    }
}

/// The better of two maxima: the nearer of equal ones.
__device__ void take_better(CurvePart& part, double best, double at)
{
    if (best > part.best || (best == part.best && at < part.at)) {
        part.best = best;
        part.at = at;
    }
}

__device__ void combine_over_warp(CurvePart& part)
{
    for (int step = lanes / 2; step > 0; step /= 2) {
        take_better(part, __shfl_xor_sync(all_lanes, part.best, step),
                    __shfl_xor_sync(all_lanes, part.at, step));
        part.half_squared = std::fmin(part.half_squared, __shfl_xor_sync(all_lanes, part.half_squared, step));
    }
}

/// Before anything was looked at.
__device__ CurvePart no_part() { return {0, 0, HUGE_VAL}; }

/// A warp walks outward along a segment.
__global__ void __launch_bounds__(warp_block) curve_kernel(PropertyArrays a)
{
    if (warp_number() >= a.n_segments) return;
    const ListSegment segment = a.segment[warp_number()];
    if (segment.length == 0) return;
    const ListFrame frame = a.frame[segment.list];
    const std::uint64_t begin = a.members.begin[segment.list];
    const std::uint64_t least = least_for_maximum(a.members.begin[segment.list + 1] - begin);
    const double half = half_of(frame.total);
    double before = a.inside[warp_number()];
    CurvePart part = no_part();
    for (Index base = 0; base < segment.length; base += lanes) {
        const Index k = base + lane_number();
        const bool mine = k < segment.length;
        const Index slot = mine ? a.radial.value[segment.begin + k] : 0;
        const double inside = before + running_sum(mine ? weight_of(a, frame, slot) : 0);
        before = __shfl_sync(all_lanes, inside, lanes - 1);
        if (!mine) continue;
        const double squared = a.squared[slot];
        if (squared > 0 && segment.begin + k + 1 - begin >= least)
            take_better(part, inside * inside / squared, squared);
        if (inside >= half) part.half_squared = std::fmin(part.half_squared, squared);
    }
    combine_over_warp(part);
    if (lane_number() == 0) a.curve[warp_number()] = part;
}

/// A warp combines the segments of a list.
__global__ void __launch_bounds__(warp_block) radii_kernel(PropertyArrays a)
{
    const Index list = warp_number();
    if (list >= a.members.n_lists) return;
    const SegmentRange segments = segments_of(a.members, list);
    if (segments.n == 0) return;
    CurvePart part = no_part();
    for (Index k = lane_number(); k < segments.n; k += lanes) {
        const CurvePart other = a.curve[segments.first + k];
        take_better(part, other.best, other.at);
        part.half_squared = std::fmin(part.half_squared, other.half_squared);
    }
    combine_over_warp(part);
    if (lane_number() != 0) return;
    HaloProperties& row = a.row[list];
    const double mass_per_radius = a.frame[list].massless ? 0 : std::sqrt(part.best);
    row.max_velocity = std::sqrt(a.gravitational_constant * mass_per_radius);
    row.max_velocity_radius = std::sqrt(part.at);
    row.half_mass_radius = std::sqrt(part.half_squared);
    row.extent = std::sqrt(a.squared[a.radial.value[a.members.begin[list + 1] - 1]]);
}

}  // namespace

void key_by_list(Exec exec, const PropertyArrays& a)
{
    constexpr Index block = 256;
    const auto blocks = static_cast<Index>((a.members.n_members - 1) / block + 1);
    key_by_list_kernel<<<blocks, block, 0, exec.stream>>>(a);
    AUREOLE_CUDA_LAUNCHED("key_by_list_kernel");
}

void compute_curves(Exec exec, const PropertyArrays& a)
{
    const Index segments = blocks_of_warps(a.n_segments), lists = blocks_of_warps(a.members.n_lists);
    piece_masses_kernel<<<segments, warp_block, 0, exec.stream>>>(a);
    AUREOLE_CUDA_LAUNCHED("piece_masses_kernel");
    masses_before_kernel<<<lists, warp_block, 0, exec.stream>>>(a);
    AUREOLE_CUDA_LAUNCHED("masses_before_kernel");
    curve_kernel<<<segments, warp_block, 0, exec.stream>>>(a);
    AUREOLE_CUDA_LAUNCHED("curve_kernel");
    radii_kernel<<<lists, warp_block, 0, exec.stream>>>(a);
    AUREOLE_CUDA_LAUNCHED("radii_kernel");
}

}  // namespace aureole::halo::properties
