// The rounds of the search, by all blocks of a grid: members into bins, spheres by one block, and so on.
#pragma once

#include <cooperative_groups.h>

#include "sim/core/shrinking_sphere/shrinking_sphere_steps.cuh"

namespace aureole::detail::sphere_search {

inline constexpr unsigned threads = 512, warps = threads / 32;
inline constexpr Index most_sets = 16, no_set = most_sets;
inline constexpr unsigned bins_of_thread = n_bins / threads;
static_assert(bins_of_thread * threads == n_bins);

/// Passes whose sums are kept apart.
enum Pass { look, moments, lists, speeds, momenta, n_passes };

/// Of a set; zero when the kernel starts. What a round adds up is zero again when it ends.
struct SetSums {
    MomentTotals of[n_passes];
    Index count[n_bins];
};

struct Task {
    ConstParticlesView particles;
    Index n_sets;
    SphereMembers set[most_sets];
    Index offset[most_sets];  ///< of the set's lists
    Member* list[2];
    Index* index[2];
    SetSums* sums;
    ChunkSums* chunks;  ///< most_chunks + 1 of each set
    SetState* states;   ///< as the last round has left them
    DeviceSphere* found;
};

class Search {
public:
    struct Shared {
        SetState state[most_sets];
        Index count[n_bins];  ///< of the members of this block, then where the next of each bin goes
        Index begin[n_bins + 1];
        Spheres<threads>::Shared spheres;
        Index mine;        ///< the set that this block works on, or no_set
        BlockShare share;  ///< this block among those that do
    };

    __device__ Search(const Task& task, Shared& shared) : task_(task), shared_(shared) {}

    __device__ void run()
    {
        start();
        while (shrinks()) {
            for_my_set([&] { count_bins(); });
            for_my_set([&] { make_list(); });
            for_my_set([&] { sum_chunks(); });
            for_my_set([&] {
                if (shared_.share.block == 0) shrink();
            });
            take_states();
        }
        write();
    }

private:
    /// `pass()` in the blocks that work on a set, then all blocks meet.
    template <class PassOfSet>
    __device__ void for_my_set(PassOfSet pass)
    {
        if (shared_.mine != no_set) pass();
        cooperative_groups::this_grid().sync();
    }

    __device__ Index mine() const { return shared_.mine; }
    __device__ SetState& state() const { return shared_.state[mine()]; }
    __device__ SetSums& sums() const { return task_.sums[mine()]; }
    __device__ bool shrinks() const
    {
        for (Index k = 0; k < task_.n_sets; ++k)
            if (!shared_.state[k].done) return true;
        return false;
    }

    /// Gives each set blocks of its own, one and more in proportion to its work; sets that are done get none.
    template <class IsDone>
    __device__ void share_blocks(IsDone is_done)
    {
        __syncthreads();
        if (threadIdx.x == 0) {
            double all = 0, before = 0;
            unsigned n_sets = 0, a = 0;
            for (Index k = 0; k < task_.n_sets; ++k)
                if (!is_done(k)) {
                    ++n_sets;
                    all += shared_.state[k].work();
                }
            const double spare = gridDim.x - n_sets;
            const auto block_at = [&](double work) {
                return a + static_cast<unsigned>(all > 0 ? spare * (work / all) : 0);
            };
            shared_.mine = no_set;
            for (Index k = 0; k < task_.n_sets; ++k) {
                if (is_done(k)) continue;
                const unsigned begin = block_at(before);
                before += shared_.state[k].work();
                ++a;
                const unsigned end = min(block_at(before), gridDim.x);
                if (blockIdx.x < begin || blockIdx.x >= end) continue;
                shared_.mine = k;
                shared_.share = {blockIdx.x - begin, end - begin};
            }
        }
        __syncthreads();
    }

    /// Centres of mass, about which the first lists are made.
    __device__ void start()
    {
        const Index k = threadIdx.x;
        const bool has_set = k < task_.n_sets;
        if (has_set) {
            shared_.state[k] = {};
            shared_.state[k].n_listed = task_.set[k].range.size();
            shared_.state[k].last_r2 = INFINITY;
        }
        share_blocks([](Index) { return false; });
        for_my_set([&] { look_at_all(); });
        if (has_set) {
            const MomentTotals& all = task_.sums[k].of[look];
            shared_.state[k].units = {{}, unit_of(all.most_mass()), unit_of(all.reach2())};
        }
        __syncthreads();
        for_my_set([&] { add_moments(); });
        if (has_set) {
            SetState& s = shared_.state[k];
            s.centre = s.last_centre = s.units.mean(task_.sums[k].of[moments]);
            const double most = fmax(fmax(fabs(s.centre.x), fabs(s.centre.y)), fabs(s.centre.z));
            s.radius =
                2 * (task_.sums[k].of[look].reach2() + most);  // holds all; the first list tells how far
            s.bins = Bins::within(s.centre, s.radius);
        }
        __syncthreads();
    }

    /// The largest mass and coordinate, and how many there are.
    __device__ void look_at_all()
    {
        MomentSums all{};
        each_member([&](const Member& m, Index) {
            const Vec3 x = m.position;
            ++all.n;
            all.largest_mass = fmax(all.largest_mass, m.mass);
            all.farthest = fmax(all.farthest, fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))));
        });
        all.template add_to<threads>(&sums().of[look]);
    }

    __device__ void add_moments()
    {
        const MomentUnits units = state().units;
        MomentSums all{};
        each_member([&](const Member& m, Index) { all.add(units, m.mass, m.position); });
        all.template add_to<threads>(&sums().of[moments]);
    }

    /// How many members are in each bin: in the grid, and before those of this block. The largest mass.
    __device__ void count_bins()
    {
        const Bins bins = state().bins;
        each_bin([&](unsigned b) { shared_.count[b] = 0; });
        __syncthreads();
        MomentSums of_block{};
        each_member([&](const Member& m, Index) {
            atomicAdd(&shared_.count[bins.of(m.position)], 1);
            of_block.largest_mass = fmax(of_block.largest_mass, m.mass);
        });
        of_block.template add_to<threads>(&sums().of[look]);
        __syncthreads();
        each_bin([&](unsigned b) {
            const Index n = shared_.count[b];
            shared_.count[b] = n > 0 ? atomicAdd(&sums().count[b], n) : 0;
        });
    }
    template <class Visit>
    __device__ static void each_bin(Visit visit)
    {
#pragma unroll
        for (unsigned k = 0; k < bins_of_thread; ++k) visit(threadIdx.x + k * threads);
    }

    /// Where each bin begins.
    __device__ void scan_bins()
    {
        __shared__ Index of_warp[warps];
        const unsigned warp = threadIdx.x / 32, first = threadIdx.x * bins_of_thread;
        Index n[bins_of_thread], of_thread = 0;
#pragma unroll
        for (unsigned k = 0; k < bins_of_thread; ++k) of_thread += n[k] = sums().count[first + k];
        Index until = inclusive_sum_of_warp(of_thread);
        if (threadIdx.x % 32 == 31) of_warp[warp] = until;
        __syncthreads();
        for (unsigned w = 0; w < warp; ++w) until += of_warp[w];
        Index begin = until - of_thread;
#pragma unroll
        for (unsigned k = 0; k < bins_of_thread; ++k) {
            shared_.begin[first + k] = begin;
            shared_.count[first + k] += begin;
            begin += n[k];
        }
        if (threadIdx.x == threads - 1) shared_.begin[n_bins] = until;
        __syncthreads();
    }

    /// Units for what the last sphere holds. The largest mass is that of all when the first list is made.
    __device__ MomentUnits new_units() const
    {
        const SetState& s = state();
        const double moved = sqrt(distance2(s.centre, s.last_centre));
        return {s.centre, unit_of(sums().of[look].most_mass()), unit_of((s.radius + moved) * (1 + 1e-9))};
    }

    /// Members bin after bin, and how far they reach.
    __device__ void make_list()
    {
        const SetState& s = state();
        const Bins bins = s.bins;
        scan_bins();
        Member* const list = list_of(mine(), s.current ^ 1);
        Index* const index = index_of(mine(), s.current ^ 1);
        MomentSums all{};
        each_member([&](const Member& m, Index i) {
            const Index place = atomicAdd(&shared_.count[bins.of(m.position)], 1);
            list[place] = m;
            index[place] = i;
            all.farthest = fmax(all.farthest, distance2(m.position, bins.centre));
        });
        all.template add_to<threads>(&sums().of[lists]);
    }

    __device__ void sum_chunks()
    {
        sum_chunks_of_list<threads>(chunks_of_set(), list_of(mine(), state().current ^ 1),
                                    shared_.begin[n_bins], new_units(), shared_.share);
    }
    __device__ ChunkSums* chunks_of_set() const { return task_.chunks + mine() * (most_chunks + 1); }

    __device__ Member* list_of(Index k, int which) const { return task_.list[which] + task_.offset[k]; }
    __device__ Index* index_of(Index k, int which) const { return task_.index[which] + task_.offset[k]; }

    /// `visit(member, index)` for the members of this block's set, each in one thread of its blocks.
    template <class Visit>
    __device__ void each_member(Visit visit) const
    {
        const SetState& s = state();
        if (s.started)
            each_of_list(s, visit);
        else
            each_of_range(task_.set[mine()], visit);
    }
    template <class Visit>
    __device__ void each_of_list(const SetState& s, Visit visit) const
    {
        const Member* const list = list_of(mine(), s.current);
        const Index* const index = index_of(mine(), s.current);
        each_entry(
            shared_.share, s.first, s.n_listed, [](Index) { return true; }, [&](Index j) { return list[j]; },
            [&](const Member& m, Index j) {
                if (!(distance2(m.position, s.last_centre) > s.last_r2)) visit(m, index[j]);
            });
    }
    template <class Visit>
    __device__ void each_of_range(const SphereMembers& set, Visit visit) const
    {
        const ConstParticlesView& p = task_.particles;
        each_entry(
            shared_.share, set.range.begin, set.range.end,
            [&](Index i) { return set.component < 0 || p.component_of(i) == set.component; },
            [&](Index i) {
                return Member{p.position.load(i), p.mass[i]};
            },
            visit);
    }

    /// visit(load(j), j) where takes(j), begin <= j < end, by some blocks.
    template <class Takes, class Load, class Visit>
    __device__ static void each_entry(BlockShare share, Index begin, Index end, Takes takes, Load load,
                                      Visit visit)
    {
        const std::size_t stride = std::size_t{share.n_blocks} * threads;
        for (std::size_t first = begin + std::size_t{share.block} * threads + threadIdx.x; first < end;
             first += at_once * stride) {
            Member member[at_once];
            bool present[at_once];
#pragma unroll
            for (unsigned u = 0; u < at_once; ++u) {
                const std::size_t j = first + u * stride;
                present[u] = j < end && takes(static_cast<Index>(j));
                if (present[u]) member[u] = load(static_cast<Index>(j));
            }
#pragma unroll
            for (unsigned u = 0; u < at_once; ++u)
                if (present[u]) visit(member[u], static_cast<Index>(first + u * stride));
        }
    }

    /// One block: spheres until the search ends or a list about another centre is wanted.
    __device__ void shrink()
    {
        const Member* const list = list_of(mine(), state().current ^ 1);
        const MomentUnits units = new_units();
        const Step& next = shared_.spheres.step;
        sum_inwards<threads>(chunks_of_set(), shared_.begin[n_bins]);
        Spheres<threads> spheres(shared_.spheres, shared_.begin, chunks_of_set(), units);
        if (threadIdx.x < 32) spheres.begin(state(), sums().of[lists].reach2(), sums().of[look].most_mass());
        __syncthreads();
        while (next.goes_on) {
            const Step step = next;
            MomentSums near{};
            each_entry(
                {0, 1}, step.begin, step.end, [](Index) { return true; }, [&](Index j) { return list[j]; },
                [&](const Member& m, Index) {
                    if (distance2(m.position, step.centre) <= step.r2) near.add(units, m.mass, m.position);
                });
            shared_.spheres.near.put(near);
            __syncthreads();
            if (threadIdx.x < 32) spheres.take();
            __syncthreads();
        }
        if (threadIdx.x == 0) task_.states[mine()] = state() = spheres.end();
        clear_round();
    }
    /// What the next round adds up.
    __device__ void clear_round()
    {
        each_bin([&](unsigned b) { sums().count[b] = 0; });
        auto* const words = reinterpret_cast<std::uint64_t*>(&sums().of[lists]);
        if (threadIdx.x < sizeof(MomentTotals) / 8) words[threadIdx.x] = 0;
        if (threadIdx.x == 0) sums().of[look].largest_mass = 0;
    }

    /// What the first blocks of the sets have found.
    __device__ void take_states()
    {
        if (threadIdx.x < task_.n_sets && !shared_.state[threadIdx.x].done)
            shared_.state[threadIdx.x] = task_.states[threadIdx.x];
        share_blocks([&](Index k) { return shared_.state[k].done; });
    }

    /// Centres, and mean velocities of what the last spheres hold.
    __device__ void write()
    {
        const bool moves = !task_.particles.velocity.absent();
        const Index k = threadIdx.x;
        if (moves) {
            share_blocks([](Index) { return false; });
            sum_velocities();
        }
        if (blockIdx.x > 0 || k >= task_.n_sets) return;
        const SetState& s = shared_.state[k];
        const Vec3 velocity = moves ? s.units.mean(task_.sums[k].of[momenta]) : Vec3{};
        task_.found[k] = {s.centre, velocity, s.n};
    }

    __device__ void sum_velocities()
    {
        const auto velocity = [&](Index i) { return task_.particles.velocity.load(i); };
        for_my_set([&] {
            MomentSums all{};
            each_member([&](const Member& m, Index i) {
                const Vec3 v = velocity(i);
                all.largest_mass = fmax(all.largest_mass, m.mass);
                all.farthest = fmax(all.farthest, fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))));
            });
            all.template add_to<threads>(&sums().of[speeds]);
        });
        if (threadIdx.x < task_.n_sets) {
            const MomentTotals& all = task_.sums[threadIdx.x].of[speeds];
            shared_.state[threadIdx.x].units = {{}, unit_of(all.most_mass()), unit_of(all.reach2())};
        }
        __syncthreads();
        for_my_set([&] {
            const MomentUnits units = state().units;
            MomentSums all{};
            each_member([&](const Member& m, Index i) { all.add(units, m.mass, velocity(i)); });
            all.template add_to<threads>(&sums().of[momenta]);
        });
    }

    const Task& task_;
    Shared& shared_;
};

}  // namespace aureole::detail::sphere_search
