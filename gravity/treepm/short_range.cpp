// The walk that ends at the cut, on the CPU: gathers groups of targets, lets the kernels of the machine's
// instruction set walk the tree for one after the other (short_range_simd.cpp), each by one thread, and
// stores what they find.
#include "gravity/treepm/short_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gravity/treepm/short_range_cpu.hpp"

namespace aureole::gravity::treepm {
namespace {

constexpr Index group_size = short_range_group;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Softening in units, from which on third powers of close pairs are floats.
constexpr double least_float_eps = 0x1p-30;

SplitPowers powers(const SplitPair& pair, double unit, double reach, int degree)
{
    const SplitCoefficients found = pair.coefficients(reach, degree, unit);
    SplitPowers result{};
    std::ranges::copy(found.force, result.force);
    std::ranges::copy(found.potential, result.potential);
    result.per_square = found.per_square;
    result.degree = degree;
    return result;
}

CpuWalk walk_of(const ShortRangeTask& task, Precision precision, const ForceOutputs& outputs)
{
    const SplitPair& pair = *task.pair;
    const double reach = pair.reach() * pair.cut();
    const double unit = std::ldexp(1.0, std::ilogb(reach) + 1);
    const double cut = pair.cut() / unit, split = pair.split() / unit;
    const double least_eps = std::ranges::min(task.softening.length) / unit;
    const bool full = precision == Precision::double_precision;
    const int degree = cut <= short_up_to * split ? short_degree : float_degree;
    return {
        .task = task,
        .potential = outputs.potential != nullptr,
        .spline = task.softening.kernel == SofteningKernel::spline,
        .by_type = !task.softening.uniform(),
        .full = full,
        .close_in_double = full || !(least_eps >= least_float_eps),
        .unit = unit,
        .to_unit = 1 / (task.tree.frame->length_scale * unit),
        .side = task.box.side / unit,
        .cut2 = cut * cut,
        .reach2 = reach * reach / (unit * unit),
        .largest_eps = std::ranges::max(task.softening.length) / unit,
        .tolerance = task.tolerance * task.tree.frame->mass_scale * unit * unit,
        // opposite pairs of a lattice cancel where one is close and the other is not: the same polynomial
        .pair = {powers(pair, unit, cut, degree), powers(pair, unit, cut, full ? SplitPair::degree : degree)},
        .cell = {powers(pair, unit, reach / unit, float_degree),
                 powers(pair, unit, reach / unit, SplitPair::degree)}};
}

void gather_targets(const CpuWalk& walk, Index begin, Index end, CpuGroup& to)
{
    const ShortRangeTask& task = walk.task;
    double* const places[3] = {to.x, to.y, to.z};
    double low[3] = {infinity, infinity, infinity}, high[3] = {-infinity, -infinity, -infinity};
    to.n = static_cast<int>(end - begin);
    to.least_acceleration = infinity;
    for (int lane = 0; lane < to.n; ++lane) {
        const Index i = task.targets[begin + static_cast<Index>(lane)];
        const Vec3 at = task.box.wrap(task.particles.position.load(i));
        const Vec3 a = task.previous_acceleration.absent() ? Vec3{} : task.previous_acceleration.load(i);
        const double x[3] = {at.x / walk.unit, at.y / walk.unit, at.z / walk.unit};
        for (int k = 0; k < 3; ++k) {
            places[k][lane] = x[k];
            low[k] = std::min(low[k], x[k]);
            high[k] = std::max(high[k], x[k]);
        }
        to.least_acceleration = std::min(to.least_acceleration, std::sqrt(dot(a, a)));
        to.eps[lane] = task.softening.length[task.particles.type_of(i)] / walk.unit;
        to.particle[lane] = i;
    }
    for (int k = 0; k < 3; ++k) {
        to.origin[k] = 0.5 * (low[k] + high[k]);
        to.half[k] = 0.5 * (high[k] - low[k]);
        for (int lane = 0; lane < to.n; ++lane) places[k][lane] -= to.origin[k];
    }
    to.origin[3] = to.half[3] = 0;
}

void store(const CpuWalk& walk, const CpuGroup& group, const tree::GroupSums& sums,
           const ForceOutputs& outputs)
{
    const double potential_unit = 1 / (walk.task.tree.frame->mass_scale * walk.unit),
                 force_unit = potential_unit / walk.unit;
    for (int lane = 0; lane < group.n; ++lane) {
        const Index i = group.particle[lane];
        outputs.acceleration.store(i, force_unit * Vec3{sums.x[lane], sums.y[lane], sums.z[lane]});
        if (outputs.potential) outputs.potential[i] = potential_unit * sums.potential[lane];
    }
}

}  // namespace

void evaluate_short_range(const ShortRangeTask& task, Precision precision, const ForceOutputs& outputs)
{
    const ShortRangeKernel kernel =
        for_path(chosen_cpu_path(), short_range_baseline, short_range_avx2, short_range_avx512)();
    const CpuWalk walk = walk_of(task, precision, outputs);
    const Index n_groups = (task.n_targets + group_size - 1) / group_size;
#pragma omp parallel for schedule(dynamic, 4) if (n_groups > 1)
    for (Index g = 0; g < n_groups; ++g) {
        CpuGroup group;
        tree::GroupSums sums;
        gather_targets(walk, g * group_size, std::min(task.n_targets, (g + 1) * group_size), group);
        kernel(walk, group, sums);
        store(walk, group, sums, outputs);
    }
}

}  // namespace aureole::gravity::treepm
