// Shrinking spheres of several sets of particles at once, in one kernel without a word to the host: all
// blocks meet after each shrinking. A warp owns a run of each set's members and keeps those inside in two
// lists, the last sphere's and the one that is tried; sums run over fixed runs in fixed order, so that the
// bits do not depend on how many blocks the GPU holds.
#include <cooperative_groups.h>

#include "sim/core/cuda_check.cuh"
#include "sim/core/shrinking_sphere.hpp"
#include "sim/core/sums/block_reduce.cuh"

namespace aureole::detail {
namespace {

constexpr unsigned threads = 256, warps = threads / 32, segments = 512, all_lanes = 0xffffffffu;
constexpr Index most_sets = 16, none = 0xffffffffu;

/// What the members of a segment, or of a set, add up to.
struct Kept {
    double n = 0, mass = 0, x = 0, y = 0, z = 0, r2 = 0;  ///< r2: largest, where it is asked for

    __device__ void add(double m, Vec3 v)
    {
        n += 1;
        mass += m;
        x += m * v.x;
        y += m * v.y;
        z += m * v.z;
    }
    __device__ Vec3 mean() const { return mass > 0 ? (1 / mass) * Vec3{x, y, z} : Vec3{}; }
};

struct Combine {
    __device__ Kept operator()(const Kept& a, const Kept& b) const
    {
        return {a.n + b.n, a.mass + b.mass, a.x + b.x, a.y + b.y, a.z + b.z, fmax(a.r2, b.r2)};
    }
};

struct Task {
    ConstParticlesView particles;
    Index n_sets;
    SphereMembers set[most_sets];
    Index offset[most_sets];  ///< of the set's lists
    Index* list[2];
    Index* count[2];  ///< per set, segment and warp
    Kept* partial;    ///< two of n_sets * segments
    DeviceSphere* found;
};

struct SetState {
    Vec3 centre;
    double radius, n;
    int current;  ///< which of the lists holds the members
    bool done;
};

class Search {
public:
    __device__ Search(const Task& task, SetState* state) : task_(task), state_(state) {}

    __device__ void run()
    {
        start();
        while (shrinks()) {
            each_segment([&](Index k, Index place) { return inner(k, place); }, true);
            take_totals([](SetState& s, const Kept& all, double enough) {
                s.radius *= shrink_factor;
                s.done = all.n < enough;
                if (s.done) return;
                const Vec3 moved = all.mean() - s.centre;
                s.n = all.n;
                s.centre = all.mean();
                s.current ^= 1;
                // spheres that reach beyond the farthest member would change nothing
                const double reach = (sqrt(all.r2) + sqrt(dot(moved, moved))) * (1 + 1e-12);
                while (s.radius * shrink_factor > reach && isfinite(s.radius)) s.radius *= shrink_factor;
            });
        }
        write();
    }

private:
    __device__ Index n_in_range(Index k) const { return task_.set[k].range.size(); }
    __device__ double enough(Index k, double n) const
    {
        const double hundredth = floor(n / 100);
        return hundredth > least_in_sphere ? hundredth : static_cast<double>(least_in_sphere);
    }

    /// First member of the run of a warp, counted from the begin of the set.
    __device__ Index run_begin(Index k, Index place) const
    {
        const std::size_t runs = segments * warps;
        const std::size_t at = std::size_t{place % segments} * warps + threadIdx.x / 32;
        return static_cast<Index>(n_in_range(k) * at / runs);
    }
    __device__ Index run_end(Index k, Index place) const
    {
        const std::size_t runs = segments * warps;
        const std::size_t at = std::size_t{place % segments} * warps + threadIdx.x / 32 + 1;
        return static_cast<Index>(n_in_range(k) * at / runs);
    }

    /// Sums of every segment of the sets that still shrink (or of all), one block each, then the blocks meet.
    template <class Sum>
    __device__ void each_segment(Sum sum, bool shrinking_only)
    {
        parity_ ^= 1;
        Kept* const to = task_.partial + std::size_t{parity_} * task_.n_sets * segments;
        for (Index place = blockIdx.x; place < task_.n_sets * segments; place += gridDim.x) {
            const Index k = place / segments;
            if (shrinking_only && state_[k].done) continue;
            const Kept kept = reduced_over_block<threads>(sum(k, place), Combine{});
            if (threadIdx.x == 0) to[place] = kept;
        }
        cooperative_groups::this_grid().sync();
    }

    /// `take(state, totals of the set, members that are enough)` for each set that still shrinks.
    template <class Take>
    __device__ void take_totals(Take take)
    {
        const Kept* const from = task_.partial + std::size_t{parity_} * task_.n_sets * segments;
        for (Index k = 0; k < task_.n_sets; ++k) {
            if (state_[k].done) continue;
            Kept mine;
            for (Index s = threadIdx.x; s < segments; s += threads)
                mine = Combine{}(mine, from[k * segments + s]);
            const Kept all = reduced_over_block<threads>(mine, Combine{});
            if (threadIdx.x == 0) {
                take(state_[k], all, enough_[k]);
                if (!(state_[k].n > enough_[k] && state_[k].radius > 0 && isfinite(state_[k].radius)))
                    state_[k].done = true;
            }
            __syncthreads();
        }
    }

    __device__ bool shrinks() const
    {
        for (Index k = 0; k < task_.n_sets; ++k)
            if (!state_[k].done) return true;
        return false;
    }

    /// Lists of all members, their centres of mass, and the distance of the farthest.
    __device__ void start()
    {
        for (Index k = threadIdx.x; k < task_.n_sets; k += threads) state_[k] = {{}, 1, 1e300, 0, false};
        for (Index k = 0; k < most_sets; ++k) enough_[k] = 0;
        __syncthreads();
        each_segment([&](Index k, Index place) { return gathered(k, place); }, false);
        take_totals([](SetState& s, const Kept& all, double) {
            s.n = all.n;
            s.centre = all.mean();
        });
        for (Index k = 0; k < task_.n_sets; ++k) enough_[k] = enough(k, state_[k].n);
        __syncthreads();
        // sets without members or few are done from here on, and their farthest is not asked for
        each_segment([&](Index k, Index place) { return farthest(k, place); }, false);
        take_totals([](SetState& s, const Kept& all, double) { s.radius = sqrt(all.r2); });
    }

    __device__ Kept gathered(Index k, Index place)
    {
        const SphereMembers& set = task_.set[k];
        const Index begin = run_begin(k, place);
        const auto member = [&](Index j) { return set.range.begin + begin + j; };
        const auto belongs = [&](Index i, Vec3, Kept&) {
            return set.component < 0 || task_.particles.component_of(i) == set.component;
        };
        return compacted(k, place, 0, run_end(k, place) - begin, member, belongs);
    }

    __device__ Kept inner(Index k, Index place)
    {
        const SetState& s = state_[k];
        const double radius = s.radius * shrink_factor, r2 = radius * radius;
        const Vec3 centre = s.centre;
        const Index* const from = task_.list[s.current] + task_.offset[k] + run_begin(k, place);
        const auto member = [&](Index j) { return from[j]; };
        const auto is_inside = [&](Index, Vec3 x, Kept& kept) {
            const Vec3 d = x - centre;
            const double distance2 = dot(d, d);
            if (distance2 > r2) return false;
            kept.r2 = fmax(kept.r2, distance2);
            return true;
        };
        return compacted(k, place, s.current ^ 1, count(s.current, place), member, is_inside);
    }

    /// The members of a warp's run that are inside, written in order to list `which`.
    template <class Member, class Inside>
    __device__ Kept compacted(Index k, Index place, int which, Index n, Member member, Inside is_inside)
    {
        Index* const to = task_.list[which] + task_.offset[k] + run_begin(k, place);
        const unsigned lane = threadIdx.x % 32;
        Index written = 0;
        Kept kept;
        // several loads are on their way at a time: a run is read again and again, and waiting is all it
        // costs
        constexpr Index at_once = 4;
        for (Index base = 0; base < n; base += 32 * at_once) {
            Index i[at_once];
            Vec3 x[at_once];
            double mass[at_once];
            for (Index u = 0; u < at_once; ++u) {
                const Index j = base + 32 * u + lane;
                i[u] = j < n ? member(j) : none;
            }
            for (Index u = 0; u < at_once; ++u)
                if (i[u] != none) {
                    x[u] = task_.particles.position.load(i[u]);
                    mass[u] = task_.particles.mass[i[u]];
                }
            for (Index u = 0; u < at_once; ++u) {
                const bool inside = i[u] != none && is_inside(i[u], x[u], kept);
                const unsigned ballot = __ballot_sync(all_lanes, inside);
                if (inside) {
                    to[written + __popc(ballot & ((1u << lane) - 1))] = i[u];
                    kept.add(mass[u], x[u]);
                }
                written += __popc(ballot);
            }
        }
        if (lane == 0) count(which, place) = written;
        __syncwarp();
        return kept;
    }

    __device__ Kept farthest(Index k, Index place)
    {
        Kept result;
        each_member(k, place, [&](Index i) {
            const Vec3 d = task_.particles.position.load(i) - state_[k].centre;
            result.r2 = fmax(result.r2, dot(d, d));
        });
        return result;
    }

    template <class Visit>
    __device__ void each_member(Index k, Index place, Visit visit)
    {
        const int which = state_[k].current;
        const Index* const from = task_.list[which] + task_.offset[k] + run_begin(k, place);
        const Index n = count(which, place);
        for (Index j = threadIdx.x % 32; j < n; j += 32) visit(from[j]);
    }

    __device__ Index& count(int which, Index place) const
    {
        return task_.count[which][place * warps + threadIdx.x / 32];
    }

    /// Centres, and mean velocities of what the last spheres hold.
    __device__ void write()
    {
        const bool moves = !task_.particles.velocity.absent();
        if (moves)
            each_segment(
                [&](Index k, Index place) {
                    Kept momentum;
                    each_member(k, place, [&](Index i) {
                        momentum.add(task_.particles.mass[i], task_.particles.velocity.load(i));
                    });
                    return momentum;
                },
                false);
        if (blockIdx.x != 0) return;
        const Kept* const from = task_.partial + std::size_t{parity_} * task_.n_sets * segments;
        for (Index k = 0; k < task_.n_sets; ++k) {
            Kept mine;
            if (moves)
                for (Index s = threadIdx.x; s < segments; s += threads)
                    mine = Combine{}(mine, from[k * segments + s]);
            const Kept all = reduced_over_block<threads>(mine, Combine{});
            if (threadIdx.x == 0)
                task_.found[k] = {state_[k].centre, all.mean(), static_cast<Index>(state_[k].n)};
        }
    }

    const Task& task_;
    SetState* state_;
    double enough_[most_sets];
    unsigned parity_ = 0;
};

__global__ void __launch_bounds__(threads) shrinking_sphere_kernel(const __grid_constant__ Task task)
{
    __shared__ SetState state[most_sets];
    Search(task, state).run();
}

unsigned resident_blocks()
{
    int device = 0, per_multiprocessor = 0, multiprocessors = 0;
    AUREOLE_CUDA_CHECK(cudaGetDevice(&device));
    AUREOLE_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    AUREOLE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor,
                                                                     shrinking_sphere_kernel, threads, 0));
    return static_cast<unsigned>(per_multiprocessor * multiprocessors);
}

struct Layout {
    std::size_t lists, counts, partials;

    Layout(std::size_t n_members, std::size_t n_sets)
        : lists((n_members * sizeof(Index) + 255) / 256 * 256),
          counts(n_sets * segments * warps * sizeof(Index)),
          partials(2 * n_sets * segments * sizeof(Kept))
    {
    }
    std::size_t bytes() const { return 2 * lists + 2 * counts + partials; }
};

}  // namespace

std::size_t shrinking_spheres_cuda_bytes(std::size_t n_members, std::size_t n_sets)
{
    return Layout(n_members, n_sets < most_sets ? n_sets : most_sets).bytes();
}

void shrinking_spheres_cuda(CUstream_st* stream, const ConstParticlesView& particles,
                            std::span<const SphereMembers> sets, std::byte* scratch, DeviceSphere* found)
{
    for (std::size_t first = 0; first < sets.size(); first += most_sets) {
        const auto some =
            sets.subspan(first, sets.size() - first < most_sets ? sets.size() - first : most_sets);
        Task task{particles, static_cast<Index>(some.size())};
        std::size_t n_members = 0;
        for (std::size_t k = 0; k < some.size(); ++k) {
            task.set[k] = {some[k].range.clipped(particles.n), some[k].component};
            task.offset[k] = static_cast<Index>(n_members);
            n_members += task.set[k].range.size();
        }
        const Layout layout(n_members, some.size());
        task.partial = reinterpret_cast<Kept*>(scratch);
        std::byte* at = scratch + layout.partials;
        for (int which : {0, 1}) {
            task.count[which] = reinterpret_cast<Index*>(at);
            at += layout.counts;
        }
        for (int which : {0, 1}) {
            task.list[which] = reinterpret_cast<Index*>(at);
            at += layout.lists;
        }
        task.found = found + first;
        static const unsigned resident = resident_blocks();
        const unsigned blocks = static_cast<unsigned>(some.size()) * segments;
        void* arguments[] = {&task};
        AUREOLE_CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(shrinking_sphere_kernel),
                                                       dim3(blocks < resident ? blocks : resident),
                                                       dim3(threads), arguments, 0, stream));
    }
}

}  // namespace aureole::detail
