// Centres of mass, of all members or in a sphere that shrinks (Power et al. 2003, as
// sim/core/shrinking_sphere does it). A warp owns a short list, a block a long one. Sums run in an order that
// the members' places alone decide: each thread adds every so many-th, then threads are added in halves.
#include "halo/centres/gpu/list_segments.cuh"
#include "halo/centres/gpu/search_steps.hpp"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo::centre_search {
namespace {

constexpr unsigned short_team = 32, long_team = 1024;
constexpr std::uint64_t long_list = 4096;  ///< members from which on a block works on a list

constexpr double shrink_factor = 0.95;
constexpr std::uint64_t least_in_sphere = 50;

struct Kept {
    std::uint64_t n = 0;
    double mass = 0;
    Vec3 moment;

    __device__ Vec3 centre() const { return mass > 0 ? (1 / mass) * moment : Vec3{}; }
};

/// A block that works on one list.
template <unsigned threads>
class Team {
public:
    __device__ double sum(double x)
    {
        x = sum_of_warp(x);
        return combined(x, [](double a, double b) { return a + b; });
    }
    __device__ double largest(double x)
    {
        x = warp_largest(x);
        return combined(x, [](double a, double b) { return fmax(a, b); });
    }
    /// Copies the bodies within `radius` of `centre` to `to`, in order.
    __device__ Kept keep_inner(const Body* from, std::uint64_t n, Vec3 centre, double radius, Body* to)
    {
        Kept kept;
        for (std::uint64_t base = 0; base < n; base += threads) {
            const std::uint64_t k = base + threadIdx.x;
            Body at{};
            bool inside = k < n;
            if (inside) {
                at = from[k];
                const Vec3 d = Vec3{at.x, at.y, at.z} - centre;
                inside = !(dot(d, d) > radius * radius);
            }
            const std::uint64_t place = kept.n + place_of(inside);
            kept.n += n_inside_;
            if (!inside) continue;
            to[place] = at;
            kept.mass += at.mass;
            kept.moment = kept.moment + at.mass * Vec3{at.x, at.y, at.z};
        }
        kept.mass = sum(kept.mass);
        kept.moment = {sum(kept.moment.x), sum(kept.moment.y), sum(kept.moment.z)};
        return kept;
    }

private:
    template <class Combine>
    __device__ double combined(double x, Combine combine)
    {
        if constexpr (threads == 32) return x;
        __shared__ double part[threads / 32];
        __syncthreads();
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
        __syncthreads();
        x = part[0];
        for (unsigned warp = 1; warp < threads / 32; ++warp) x = combine(x, part[warp]);
        return x;
    }

    /// Among the threads whose flag is up, before this one; their number is n_inside_.
    __device__ unsigned place_of(bool inside)
    {
        const unsigned ballot = __ballot_sync(all_lanes, inside), lane = threadIdx.x % 32;
        unsigned place = __popc(ballot & ((1u << lane) - 1));
        n_inside_ = __popc(ballot);
        if constexpr (threads > 32) {
            __shared__ unsigned count[threads / 32];
            __syncthreads();
            if (lane == 0) count[threadIdx.x / 32] = n_inside_;
            __syncthreads();
            n_inside_ = 0;
            for (unsigned warp = 0; warp < threads / 32; ++warp) {
                if (warp == threadIdx.x / 32) place += n_inside_;
                n_inside_ += count[warp];
            }
        }
        return place;
    }

    unsigned n_inside_ = 0;
};

/// Of the n bodies, which are moved about between the two arrays.
template <unsigned threads>
__device__ Vec3 shrunken_centre(Team<threads>& team, Body* bodies, Body* spare, std::uint64_t n)
{
    const std::uint64_t enough = n / 100 > least_in_sphere ? n / 100 : least_in_sphere;
    Vec3 centre = team.keep_inner(bodies, n, {}, infinite, spare).centre();
    double r2 = 0;
    for (std::uint64_t k = threadIdx.x; k < n; k += threads) {
        const Vec3 d = Vec3{bodies[k].x, bodies[k].y, bodies[k].z} - centre;
        r2 = fmax(r2, dot(d, d));
    }
    double radius = sqrt(team.largest(r2));
    while (n > enough && radius > 0) {
        radius *= shrink_factor;
        const Kept kept = team.keep_inner(bodies, n, centre, radius, spare);
        __syncthreads();
        if (kept.n < enough) break;
        n = kept.n;
        centre = kept.centre();
        Body* const inner = spare;
        spare = bodies;
        bodies = inner;
    }
    return centre;
}

/// A block for each list of the team's length; coordinates are relative to the middle of the list.
template <unsigned threads>
__global__ void __launch_bounds__(threads)
    centre_kernel(const __grid_constant__ CentreQuery query, const __grid_constant__ SearchArrays arrays,
                  bool shrinking)
{
    const Index list = blockIdx.x;
    const std::uint64_t begin = query.members.begin[list], n = length_of(query.members, list);
    if ((n >= long_list) != (threads == long_team)) return;
    const ListFrame frame = arrays.frame[list];
    Body *const own = arrays.image + begin, *const spare = arrays.body + begin;
    for (std::uint64_t k = threadIdx.x; k < n; k += threads) {
        const Body at = own[k];
        own[k] = {at.x - frame.middle.x, at.y - frame.middle.y, at.z - frame.middle.z,
                  frame.massless ? 1.0 : at.mass};
    }
    __syncthreads();
    Team<threads> team;
    const Vec3 centre = shrinking ? shrunken_centre(team, own, spare, n)
                                  : team.keep_inner(own, n, {}, infinite, spare).centre();
    if (threadIdx.x == 0) arrays.found[list] = {query.box.wrap(frame.middle + centre), nan(""), ~Index{0}};
}

}  // namespace

void find_centres_of_mass(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                          bool shrinking)
{
    const Index n = query.members.n_lists;
    centre_kernel<short_team><<<n, short_team, 0, stream>>>(query, arrays, shrinking);
    AUREOLE_CUDA_LAUNCHED("centre_kernel");
    centre_kernel<long_team><<<n, long_team, 0, stream>>>(query, arrays, shrinking);
    AUREOLE_CUDA_LAUNCHED("centre_kernel");
}

}  // namespace aureole::halo::centre_search
