// The lists of one group: what is left to do of its walk. Filling, and summing when full. Included by
// walk_cpu_simd.cpp only.
//
// Bodies in or at the group's box are `close`: the part of their coordinates that float cuts off is kept in a
// second float, so that differences are right to 2^-24 however close the pair, and only there can a body be
// the target. Precision::double_precision keeps all lists in double, mixed those few that could leave the
// range of float.
#pragma once

#include "gravity/tree/tree_config.hpp"
#include "gravity/tree/walk_decisions.hpp"
#include "gravity/tree/walk_sums.hpp"

namespace aureole::gravity::tree {
namespace {  // each instruction set keeps its own copy

/// Bodies within this part of the group's size from its box are close: others are apart by at least that, of
/// which the rounding of coordinates to float is at most 2^-19.
constexpr float close_per_size = 1.0f / 16;

/// Shortest length in float lists; its cube times the number of sources stays far from the range's end.
constexpr double least_float_length = 0x1p-24, least_far_length = 0x1p-30;

/// What holds for all pairs of a group; lengths in units of the group.
struct ListRules {
    bool potential, spline, by_type, full, close_in_double;
    double eps2;        ///< of all far bodies and cells, unless by type
    double local_eps2;  ///< of distant cells
    double close_soft;  ///< of all close bodies, unless by type
    float far_above;    ///< leaves farther than this (beyond their radius) hold no close bodies; group units
    float box[3];       ///< close bodies have abs(x) <= box
    double origin[4], scale[4];  ///< of x, y, z and mass of bodies
};

inline ListRules rules_of(const WalkTask& task, const GroupTargets& targets);

/// Nothing is set but what has to be: a group would pay for it.
template <class Isa>
struct Work {
    Work(const WalkTask& of, const GroupTargets& group, GroupSums& to)
        : task(of), targets(group), sums(to), rules(rules_of(of, group))
    {
        lists.n_far = lists.n_close = lists.n_cells = 0;
        exact.n_far = exact.n_close = exact.n_cells = 0;
    }

    const WalkTask& task;
    const GroupTargets& targets;
    GroupSums& sums;
    ListRules rules;
    TargetLanes<float> in_float;
    TargetLanes<double> in_double;
    Lists<float> lists;
    Lists<double> exact;
};

inline ListRules rules_of(const WalkTask& task, const GroupTargets& targets)
{
    const Group& g = targets.group;
    const double unit = targets.group.scale * task.tree.frame->length_scale;
    double least = unit * task.softening.largest;
    const double largest = least;
    for (const double length : task.softening.length) least = unit * length < least ? unit * length : least;
    ListRules rules;
    rules.potential = task.outputs.potential != nullptr;
    rules.spline = task.rule.spline;
    rules.by_type = task.tree.body_softening != nullptr;
    rules.full = task.precision == Precision::double_precision;
    rules.close_in_double = rules.full || !(least >= least_float_length);
    rules.eps2 = rules.spline ? 0 : largest * largest;
    rules.local_eps2 = rules.by_type ? 0 : rules.eps2;
    rules.close_soft = near_softening(rules.spline, largest);

    float size = g.half[0] > g.half[1] ? g.half[0] : g.half[1];
    size = g.half[2] > size ? g.half[2] : size;
    double margin = static_cast<double>(close_per_size * size);
    if (!(margin > least_far_length)) margin = least_far_length;
    const double spline_reach = rules.spline ? 1.001 * spline_support * largest : 0;
    if (!(margin > spline_reach)) margin = spline_reach;
    for (int k = 0; k < 3; ++k) rules.box[k] = static_cast<float>(static_cast<double>(g.half[k]) + margin);
    rules.far_above = static_cast<float>(1.74 * margin);  // a corner is sqrt(3) away
    const double origin[4] = {g.x, g.y, g.z, 0};
    for (int k = 0; k < 4; ++k) {
        rules.origin[k] = origin[k];
        rules.scale[k] = k < 3 ? targets.group.scale : 1;
    }
    return rules;
}

/// Fills the lanes; those past the last target with copies of the first.
template <class Isa>
void load_targets(const GroupTargets& from, Work<Isa>& work)
{
    TargetLanes<float>& lanes = work.in_float;
    TargetLanes<double>& exact = work.in_double;
    lanes.n = exact.n = from.n;
    for (int lane = 0; lane < most_targets; ++lane) {
        const int k = lane < from.n ? lane : 0;
        exact.x[lane] = from.group.scale * from.x[k];
        exact.y[lane] = from.group.scale * from.y[k];
        exact.z[lane] = from.group.scale * from.z[k];
        exact.soft[lane] = near_softening(work.rules.spline, from.eps[k]);
        exact.index[lane] = static_cast<std::int64_t>(from.particle[k]);
        lanes.soft[lane] = static_cast<float>(exact.soft[lane]);
        lanes.index[lane] = static_cast<std::int32_t>(from.particle[k]);
    }
    const auto split = [&from](const double* x, double origin, float* high, float* low) {
        const double middle = from.group.scale * origin;
        for (int lane = 0; lane < most_targets; ++lane) {
            const double relative = x[lane] - middle;
            high[lane] = static_cast<float>(relative);
            low[lane] = static_cast<float>(relative - static_cast<double>(high[lane]));
        }
    };
    split(exact.x, from.group.x, lanes.x, lanes.x_low);
    split(exact.y, from.group.y, lanes.y, lanes.y_low);
    split(exact.z, from.group.z, lanes.z, lanes.z_low);
}

template <class Isa>
TargetLanes<float>& lanes_of(Work<Isa>& work, const Lists<float>&)
{
    return work.in_float;
}
template <class Isa>
TargetLanes<double>& lanes_of(Work<Isa>& work, const Lists<double>&)
{
    return work.in_double;
}

template <class Isa, class T>
void empty_far(Work<Isa>& work, Lists<T>& lists)
{
    const bool by_type = work.rules.by_type && !work.rules.spline;
    const auto sum = work.rules.potential
                         ? (by_type ? sum_far<Isa, T, true, true> : sum_far<Isa, T, true, false>)
                         : (by_type ? sum_far<Isa, T, false, true> : sum_far<Isa, T, false, false>);
    sum(lanes_of(work, lists), lists, static_cast<T>(work.rules.eps2), work.sums);
}

template <class Isa, class T>
void empty_close(Work<Isa>& work, Lists<T>& lists)
{
    const bool spline = work.rules.spline;
    const auto sum = work.rules.potential
                         ? (spline ? sum_close<Isa, T, true, true> : sum_close<Isa, T, true, false>)
                         : (spline ? sum_close<Isa, T, false, true> : sum_close<Isa, T, false, false>);
    sum(lanes_of(work, lists), lists, work.sums);
}

template <class Isa, class T>
void empty_cells(Work<Isa>& work, Lists<T>& lists)
{
    const bool by_type = work.rules.by_type && !work.rules.spline;
    const auto sum = work.rules.potential
                         ? (by_type ? sum_cells<Isa, T, true, true> : sum_cells<Isa, T, true, false>)
                         : (by_type ? sum_cells<Isa, T, false, true> : sum_cells<Isa, T, false, false>);
    sum(lanes_of(work, lists), lists, static_cast<T>(work.rules.eps2), work.sums);
}

template <class Isa, class T>
void empty_all(Work<Isa>& work, Lists<T>& lists)
{
    if (lists.n_far > 0) empty_far(work, lists);
    if (lists.n_close > 0) empty_close(work, lists);
    if (lists.n_cells > 0) empty_cells(work, lists);
}

typedef double Double4 __attribute__((vector_size(32)));

/// A coordinate in a list. In double it is that of the tree, scaled: differences are then exact however close
/// the pair. In float it is relative to the origin.
template <class T, class Isa>
T place(const Work<Isa>& work, double x, int axis)
{
    const ListRules& rules = work.rules;
    return static_cast<T>(sizeof(T) == sizeof(float) ? (x - rules.origin[axis]) * rules.scale[axis]
                                                     : x * rules.scale[axis]);
}

/// In units of the group. Full precision asks the body's type, for lengths of bodies are floats.
template <class Isa>
double softening_of(const Work<Isa>& work, Index j)
{
    const WalkTask& task = work.task;
    if (!work.rules.full) return work.rules.scale[0] * static_cast<double>(task.tree.body_softening[j]);
    return work.rules.scale[0] * task.tree.frame->length_scale *
           task.softening.length[task.particles.type_of(task.tree.order[j])];
}

/// A body that may be close to targets.
template <class Isa, class T>
void append_close(Work<Isa>& work, Lists<T>& lists, Index j)
{
    if (lists.n_close == Lists<T>::length) empty_close(work, lists);
    const int at = lists.n_close++;
    const ListRules& rules = work.rules;
    const Body& from = work.task.tree.bodies[j];
    BodyEntry<T>& body = lists.close[at];
    body = {place<T>(work, from.x, 0), place<T>(work, from.y, 1), place<T>(work, from.z, 2),
            static_cast<T>(from.mass)};
    const double soft =
        rules.by_type ? near_softening(rules.spline, softening_of(work, j)) : rules.close_soft;
    const auto low = [&](double x, int axis, T rounded) {
        return static_cast<T>((x - rules.origin[axis]) * rules.scale[axis] - static_cast<double>(rounded));
    };
    lists.close_rest[at] = {low(from.x, 0, body.x), low(from.y, 1, body.y), low(from.z, 2, body.z),
                            static_cast<T>(soft)};
    lists.close_index[at] = work.task.tree.order[j];
}

/// Bodies [first, first + count) of a leaf; `far` when none of them can be close.
template <class Isa, class T>
void append_bodies(Work<Isa>& work, Lists<T>& lists, Index first, Index count, bool far)
{
    typedef T Entry __attribute__((vector_size(4 * sizeof(T))));
    const ListRules& rules = work.rules;
    const TreeView& tree = work.task.tree;
    static_assert(largest_leaf <= Lists<T>::length && sizeof(Entry) == sizeof(BodyEntry<T>));
    if (lists.n_far + static_cast<int>(count) > Lists<T>::length) empty_far(work, lists);
    Double4 origin, scale;
    __builtin_memcpy(&origin, rules.origin, sizeof origin);
    __builtin_memcpy(&scale, rules.scale, sizeof scale);
    int n_far = lists.n_far;
    for (Index j = first; j < first + count; ++j) {
        Double4 x;
        __builtin_memcpy(&x, &tree.bodies[j], sizeof x);
        const Double4 relative = (x - origin) * scale;
        const Entry entry = __builtin_convertvector(sizeof(T) == sizeof(float) ? relative : x * scale, Entry);
        __builtin_memcpy(&lists.far[n_far], &entry, sizeof entry);
        if (rules.by_type) {
            const double eps = softening_of(work, j);
            lists.far_soft[n_far] = static_cast<T>(eps * eps);
        }
        const auto inside = [&](int k) -> int {  // 1 or 0, which `&` joins without a branch
            return __builtin_fabs(relative[k]) <= static_cast<double>(rules.box[k]);
        };
        if (far || !(inside(0) & inside(1) & inside(2))) {
            ++n_far;
            continue;
        }
        if (rules.close_in_double)
            append_close(work, work.exact, j);
        else
            append_close(work, lists, j);
    }
    lists.n_far = n_far;
}

/// Node k of a batch. Cells so near that the sums leave the range of float go to the lists in double.
template <class Isa, class T>
void append_cell(Work<Isa>& work, Lists<T>& lists, const NodeBatch& batch, int k)
{
    constexpr double gain2 = Isa::template gain<T> * Isa::template gain<T>;
    const ListRules& rules = work.rules;
    if constexpr (sizeof(T) == sizeof(float)) {
        const float s2 = batch.d2[k] + static_cast<float>(rules.eps2);
        if (!(s2 >= static_cast<float>(least_float_length * least_float_length)))
            return append_cell(work, work.exact, batch, k);
    }
    const NodeTail& tail = work.task.tree.tails[batch.slot[k]];
    const T b = static_cast<T>(batch.b[k]);
    const T unit = static_cast<T>(1.5 / (gain2 * gain2)) * (b * b);
    const T third = static_cast<T>(gain2 / 3) * (unit * (static_cast<T>(tail.xx) + tail.yy + tail.zz));
    T soft = 0;
    if (rules.by_type && !rules.spline)
        soft = static_cast<T>(batch.eps[k]) * static_cast<T>(work.targets.group.scale);
    if (lists.n_cells == Lists<T>::length) empty_cells(work, lists);
    lists.cells[lists.n_cells++] = {place<T>(work, batch.x[k], 0),
                                    place<T>(work, batch.y[k], 1),
                                    place<T>(work, batch.z[k], 2),
                                    static_cast<T>(batch.mass[k]),
                                    unit * tail.xx,
                                    unit * tail.xy,
                                    unit * tail.xz,
                                    unit * tail.yy,
                                    unit * tail.yz,
                                    unit * tail.zz,
                                    -third,
                                    2 * third,
                                    soft * soft,
                                    {}};
}

template <class Isa, class T>
void append_distant(Work<Isa>& work, DistantCells<T>& cells, const NodeBatch& batch, int k)
{
    const NodeTail& tail = work.task.tree.tails[batch.slot[k]];
    if (cells.n == DistantCells<T>::length) sum_distant<Isa>(cells, static_cast<T>(work.rules.local_eps2));
    const int at = cells.n++;
    cells.x[at] = static_cast<T>((batch.x[k] - work.rules.origin[0]) * work.rules.scale[0]);
    cells.y[at] = static_cast<T>((batch.y[k] - work.rules.origin[1]) * work.rules.scale[1]);
    cells.z[at] = static_cast<T>((batch.z[k] - work.rules.origin[2]) * work.rules.scale[2]);
    cells.mass[at] = batch.mass[k];
    const T b = static_cast<T>(batch.b[k]), b2 = b * b;
    cells.xx[at] = b2 * tail.xx;
    cells.xy[at] = b2 * tail.xy;
    cells.xz[at] = b2 * tail.xz;
    cells.yy[at] = b2 * tail.yy;
    cells.yz[at] = b2 * tail.yz;
    cells.zz[at] = b2 * tail.zz;
}

}  // namespace
}  // namespace aureole::gravity::tree
