// The walk on the CPU: gathers groups of targets, lets the kernels of the machine's instruction set walk the
// tree for one after the other (walk_cpu_simd.cpp), each by one thread, and stores what they find. One thread
// sums everything for a target in an order that is the tree's, so the number of threads changes no bit.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gravity/tree/walk_task.hpp"
#include "sim/core/progress_blocks.hpp"

namespace aureole::gravity::tree {
namespace {

/// Groups of targets between two reports: for each thread enough to keep it busy, and at most what takes one
/// thread a second or two.
constexpr std::size_t groups_of_thread = 16, most_groups = 4096;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Prefetches where the results of the next targets go, which lie anywhere: usually their previous
/// accelerations too.
void prefetch(const WalkTask& task, Index begin, Index end)
{
    const Vec3View& a = task.outputs.acceleration;
    for (Index k = begin; k < end; ++k) {
        const Index i = task.targets[k];
        __builtin_prefetch(&a.x[i], 1);
        __builtin_prefetch(&a.y[i], 1);
        __builtin_prefetch(&a.z[i], 1);
        if (task.outputs.potential) __builtin_prefetch(&task.outputs.potential[i], 1);
    }
}

/// Of a group, how far the nearest other place is from that of one lane, as a tree axis measures; 0 where all
/// share one.
double nearest_to(int lane, const GroupTargets& of)
{
    double nearest = infinity;
    for (int other = 0; other < of.n; ++other) {
        const double apart = std::max({std::abs(of.x[other] - of.x[lane]), std::abs(of.y[other] - of.y[lane]),
                                       std::abs(of.z[other] - of.z[lane])});
        if (apart > 0) nearest = std::min(nearest, apart);
    }
    return nearest < infinity ? nearest : 0;
}

void store(const WalkTask& task, const GroupTargets& targets, const GroupSums& sums)
{
    const ForceOutputs& to = task.outputs;
    const double unit = targets.group.scale * task.tree.frame->length_scale;
    const double potential_unit = unit / task.tree.frame->mass_scale, force_unit = unit * potential_unit;
    for (int lane = 0; lane < targets.n; ++lane) {
        const Index i = targets.particle[lane];
        to.acceleration.store(i, force_unit * Vec3{sums.x[lane], sums.y[lane], sums.z[lane]});
        if (to.potential) to.potential[i] = potential_unit * sums.potential[lane];
    }
}

/// What the walks of one group have done.
struct GroupRecord {
    std::uint32_t work = 0;
    bool is_incomplete = false;

    void add(const GroupSums& sums)
    {
        work += sums.work;
        is_incomplete = is_incomplete || sums.is_incomplete;
    }
};

/// The walk for one group of targets [begin, end), or for each of them where they must not decide together.
GroupRecord walk_group(const WalkTask& task, GroupKernel walk, Index begin, Index end)
{
    GroupTargets targets, one;
    GroupSums sums;
    GroupRecord record;
    gather_targets(task, begin, end, 0, targets);
    if (!targets.group.is_uneven) {
        const bool together = walk(task, targets, sums);
        record.add(sums);
        if (together) {
            store(task, targets, sums);
            return record;
        }
    }
    for (Index k = begin; k < end; ++k) {
        gather_targets(task, k, k + 1, nearest_to(static_cast<int>(k - begin), targets), one);
        walk(task, one, sums);
        record.add(sums);
        store(task, one, sums);
    }
    return record;
}

Index begin_of(const WalkTask& task, Index group)
{
    return std::min(task.n_targets, group * group_targets_cpu);
}

void walk_and_record(const WalkTask& task, GroupKernel walk, Index g)
{
    const GroupRecord found = walk_group(task, walk, begin_of(task, g), begin_of(task, g + 1));
    if (!task.record) return;
    task.record->work[g] = found.work;
    task.record->is_incomplete[g] = found.is_incomplete;
}

GroupKernel chosen_kernel()
{
    return for_path(chosen_cpu_path(), group_walk_baseline, group_walk_avx2, group_walk_avx512)();
}

}  // namespace

void gather_targets(const WalkTask& task, Index begin, Index end, double nearest, GroupTargets& to)
{
    const ConstParticlesView& p = task.particles;
    const ConstVec3View& previous = task.previous_acceleration;
    const double length = task.tree.frame->length_scale;
    const double force_unit = length * length / task.tree.frame->mass_scale;
    const bool are_bodies = task.targets == task.tree.order;
    GroupExtent extent{
        {infinity, infinity, infinity}, {-infinity, -infinity, -infinity}, infinity, 0, 0, 0, 0, nearest, 0,
        length * task.softening.largest};
    to.n = static_cast<int>(end - begin);
    for (int lane = 0; lane < to.n; ++lane) {
        const Index k = begin + static_cast<Index>(lane), i = task.targets[k];
        Vec3 x;
        if (are_bodies)
            x = {task.tree.bodies[k].x, task.tree.bodies[k].y, task.tree.bodies[k].z};
        else
            x = length * p.position.load(i);
        extent.low = {std::min(extent.low.x, x.x), std::min(extent.low.y, x.y), std::min(extent.low.z, x.z)};
        extent.high = {std::max(extent.high.x, x.x), std::max(extent.high.y, x.y),
                       std::max(extent.high.z, x.z)};
        const Vec3 a = previous.absent() ? Vec3{} : previous.load(i);
        const double size = std::sqrt(dot(a, a)) / force_unit;
        extent.least_acceleration = std::min(extent.least_acceleration, size);
        extent.largest_acceleration = std::max(extent.largest_acceleration, size);
        extent.exponents += acceleration_exponent(size);
        const double eps = length * task.softening.length[task.tree.body_softening ? p.type_of(i) : 0];
        extent.softening = std::max(extent.softening, eps);
        extent.n_places +=
            lane == 0 || x.x != to.x[lane - 1] || x.y != to.y[lane - 1] || x.z != to.z[lane - 1];
        to.particle[lane] = i;
        to.x[lane] = x.x;
        to.y[lane] = x.y;
        to.z[lane] = x.z;
        to.eps[lane] = eps;
    }
    extent.n = to.n;
    to.group = group_of(extent, task.rule);
    for (int lane = 0; lane < to.n; ++lane) to.eps[lane] *= to.group.scale;
}

void walk_cpu(const WalkTask& task, Slice slice, const Progress& progress)
{
    const GroupKernel walk = chosen_kernel();
    const Index size = group_targets_cpu;
    const IndexRange mine = slice.places(task.n_targets, size);
    const Index first_group = mine.begin / size, n_groups = (mine.end + size - 1) / size - first_group;
    const std::size_t least = groups_of_thread * static_cast<std::size_t>(omp_get_max_threads());
    in_blocks(n_groups, least, most_groups, progress, "walks of the tree",
              [&](std::size_t first, std::size_t last) {
#pragma omp parallel for schedule(dynamic, 4) if (last - first > 1)
                  for (Index k = static_cast<Index>(first); k < last; ++k) {
                      const Index g = first_group + k;
                      prefetch(task, begin_of(task, g + 1), begin_of(task, g + 2));
                      walk_and_record(task, walk, g);
                  }
              });
}

void walk_groups_cpu(const WalkTask& task, std::span<const Index> groups)
{
    const GroupKernel walk = chosen_kernel();
#pragma omp parallel for schedule(dynamic) if (groups.size() > 1)
    for (std::size_t k = 0; k < groups.size(); ++k) walk_and_record(task, walk, groups[k]);
}

}  // namespace aureole::gravity::tree
