// What a warp keeps in shared memory while it walks: nodes to look at, and lists of sources that wait until
// there are enough for all lanes to read together. Lists are rings of two halves: 32 entries are summed as
// soon as they are there, so that up to 32 more always fit. Then the arithmetic of the walk: one entry of a
// list for the target of a lane, and sums over a warp.
#pragma once

#include "gravity/inverse_root.cuh"
#include "gravity/pair.hpp"
#include "gravity/tree/build.hpp"
#include "gravity/tree/local_expansion.hpp"
#include "gravity/tree/walk_task.hpp"
#include "sim/core/sums/warp_sums.cuh"

namespace aureole::gravity::tree {

inline constexpr unsigned lanes = 32;  ///< threads of a warp
inline constexpr unsigned ring_size = 2 * lanes;
inline constexpr unsigned queue_size = 1024;  ///< inner nodes
/// Left free in the queue: depth first, one node at a time, needs no more than the tree is deep. The step
/// before may leave as many as it took.
inline constexpr unsigned queue_reserve = deepest_level + lanes;

/// Distant nodes that enter the local expansion together: its sum over the lanes is worth many of them.
inline constexpr unsigned far_size = 8 * lanes;

/// Four numbers that are read in one go.
template <class T>
struct alignas(16) Quad {
    T x, y, z, w;
};

/// How many lanes below this one are members.
__device__ inline unsigned rank_in(unsigned members)
{
    return __popc(members & ((1u << threadIdx.x % lanes) - 1));
}

inline constexpr Index no_particle = ~Index{0};

/// Relative to the group's origin in its units. Cells: (x y z m) (xx xy xz yy) (yz zz trace eps), moments
/// times 3/2, their trace over 3. Bodies outside the group's box: (x y z m). Close ones: the same, what float
/// cut off of x y z, and the particle's index.
template <class T, bool general>
struct SourceLists {
    Quad<T> cell[3][ring_size];
    Quad<T> body[ring_size];
    Quad<T> close[ring_size];
    T close_rest[3][ring_size];
    Index close_index[ring_size];
    T body_softening[general ? ring_size : 1], close_softening[general ? ring_size : 1];
    Index queue[queue_size];  ///< inner nodes to look into
    unsigned count;           ///< told to other warps

    // massless entries outside the box

    __device__ void clear_cell(unsigned k)
    {
        cell[0][k] = {64, 0, 0, 0};
        cell[1][k] = cell[2][k] = {0, 0, 0, 0};
    }
    __device__ void clear_body(unsigned k)
    {
        body[k] = {64, 0, 0, 0};
        if constexpr (general) body_softening[k] = 0;
    }
    __device__ void clear_close(unsigned k)
    {
        close[k] = {64, 0, 0, 0};
        close_rest[0][k] = close_rest[1][k] = close_rest[2][k] = 0;
        close_index[k] = no_particle;
        if constexpr (general) close_softening[k] = 0;
    }
};

/// Those of the tree solver's walk, which has a local expansion.
template <class T, bool general>
struct WarpLists : SourceLists<T, general> {
    Index far[far_size];  ///< slots of nodes for it
    T local[n_local];
};

/// Of warps of a block that have lists side by side: the sum of all their counts, and in `before` of those of
/// lower parts. `lists` are those of `part`.
template <class T, bool general>
__device__ inline unsigned counts_before(WarpLists<T, general>& lists, unsigned part, unsigned n_parts,
                                         unsigned mine, unsigned& before)
{
    WarpLists<T, general>* const first = &lists - part;
    if (threadIdx.x % lanes == 0) lists.count = mine;
    __syncthreads();
    unsigned all = 0;
    for (unsigned of = 0; of < n_parts; ++of) {
        if (of == part) before = all;
        all += first[of].count;
    }
    return all;
}

/// Adds the sums of other warps to those of the first, in their order: of n_parts warps of a block that have
/// lists side by side and need them no more. `lists` are those of `part`.
template <class T, bool general>
__device__ inline void add_parts(WarpLists<T, general>& lists, unsigned part, unsigned n_parts,
                                 double (&sums)[4])
{
    static_assert(sizeof lists.cell >= 4 * lanes * sizeof(double));
    WarpLists<T, general>* const first = &lists - part;
    const unsigned lane = threadIdx.x % lanes;
    const auto sum_of = [&](unsigned of, unsigned k) -> double& {
        return reinterpret_cast<double*>(first[of].cell)[k * lanes + lane];
    };
    __syncwarp();
    for (unsigned k = 0; k < 4; ++k) sum_of(part, k) = sums[k];
    __syncthreads();
    for (unsigned of = 1; of < n_parts && part == 0; ++of)
        for (unsigned k = 0; k < 4; ++k) sums[k] += sum_of(of, k);
}

/// A ring's state, the same in all lanes.
struct Ring {
    unsigned start = 0, count = 0;

    __device__ unsigned place(unsigned k) const { return (start + count + k) % ring_size; }
    __device__ bool has_batch() const { return count >= lanes; }
    __device__ void drop_batch()
    {
        start = (start + lanes) % ring_size;
        count -= lanes;
    }
};

inline constexpr unsigned all_lanes = 0xffffffffu;  ///< all lanes of a warp

__device__ inline double least_of_warp(double x)
{
    for (int step = 16; step > 0; step /= 2) x = fmin(x, __shfl_xor_sync(all_lanes, x, step));
    return x;
}
__device__ inline double largest_of_warp(double x)
{
    for (int step = 16; step > 0; step /= 2) x = fmax(x, __shfl_xor_sync(all_lanes, x, step));
    return x;
}

/// Whether the lane before this one has another place, or there is none.
__device__ inline bool begins_place(Vec3 x)
{
    const Vec3 before{__shfl_up_sync(all_lanes, x.x, 1), __shfl_up_sync(all_lanes, x.y, 1),
                      __shfl_up_sync(all_lanes, x.z, 1)};
    return threadIdx.x % lanes == 0 || x.x != before.x || x.y != before.y || x.z != before.z;
}

/// The least of the lanes' distances that are not zero, as a tree axis measures; 0 where all are.
__device__ inline double nearest_of_warp(Vec3 d)
{
    constexpr double none = 1e300;
    const double apart = fmax(fmax(fabs(d.x), fabs(d.y)), fabs(d.z));
    const double nearest = least_of_warp(apart > 0 ? apart : none);
    return nearest < none ? nearest : 0;
}

template <class T>
__device__ inline T in_group(double x, double origin, double scale)
{
    return static_cast<T>((x - origin) * scale);
}

/// A coordinate in units of a group, and what T cuts off of it.
template <class T>
__device__ inline void split(double x, double origin, double scale, T& high, T& rest)
{
    const double difference = x - origin, place = difference * scale;
    high = static_cast<T>(place);
    if constexpr (sizeof(T) == sizeof(float)) {
        rest = static_cast<T>(place - high);
    } else {  // what the difference itself lost (Knuth)
        const double back = difference - x;
        rest = ((x - (difference - back)) - (origin + back)) * scale;
    }
}

/// A target of a lane, in units of its group.
template <class T>
struct Target {
    T x, y, z;
    T rest_x, rest_y, rest_z;  ///< what T cut off
    T softening;
    Index particle;
    T ax, ay, az, phi;  ///< of the batches since the last flush; phi is positive
};

/// Force over distance times mass, and potential: of a pair with squared distance r2.
template <class T>
struct PairForce {
    T force, potential;
};

/// Plummer softening with eps^2 = soft2, not both zero.
template <class T>
__device__ inline PairForce<T> plummer_pair_force(T mass, T r2, T soft2)
{
    const T inv = inverse_root(r2 + soft2), potential = mass * inv;
    return {potential * (inv * inv), potential};
}

template <class T, bool general>
__device__ inline PairForce<T> pair_force(T mass, T r2, T eps, bool spline)
{
    if constexpr (general)
        if (spline && eps > 0) {
            const PairKernel<T> k = spline_pair(r2, static_cast<T>(spline_support) * eps);
            return {mass * k.force, -mass * k.potential};
        }
    return plummer_pair_force(mass, r2, eps * eps);
}

template <class T>
__device__ inline T larger(T a, T b)
{
    return a > b ? a : b;
}

template <class T, bool general>
__device__ inline void add_body(const WarpLists<T, general>& lists, unsigned k, bool spline, Target<T>& t)
{
    const auto s = lists.body[k];
    const T dx = s.x - t.x, dy = s.y - t.y, dz = s.z - t.z;
    PairForce<T> f;
    if constexpr (general) {
        const T r2 = fma(dx, dx, fma(dy, dy, dz * dz));
        f = pair_force<T, true>(s.w, r2, larger(t.softening, lists.body_softening[k]), spline);
    } else {
        const T inv = inverse_root(fma(dx, dx, fma(dy, dy, fma(dz, dz, t.softening * t.softening))));
        f.potential = s.w * inv;
        f.force = f.potential * (inv * inv);
    }
    t.ax = fma(f.force, dx, t.ax);
    t.ay = fma(f.force, dy, t.ay);
    t.az = fma(f.force, dz, t.az);
    t.phi += f.potential;
}

/// Squared distances, softening included, from which two floats keep the digits of a distance and forces
/// are inside the range of float.
inline constexpr float least_float_pair = 1e-16f;

/// A body among the targets or beyond float's range: not the target itself. False, with nothing added, when
/// the pair is too close or too far for T.
template <class T, bool general>
__device__ inline bool add_close(const WarpLists<T, general>& lists, unsigned k, bool spline, Target<T>& t)
{
    const auto s = lists.close[k];
    const T dx = (s.x - t.x) + (lists.close_rest[0][k] - t.rest_x);
    const T dy = (s.y - t.y) + (lists.close_rest[1][k] - t.rest_y);
    const T dz = (s.z - t.z) + (lists.close_rest[2][k] - t.rest_z);
    T eps = t.softening;
    if constexpr (general) eps = larger(eps, lists.close_softening[k]);
    const T r2 = fma(dx, dx, fma(dy, dy, dz * dz));
    if (lists.close_index[k] == t.particle) return true;
    if (!(fma(eps, eps, r2) > least_float_pair) || r2 > bodies_beyond * bodies_beyond) return false;
    const PairForce<T> f = pair_force<T, general>(s.w, r2, eps, spline);
    t.ax = fma(f.force, dx, t.ax);
    t.ay = fma(f.force, dy, t.ay);
    t.az = fma(f.force, dz, t.az);
    t.phi += f.potential;
    return true;
}

/// A cell: monopole and second moments, softened as a whole (see is_softened_alike). With P the second
/// moments times 3/2, p = P x, w = x.p / s^2 - tr P / 3, s^2 = x^2 + eps^2: phi = -(m + w / s^2) / s,  a = (x
/// (m + (5 w + 2/3 tr P) / s^2) - 2 p / s^2) / s^3.
template <class T, bool general>
__device__ inline void add_cell(const WarpLists<T, general>& lists, unsigned k, bool spline, Target<T>& t)
{
    const auto a = lists.cell[0][k];
    const auto b = lists.cell[1][k];
    const auto c = lists.cell[2][k];
    const T dx = a.x - t.x, dy = a.y - t.y, dz = a.z - t.z;
    T eps = t.softening;
    if constexpr (general) eps = spline ? T(0) : larger(eps, c.w);
    const T inv = inverse_root(fma(dx, dx, fma(dy, dy, fma(dz, dz, eps * eps)))), inv2 = inv * inv;
    const T px = fma(b.x, dx, fma(b.y, dy, b.z * dz));
    const T py = fma(b.y, dx, fma(b.w, dy, c.x * dz));
    const T pz = fma(b.z, dx, fma(c.x, dy, c.y * dz));
    const T w = fma(fma(dx, px, fma(dy, py, dz * pz)), inv2, -c.z);
    t.phi = fma(inv, fma(inv2, w, a.w), t.phi);
    const T inv3 = inv * inv2;
    const T radial = inv3 * fma(inv2, fma(T(5), w, c.z + c.z), a.w), across = -2 * (inv2 * inv3);
    t.ax = fma(radial, dx, fma(across, px, t.ax));
    t.ay = fma(radial, dy, fma(across, py, t.ay));
    t.az = fma(radial, dz, fma(across, pz, t.az));
}

/// Translates the first `n` nodes of lists.far to the group's origin. Lanes take them in turn; their
/// expansions are added up in the order of a butterfly.
template <class T, bool general>
__device__ inline void sum_far_nodes(WarpLists<T, general>& lists, unsigned n, const TreeView& tree,
                                     double origin_x, double origin_y, double origin_z, double scale,
                                     float softening2, bool has_local)
{
    const unsigned lane = threadIdx.x % lanes;
    T sum[n_local] = {};
    __syncwarp();
    for (unsigned k = lane; k < n; k += lanes) {
        const Index slot = lists.far[k];
        const NodeHead head = tree.heads[slot];
        const NodeTail tail = tree.tails[slot];
        const T b = head.radius * static_cast<T>(scale), unit = b * b, soft2 = softening2;
        const T x = static_cast<T>((head.x - origin_x) * scale);
        const T y = static_cast<T>((head.y - origin_y) * scale);
        const T z = static_cast<T>((head.z - origin_z) * scale);
        add_to_local(DistantCell<T>{x, y, z, head.mass, unit * tail.xx, unit * tail.xy, unit * tail.xz,
                                    unit * tail.yy, unit * tail.yz, unit * tail.zz},
                     inverse_root(fma(x, x, fma(y, y, fma(z, z, soft2)))), soft2, sum);
    }
    T mine = 0;  // of coefficient `lane`
#pragma unroll
    for (unsigned c = 0; c < n_local; ++c) {
        sum[c] = sum_of_warp(sum[c]);
        if (lane == c) mine = sum[c];
    }
    if (lane < n_local) lists.local[lane] = has_local ? lists.local[lane] + mine : mine;
    __syncwarp();
}

}  // namespace aureole::gravity::tree
