// Shrinking spheres of several sets of particles at once, in one kernel that asks the host for nothing: all
// blocks meet after each sphere. Members are kept in two lists: the core, which all spheres down to half the
// radius surely hold and whose sums are known, and the shell around it, which each sphere looks at. When a
// sphere comes near the core, both are made anew. Sums are order-free, so that the bits depend neither
// on the number of blocks nor on the order of the lists.
#include <cooperative_groups.h>

#include "sim/core/cuda_check.cuh"
#include "sim/core/shrinking_sphere/shrinking_sphere_state.cuh"

namespace aureole::detail {
namespace {

constexpr unsigned threads = 256;
constexpr Index most_sets = 16, none = 0xffffffffu;

struct Task {
    ConstParticlesView particles;
    Index n_sets;
    SphereMembers set[most_sets];
    Index offset[most_sets];  ///< of the set's lists
    Index* list[2];           ///< a set's core from the front, its shell from the end
    PassTotals* totals;       ///< of the sets, three passes in turn; zero when the kernel starts
    DeviceSphere* found;
};

/// Entries of a list that a thread reads at a time, since waiting is nearly all that they cost.
constexpr unsigned at_once = 8;

using Lists = GridLists<threads, at_once>;

class Search {
public:
    __device__ Search(const Task& task, SetState* state) : task_(task), state_(state) {}

    __device__ void run()
    {
        start();
        while (shrinks()) {
            each_set([&](Index k) {
                if (state_[k].done) return;
                if (state_[k].lists_end)
                    remake_lists(k);
                else
                    look_at_shell(k);
            });
            take([](SetState& s, const PassTotals& pass) { s.take_sphere(pass); });
        }
        write();
    }

private:
    /// `pass(k)` for every set, then all blocks meet.
    template <class Pass>
    __device__ void each_set(Pass pass)
    {
        turn_ = (turn_ + 1) % 3;
        // what is cleared was read before the blocks met last
        auto* const cleared = reinterpret_cast<std::uint64_t*>(totals((turn_ + 1) % 3));
        if (blockIdx.x == 0)
            for (Index i = threadIdx.x; i < task_.n_sets * sizeof(PassTotals) / 8; i += threads)
                cleared[i] = 0;
        for (Index k = 0; k < task_.n_sets; ++k) {
            const BlockShare& blocks = state_[k].blocks;
            share_ = {blockIdx.x - blocks.block, blocks.n_blocks};
            if (blockIdx.x >= blocks.block && share_.block < share_.n_blocks) pass(k);
        }
        cooperative_groups::this_grid().sync();
    }

    /// `change(state, totals)` for each set, the same in all blocks.
    template <class Change>
    __device__ void take(Change change)
    {
        if (threadIdx.x < task_.n_sets && !state_[threadIdx.x].done)
            change(state_[threadIdx.x], totals(turn_)[threadIdx.x]);
        share_blocks([&](Index k) { return state_[k].work(); });
    }

    /// Gives each set blocks in proportion to its work; sets that are done get none.
    template <class Work>
    __device__ void share_blocks(Work work)
    {
        constexpr float least = 4096;  // a block that has little to do takes as long as reading these
        __syncthreads();
        if (threadIdx.x == 0) {
            float all = 0, before = 0;
            for (Index k = 0; k < task_.n_sets; ++k)
                if (!state_[k].done) all += least + static_cast<float>(work(k));
            const float of_unit = static_cast<float>(gridDim.x) / all;
            for (Index k = 0; k < task_.n_sets; ++k) {
                state_[k].blocks = {};
                if (state_[k].done) continue;
                const auto block = [&] { return static_cast<unsigned>(before * of_unit); };
                const unsigned first = min(block(), gridDim.x - 1);
                before += least + static_cast<float>(work(k));
                state_[k].blocks = {first, max(first + 1, min(block(), gridDim.x)) - first};
            }
        }
        __syncthreads();
    }

    __device__ PassTotals* totals(unsigned turn) const
    {
        return task_.totals + std::size_t{turn} * task_.n_sets;
    }
    __device__ FrontAndBack lists(Index k, int which) const
    {
        PassTotals& pass = totals(turn_)[k];
        return {list(k, which), list(k, which) + size(k), &pass.core.listed, &pass.shell.listed};
    }
    __device__ Index size(Index k) const { return task_.set[k].range.size(); }
    __device__ Index* list(Index k, int which) const { return task_.list[which] + task_.offset[k]; }

    __device__ bool shrinks() const
    {
        for (Index k = 0; k < task_.n_sets; ++k)
            if (!state_[k].done) return true;
        return false;
    }

    /// All members in the core, their centres of mass, and the distance of the farthest.
    __device__ void start()
    {
        for (Index k = threadIdx.x; k < task_.n_sets; k += threads) state_[k] = {};
        const auto all = [&](Index k) { return size(k); };
        share_blocks(all);
        each_set([&](Index k) { list_members(k); });
        take([](SetState& s, const PassTotals& pass) {
            s.n = s.core.n = pass.core.n;
            s.lists_end = true;  // all members are read until the first sphere
            s.largest_mass = __longlong_as_double(static_cast<long long>(pass.core.largest_mass));
            s.units = {{}, unit_of(s.largest_mass), unit_of(pass.core.reach2())};
        });
        each_set([&](Index k) {
            MomentSums sums{};
            each_member(k, [&](Index i, Vec3 x) { sums.add(state_[k].units, task_.particles.mass[i], x); });
            sums.add_to<threads>(&totals(turn_)[k].core);
        });
        take([](SetState& s, const PassTotals& pass) { s.centre = s.units.mean(pass.core, {}); });
        each_set([&](Index k) {
            MomentSums sums{};
            each_member(k, [&](Index, Vec3 x) {
                sums.farthest = fmax(sums.farthest, distance2(x, state_[k].centre));
            });
            sums.add_to<threads>(&totals(turn_)[k].core);
        });
        take([](SetState& s, const PassTotals& pass) {
            const double hundredth = floor(static_cast<double>(s.n) / 100);
            s.enough = fmax(hundredth, static_cast<double>(least_in_sphere));
            s.radius = sqrt(pass.core.reach2());
            s.last_centre = s.centre;
            s.last_r2 = pass.core.reach2();
            s.check_end();
        });
    }

    /// The members of the set, to its core; the largest mass and coordinate.
    __device__ void list_members(Index k)
    {
        const SphereMembers& set = task_.set[k];
        MomentSums sums{};
        Lists::split(share_, size(k), lists(k, 0), [&](Index j, Index& i) {
            i = set.range.begin + j;
            if (set.component >= 0 && task_.particles.component_of(i) != set.component)
                return ListPart::neither;
            const Vec3 x = task_.particles.position.load(i);
            ++sums.n;
            sums.largest_mass = fmax(sums.largest_mass, task_.particles.mass[i]);
            sums.farthest = fmax(sums.farthest, fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))));
            return ListPart::front;
        });
        sums.add_to<threads>(&totals(turn_)[k].core);
    }

    /// A core of half the next sphere's radius about its centre, and a shell; what the sphere holds of both.
    __device__ void remake_lists(Index k)
    {
        const SetState& s = state_[k];
        const MomentUnits units = s.new_units();
        const double radius = s.trial_radius(), r2 = radius * radius, core_r2 = r2 / 4;
        const Index n_core = s.core.n;
        const Index *const core = list(k, s.current), *const shell = core + size(k) - s.n_shell;
        MomentSums inner{}, outer{};
        Lists::split(share_, n_core + s.n_shell, lists(k, s.current ^ 1), [&](Index j, Index& i) {
            i = j < n_core ? core[j] : shell[j - n_core];
            if (i == none) return ListPart::neither;
            const Vec3 x = task_.particles.position.load(i);
            if (distance2(x, s.last_centre) > s.last_r2) return ListPart::neither;
            const double mass = task_.particles.mass[i], d2 = distance2(x, units.origin);
            inner.largest_mass = fmax(inner.largest_mass, mass);
            if (d2 <= core_r2) {
                inner.add(units, mass, x);
                return ListPart::front;
            }
            if (d2 <= r2) {
                outer.add(units, mass, x);
                outer.farthest = fmax(outer.farthest, d2);
            }
            return ListPart::back;
        });
        inner.add_to<threads>(&totals(turn_)[k].core);
        outer.add_to<threads>(&totals(turn_)[k].shell);
    }

    /// What the sphere holds of the shell. Entries that the last sphere left out are taken off.
    __device__ void look_at_shell(Index k)
    {
        const SetState& s = state_[k];
        const double radius = s.trial_radius(), r2 = radius * radius;
        Index* const shell = list(k, s.current) + size(k) - s.n_shell;
        MomentSums sums{};
        each_entry(
            s.n_shell, [&](std::size_t j) { return shell[j]; },
            [&](std::size_t j, Index i, Vec3 x) {
                if (distance2(x, s.last_centre) > s.last_r2) {
                    shell[j] = none;
                    return;
                }
                const double d2 = distance2(x, s.centre);
                if (d2 > r2) return;
                sums.add(s.units, task_.particles.mass[i], x);
                sums.farthest = fmax(sums.farthest, d2);
            });
        sums.add_to<threads>(&totals(turn_)[k].shell);
    }

    /// `visit(i, position)` for the members of the set, each in one thread of the grid.
    template <class Visit>
    __device__ void each_member(Index k, Visit visit) const
    {
        const SetState& s = state_[k];
        const Index *const core = list(k, s.current), *const shell = core + size(k) - s.n_shell;
        each_entry(
            std::size_t{s.core.n} + s.n_shell,
            [&](std::size_t j) { return j < s.core.n ? core[j] : shell[j - s.core.n]; },
            [&](std::size_t j, Index i, Vec3 x) {
                if (j < s.core.n || !(distance2(x, s.last_centre) > s.last_r2)) visit(i, x);
            });
    }

    /// `visit(j, entry(j), its position)` for j in [0, n) but where the entry is none, each in one thread of
    /// the blocks that work on the set.
    template <class Entry, class Visit>
    __device__ void each_entry(std::size_t n, Entry entry, Visit visit) const
    {
        const std::size_t stride = std::size_t{share_.n_blocks} * threads;
        for (std::size_t first = share_.block * threads + threadIdx.x; first < n; first += at_once * stride) {
            Index i[at_once];
            Vec3 x[at_once];
#pragma unroll
            for (unsigned u = 0; u < at_once; ++u) {
                const std::size_t j = first + u * stride;
                i[u] = j < n ? entry(j) : none;
            }
#pragma unroll
            for (unsigned u = 0; u < at_once; ++u)
                if (i[u] != none) x[u] = task_.particles.position.load(i[u]);
#pragma unroll
            for (unsigned u = 0; u < at_once; ++u)
                if (i[u] != none) visit(first + u * stride, i[u], x[u]);
        }
    }

    /// Centres, and mean velocities of what the last spheres hold.
    __device__ void write()
    {
        const bool moves = !task_.particles.velocity.absent();
        __syncthreads();  // all threads have seen that no set shrinks any more
        for (Index k = threadIdx.x; k < task_.n_sets; k += threads) {
            state_[k].done = false;
            state_[k].lists_end = true;
        }
        share_blocks([&](Index k) { return state_[k].work(); });
        if (moves) sum_velocities();
        if (blockIdx.x == 0 && threadIdx.x < task_.n_sets) {
            const SetState& s = state_[threadIdx.x];
            const Vec3 velocity = moves ? s.units.mean(totals(turn_)[threadIdx.x].core, {}) : Vec3{};
            task_.found[threadIdx.x] = {s.centre, velocity, s.n};
        }
    }

    __device__ void sum_velocities()
    {
        const auto velocity = [&](Index i) { return task_.particles.velocity.load(i); };
        each_set([&](Index k) {
            MomentSums sums{};
            each_member(k, [&](Index i, Vec3) {
                const Vec3 v = velocity(i);
                sums.largest_mass = fmax(sums.largest_mass, task_.particles.mass[i]);
                sums.farthest = fmax(sums.farthest, fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))));
            });
            sums.add_to<threads>(&totals(turn_)[k].core);
        });
        take([](SetState& s, const PassTotals& pass) {
            const auto mass = static_cast<long long>(pass.core.largest_mass);
            s.units = {{}, unit_of(__longlong_as_double(mass)), unit_of(pass.core.reach2())};
        });
        each_set([&](Index k) {
            MomentSums sums{};
            each_member(
                k, [&](Index i, Vec3) { sums.add(state_[k].units, task_.particles.mass[i], velocity(i)); });
            sums.add_to<threads>(&totals(turn_)[k].core);
        });
    }

    const Task& task_;
    SetState* state_;
    unsigned turn_ = 2;
    BlockShare share_{};  ///< this block among those that work on a set
};

__global__ void __launch_bounds__(threads) shrinking_sphere_kernel(const __grid_constant__ Task task)
{
    __shared__ SetState state[most_sets];
    Search(task, state).run();
}

/// One block on a multiprocessor: the fewer blocks, the sooner they have met.
unsigned blocks_that_meet()
{
    int device = 0, multiprocessors = 0;
    AUREOLE_CUDA_CHECK(cudaGetDevice(&device));
    AUREOLE_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    return static_cast<unsigned>(multiprocessors);
}

struct Layout {
    std::size_t totals, lists;

    Layout(std::size_t n_members, std::size_t n_sets)
        : totals((3 * n_sets * sizeof(PassTotals) + 255) / 256 * 256),
          lists((n_members * sizeof(Index) + 255) / 256 * 256)
    {
    }
    std::size_t bytes() const { return totals + 2 * lists; }
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
        task.totals = reinterpret_cast<PassTotals*>(scratch);
        for (int which : {0, 1})
            task.list[which] = reinterpret_cast<Index*>(scratch + layout.totals + which * layout.lists);
        task.found = found + first;
        AUREOLE_CUDA_CHECK(cudaMemsetAsync(scratch, 0, layout.totals, stream));
        static const unsigned blocks = blocks_that_meet();
        void* arguments[] = {&task};
        AUREOLE_CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(shrinking_sphere_kernel),
                                                       dim3(blocks), dim3(threads), arguments, 0, stream));
    }
}

}  // namespace aureole::detail
