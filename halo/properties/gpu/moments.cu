// Sums over the members of every list: first masses, types and means, while members are gathered into the
// order of the lists; then what is relative to the means. One warp sums a segment, lane by lane and then over
// the lanes; another the segments of a list in the same way.
#include "halo/properties/gpu/list_segments.cuh"
#include "sim/core/atomics.hpp"

namespace aureole::halo::properties {
namespace {

/// One thread per place of a segment: finds the list by halving.
__global__ void find_pieces_kernel(PropertyArrays a)
{
    const Index place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place == 0) *a.fault = {MemberFaults::none, MemberFaults::none};
    if (place >= a.n_segments) return;
    Index low = 0, high = a.members.n_lists - 1;
    while (low < high) {
        const Index middle = high - (high - low) / 2;
        if (first_segment(a.members.begin[middle], middle) <= place)
            low = middle;
        else
            high = middle - 1;
    }
    const std::uint64_t begin = a.members.begin[low], end = a.members.begin[low + 1];
    const std::uint64_t from = begin + (place - first_segment(begin, low)) * std::uint64_t{segment_size};
    const std::uint64_t left = from < end ? end - from : 0;
    a.segment[place] = {low, static_cast<Index>(left < segment_size ? left : segment_size), from};
}

/// The particle at place `slot` of the lists; the first where there is no such particle, which is noted.
__device__ Index particle_at(const PropertyArrays& a, std::uint64_t slot)
{
    const Index i = a.members.particle[slot];
    if (i < a.particles.n) return i;
    atomic_min(&a.fault->particle, slot);
    return 0;
}

/// All that is read of a particle, so that no read waits for what is done with another.
struct Member {
    double mass;
    Vec3 position, velocity;
    int type;
    double potential;
};

__device__ Member member_of(const PropertyArrays& a, Index i, std::uint64_t slot)
{
    const ConstParticlesView& p = a.particles;
    return {p.mass[i], p.position.load(i), p.velocity.load(i), p.type_of(i),
            a.potential ? a.potential[slot] : 0};
}

/// `x` and `v` are the member's, relative to the origin of the list.
__device__ void add_first(SegmentSums<first_term::width>& sums, const Member& m, Vec3 x, Vec3 v)
{
    const double mass = m.mass;
    sums.term[first_term::mass] += mass;
#pragma unroll
    for (int t = 0; t < n_particle_types; ++t)
        if (m.type == t) {
            sums.term[first_term::count + t] += 1;
            sums.term[first_term::type_mass + t] += mass;
        }
    const double state[6] = {x.x, x.y, x.z, v.x, v.y, v.z};
#pragma unroll
    for (int k = 0; k < 6; ++k) {
        sums.term[first_term::weighted + k] += mass * state[k];
        sums.term[first_term::plain + k] += state[k];
    }
    sums.term[first_term::potential] += mass * m.potential;
}

/// A warp gathers and sums a segment.
__global__ void __launch_bounds__(warp_block) gather_kernel(PropertyArrays a)
{
    if (warp_number() >= a.n_segments) return;
    const ListSegment segment = a.segment[warp_number()];
    if (segment.length == 0) return;
    const ConstParticlesView& p = a.particles;
    const Index first = particle_at(a, a.members.begin[segment.list]);
    const Vec3 origin = a.box.wrap(a.centre ? a.centre[segment.list] : p.position.load(first));
    const Vec3 first_velocity = p.velocity.load(first);
    SegmentSums<first_term::width> sums{};
    for (Index k = lane_number(); k < segment.length; k += lanes) {
        const std::uint64_t slot = segment.begin + k;
        const Index i = particle_at(a, slot);
        const Member m = member_of(a, i, slot);
        if (m.type >= n_particle_types) atomic_min(&a.fault->type, slot);
        const Vec3 x = a.box.nearest(a.box.wrap(m.position) - origin), v = m.velocity - first_velocity;
        a.mass[slot] = m.mass;
        a.position.store(slot, x);
        a.velocity.store(slot, v);
        add_first(sums, m, x, v);
    }
    sum_over_warp(sums);
    if (lane_number() == 0) a.first[warp_number()] = sums;
}

__device__ Vec3 vector_of(const double* term, double factor)
{
    return {factor * term[0], factor * term[1], factor * term[2]};
}

__device__ SymmetricTensor tensor_of(const double* term, double factor)
{
    return {factor * term[0], factor * term[1], factor * term[2],
            factor * term[3], factor * term[4], factor * term[5]};
}

__device__ void set_types(HaloProperties& row, const SegmentSums<first_term::width>& sums)
{
    const double* const n = sums.term + first_term::count;
    const double* const m = sums.term + first_term::type_mass;
    const auto count = [&](int t) { return static_cast<std::int64_t>(n[t]); };
    row.n_members_by_type = {count(0), count(1), count(2), count(3), count(4), count(5)};
    row.mass_by_type = {m[0], m[1], m[2], m[3], m[4], m[5]};
}

/// Masses, centres and mean velocity of a list that has members.
__device__ void set_means(const PropertyArrays& a, Index list, const SegmentSums<first_term::width>& sums,
                          HaloProperties& row)
{
    const Index first = particle_at(a, a.members.begin[list]);
    const Vec3 origin = a.box.wrap(a.centre ? a.centre[list] : a.particles.position.load(first));
    row.mass = sums.term[first_term::mass];
    set_types(row, sums);
    const bool massless = !(row.mass > 0);
    const double total = massless ? static_cast<double>(row.n_members) : row.mass;
    const double* const means = sums.term + (massless ? first_term::plain : first_term::weighted);
    const Vec3 middle = vector_of(means, 1 / total), velocity = vector_of(means + 3, 1 / total);
    row.centre_of_mass = a.box.wrap(origin + middle);
    if (a.centre)
        row.offset = -1.0 * middle;
    else
        row.centre = row.centre_of_mass;
    row.velocity = a.particles.velocity.load(first) + velocity;
    if (a.potential) row.potential_energy = massless ? 0 : sums.term[first_term::potential] / 2;
    a.frame[list] = {a.centre ? Vec3{} : middle, velocity, total, massless};
}

/// A warp adds the segments of a list.
__global__ void __launch_bounds__(warp_block) means_kernel(PropertyArrays a)
{
    const Index list = warp_number();
    if (list >= a.members.n_lists) return;
    const SegmentRange segments = segments_of(a.members, list);
    const SegmentSums<first_term::width> sums = sum_of_segments(a.first, segments);
    if (lane_number() != 0) return;
    HaloProperties row;
    if (a.centre) row.centre = a.box.wrap(a.centre[list]);
    row.n_members = static_cast<std::int64_t>(a.members.begin[list + 1] - a.members.begin[list]);
    if (row.n_members > 0) set_means(a, list, sums, row);
    a.row[list] = row;
}

/// term[0..5] += w u_i u_j.
__device__ void add_tensor(double* term, double weight, Vec3 u)
{
    const Vec3 wu = weight * u;
    term[0] += wu.x * u.x;
    term[1] += wu.y * u.y;
    term[2] += wu.z * u.z;
    term[3] += wu.x * u.y;
    term[4] += wu.x * u.z;
    term[5] += wu.y * u.z;
}

/// A warp sums a segment about the centre and the mean velocity, and notes distances.
__global__ void __launch_bounds__(warp_block) moments_kernel(PropertyArrays a)
{
    if (warp_number() >= a.n_segments) return;
    const ListSegment segment = a.segment[warp_number()];
    if (segment.length == 0) return;
    const ListFrame frame = a.frame[segment.list];
    SegmentSums<moment_term::width> sums{};
    for (Index k = lane_number(); k < segment.length; k += lanes) {
        const auto slot = static_cast<Index>(segment.begin + k);
        const double mass = a.mass[slot];
        const Vec3 from_origin = a.position.load(slot), v = a.velocity.load(slot) - frame.velocity;
        const double weight = frame.massless ? 1 : mass;
        const Vec3 x = a.box.nearest(from_origin - frame.position);
        const double squared = dot(x, x);
        add_tensor(sums.term + moment_term::velocity, weight, v);
        const Vec3 spin = cross(x, v);
        sums.term[moment_term::spin] += weight * spin.x;
        sums.term[moment_term::spin + 1] += weight * spin.y;
        sums.term[moment_term::spin + 2] += weight * spin.z;
        add_tensor(sums.term + moment_term::plain, weight, x);
        if (squared > 0) add_tensor(sums.term + moment_term::reduced, weight, 1 / std::sqrt(squared) * x);
        const auto bits = static_cast<std::uint64_t>(__double_as_longlong(squared));
        a.squared[slot] = squared;
        a.key[slot] = std::uint64_t{segment.list} << high_bits | (bits >> 32 & 0x7fffffffu);
        a.radial.key[slot] = bits & 0xffffffffu;
        a.radial.value[slot] = slot;
    }
    sum_over_warp(sums);
    if (lane_number() == 0) a.moments[warp_number()] = sums;
}

/// A warp adds the segments of a list. The tensors that shapes are made of stay in its first segment.
__global__ void __launch_bounds__(warp_block) tensors_kernel(PropertyArrays a)
{
    const Index list = warp_number();
    if (list >= a.members.n_lists) return;
    const SegmentRange segments = segments_of(a.members, list);
    if (segments.n == 0) return;
    const SegmentSums<moment_term::width> sums = sum_of_segments(a.moments, segments);
    if (lane_number() != 0) return;
    const double part = 1 / a.frame[list].total;
    a.moments[segments.first] = sums;
    HaloProperties& row = a.row[list];
    const SymmetricTensor t = tensor_of(sums.term + moment_term::velocity, part);
    row.velocity_dispersion = t;
    row.dispersion = std::sqrt((t.xx + t.yy + t.zz) / 3);
    row.angular_momentum = vector_of(sums.term + moment_term::spin, part);
    row.kinetic_energy = 1.5 * row.mass * row.dispersion * row.dispersion;
    if (row.potential_energy < 0) row.virial_ratio = -2 * row.kinetic_energy / row.potential_energy;
}

/// One thread per list and tensor.
__global__ void shapes_kernel(PropertyArrays a)
{
    const Index k = blockIdx.x * blockDim.x + threadIdx.x, list = k / 2;
    if (list >= a.members.n_lists) return;
    const SegmentRange segments = segments_of(a.members, list);
    if (segments.n == 0) return;
    const double part = 1 / a.frame[list].total;
    const double* const term = a.moments[segments.first].term;
    if (k % 2 == 0)
        a.row[list].shape = shape_of(tensor_of(term + moment_term::plain, part));
    else
        a.row[list].reduced_shape = shape_of(tensor_of(term + moment_term::reduced, part));
}

}  // namespace

void compute_moments(Exec exec, const PropertyArrays& a)
{
    constexpr Index block = 256, shape_block = 64;
    const Index segments = blocks_of_warps(a.n_segments), lists = blocks_of_warps(a.members.n_lists);
    find_pieces_kernel<<<(a.n_segments - 1) / block + 1, block, 0, exec.stream>>>(a);
    AUREOLE_CUDA_LAUNCHED("find_pieces_kernel");
    gather_kernel<<<segments, warp_block, 0, exec.stream>>>(a);
    AUREOLE_CUDA_LAUNCHED("gather_kernel");
    means_kernel<<<lists, warp_block, 0, exec.stream>>>(a);
    AUREOLE_CUDA_LAUNCHED("means_kernel");
    moments_kernel<<<segments, warp_block, 0, exec.stream>>>(a);
    AUREOLE_CUDA_LAUNCHED("moments_kernel");
    tensors_kernel<<<lists, warp_block, 0, exec.stream>>>(a);
    AUREOLE_CUDA_LAUNCHED("tensors_kernel");
    const auto shapes = static_cast<Index>((2 * std::uint64_t{a.members.n_lists} - 1) / shape_block + 1);
    shapes_kernel<<<shapes, shape_block, 0, exec.stream>>>(a);
    AUREOLE_CUDA_LAUNCHED("shapes_kernel");
}

}  // namespace aureole::halo::properties
