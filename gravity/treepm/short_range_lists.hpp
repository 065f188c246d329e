// The lists of one group of the walk that ends at the cut: filling, and summing when full. Included by
// short_range_simd.cpp only.
#pragma once

#include "gravity/tree/tree_config.hpp"
#include "gravity/treepm/short_range_sums.hpp"

namespace aureole::gravity::treepm {
namespace {  // each instruction set keeps its own copy

/// Bodies farther than this part of the group's size from its box lose at most 2^-20 of a difference to the
/// rounding of coordinates.
constexpr double close_per_size = 1.0 / 16;
/// Shortest distance of far bodies, whose third power is a float, and of cells, whose seventh is.
constexpr double least_margin = 0x1p-30, least_cell_distance = 0x1p-15;

typedef double Double4 __attribute__((vector_size(32)));

template <class Isa>
struct Work {
    Work(const CpuWalk& of, const CpuGroup& targets, GroupSums& to)
        : walk(of),
          group(targets),
          sums(to),
          far_in_float(of.pair[0], Isa::template gain<float>),
          close_in_float(of.pair[0], 1),
          cells_in_float(of.cell[0], 1),
          pair_in_double(of.pair[1], Isa::template gain<double>),
          cells_in_double(of.cell[1], 1),
          tolerance(of.tolerance * targets.least_acceleration)
    {
        static_assert(Isa::template gain<double> == 1, "one series serves far and close bodies");
        double size = targets.half[0] > targets.half[1] ? targets.half[0] : targets.half[1];
        size = targets.half[2] > size ? targets.half[2] : size;
        margin = std::max(close_per_size * size, least_margin);
        if (of.spline) margin = std::max(margin, 1.001 * spline_support * of.largest_eps);
    }

    const CpuWalk& walk;
    const CpuGroup& group;
    GroupSums& sums;
    Series<float> far_in_float, close_in_float, cells_in_float;
    Series<double> pair_in_double, cells_in_double;
    double tolerance;  ///< of a cell; 0: all are opened
    double margin;     ///< bodies so near to the group's box are close
    TargetLanes<float> in_float;
    TargetLanes<double> in_double;
    Lists<float> lists;
    Lists<double> exact;

    // what sums in T read
    template <class T>
    const TargetLanes<T>& targets() const
    {
        return of<T>(in_float, in_double);
    }
    template <class T>
    const Series<T>& close() const
    {
        return of<T>(close_in_float, pair_in_double);
    }
    template <class T>
    const Series<T>& cells() const
    {
        return of<T>(cells_in_float, cells_in_double);
    }

private:
    template <class T, class Single, class Double>
    static const auto& of(const Single& single, const Double& exact)
    {
        if constexpr (sizeof(T) == sizeof(float))
            return single;
        else
            return exact;
    }
};

/// Fills the lanes; those past the last target with copies of the first.
template <class Isa>
void load_targets(Work<Isa>& work)
{
    const CpuGroup& from = work.group;
    TargetLanes<float>& lanes = work.in_float;
    TargetLanes<double>& exact = work.in_double;
    lanes.n = exact.n = from.n;
    for (int lane = 0; lane < static_cast<int>(short_range_group); ++lane) {
        const int k = lane < from.n ? lane : 0;
        const auto split = [lane](double x, double* all, float* high, float* low) {
            all[lane] = x;
            high[lane] = static_cast<float>(x);
            low[lane] = static_cast<float>(x - static_cast<double>(high[lane]));
        };
        split(from.x[k], exact.x, lanes.x, lanes.x_low);
        split(from.y[k], exact.y, lanes.y, lanes.y_low);
        split(from.z[k], exact.z, lanes.z, lanes.z_low);
        exact.soft[lane] = near_softening(work.walk.spline, from.eps[k]);
        exact.index[lane] = static_cast<std::int64_t>(from.particle[k]);
        lanes.soft[lane] = static_cast<float>(exact.soft[lane]);
        lanes.index[lane] = static_cast<std::int32_t>(from.particle[k]);
    }
}

template <class Isa, class T, int terms, bool potential>
void empty_far(Work<Isa>& work, Lists<T>& lists, const TargetLanes<T>& targets, const Series<T>& pair)
{
    const CpuWalk& walk = work.walk;
    const double eps2 = walk.largest_eps * walk.largest_eps;
    const auto sum = walk.spline || eps2 == 0 ? sum_far<Isa, T, terms, potential, FarSoftening::none>
                     : walk.by_type           ? sum_far<Isa, T, terms, potential, FarSoftening::by_type>
                                              : sum_far<Isa, T, terms, potential, FarSoftening::alike>;
    sum(targets, lists, pair, static_cast<T>(eps2), static_cast<T>(walk.cut2), work.sums);
}

template <class Isa>
void empty_far(Work<Isa>& work, Lists<float>& lists)
{
    const bool is_short = work.far_in_float.degree <= short_degree;
    const auto empty = work.walk.potential ? (is_short ? empty_far<Isa, float, short_degree, true>
                                                       : empty_far<Isa, float, float_degree, true>)
                                           : (is_short ? empty_far<Isa, float, short_degree, false>
                                                       : empty_far<Isa, float, float_degree, false>);
    empty(work, lists, work.in_float, work.far_in_float);
}
template <class Isa>
void empty_far(Work<Isa>& work, Lists<double>& lists)
{
    const auto empty = work.walk.potential ? empty_far<Isa, double, SplitPair::degree, true>
                                           : empty_far<Isa, double, SplitPair::degree, false>;
    empty(work, lists, work.in_double, work.pair_in_double);
}

template <class Isa, class T>
void empty_close(Work<Isa>& work, Lists<T>& lists)
{
    const bool spline = work.walk.spline;
    const auto sum = work.walk.potential
                         ? (spline ? sum_close<Isa, T, true, true> : sum_close<Isa, T, true, false>)
                         : (spline ? sum_close<Isa, T, false, true> : sum_close<Isa, T, false, false>);
    sum(work.template targets<T>(), lists, work.template close<T>(), static_cast<T>(work.walk.cut2),
        work.sums);
}

template <class Isa, class T>
void empty_cells(Work<Isa>& work, Lists<T>& lists)
{
    const auto sum = work.walk.potential ? sum_cells<Isa, T, true> : sum_cells<Isa, T, false>;
    sum(work.template targets<T>(), lists, work.template cells<T>(), work.sums);
}

template <class Isa, class T>
void empty_all(Work<Isa>& work, Lists<T>& lists)
{
    if (lists.n_far > 0) empty_far(work, lists);
    if (lists.n_close > 0) empty_close(work, lists);
    if (lists.n_cells > 0) empty_cells(work, lists);
}

/// In units.
template <class Isa>
double softening_of(const Work<Isa>& work, Index j)
{
    const ShortRangeTask& task = work.walk.task;
    if (!work.walk.by_type) return work.walk.largest_eps;
    return task.softening.length[task.particles.type_of(task.tree.order[j])] / work.walk.unit;
}

/// Body j of the tree, at a place relative to the group.
template <class Isa, class T>
void append_close(Work<Isa>& work, Lists<T>& lists, const double* at, Index j)
{
    if (lists.n_close == Lists<T>::length) empty_close(work, lists);
    const int k = lists.n_close++;
    tree::BodyEntry<T>& body = lists.close[k];
    body = {static_cast<T>(at[0]), static_cast<T>(at[1]), static_cast<T>(at[2]),
            static_cast<T>(work.walk.task.tree.bodies[j].mass)};
    const auto low = [](double x, T rounded) { return static_cast<T>(x - static_cast<double>(rounded)); };
    lists.close_rest[k] = {low(at[0], body.x), low(at[1], body.y), low(at[2], body.z),
                           static_cast<T>(near_softening(work.walk.spline, softening_of(work, j)))};
    lists.close_index[k] = work.walk.task.tree.order[j];
}

template <class Isa>
void append_close(Work<Isa>& work, const double* at, Index j)
{
    if (work.walk.close_in_double)
        append_close(work, work.exact, at, j);
    else
        append_close(work, work.lists, at, j);
}

/// Distance from the group's box along an axis.
inline double gap(double x, double half) { return std::max(__builtin_fabs(x) - half, 0.0); }

/// Bodies of a leaf that lies on one side of the group, from which `shift` takes the box's multiples.
template <class Isa, class T>
void append_leaf(Work<Isa>& work, Lists<T>& lists, const tree::NodeTail& leaf, const double* shift)
{
    typedef T Entry __attribute__((vector_size(4 * sizeof(T))));
    static_assert(tree::largest_leaf <= Lists<T>::length && sizeof(Entry) == sizeof(tree::BodyEntry<T>));
    const CpuWalk& walk = work.walk;
    if (lists.n_far + static_cast<int>(leaf.count) > Lists<T>::length) empty_far(work, lists);
    const Double4 scale{walk.to_unit, walk.to_unit, walk.to_unit, 1};
    Double4 origin, half, moved;
    __builtin_memcpy(&origin, work.group.origin, sizeof origin);
    __builtin_memcpy(&half, work.group.half, sizeof half);
    __builtin_memcpy(&moved, shift, sizeof moved);
    const bool by_type = walk.by_type && !walk.spline;
    for (Index j = leaf.first; j < leaf.first + leaf.count; ++j) {
        Double4 x;
        __builtin_memcpy(&x, &walk.task.tree.bodies[j], sizeof x);
        const Double4 at = (x * scale - origin) - moved;
        const Entry entry = __builtin_convertvector(at, Entry);
        __builtin_memcpy(&lists.far[lists.n_far], &entry, sizeof entry);
        const Double4 size = at < 0.0 ? -at : at, over = size - half, apart = over > 0.0 ? over : 0 * over;
        const Double4 square = apart * apart;
        if ((apart[0] <= work.margin) & (apart[1] <= work.margin) & (apart[2] <= work.margin)) {
            double place[4];
            __builtin_memcpy(place, &at, sizeof place);
            append_close(work, place, j);
            continue;
        }
        if (by_type) {
            const double eps = softening_of(work, j);
            lists.far_soft[lists.n_far] = static_cast<T>(eps * eps);
        }
        lists.n_far += square[0] + square[1] + square[2] < walk.cut2;
    }
}

/// All images of a body that targets may meet.
template <class Isa>
void append_images(Work<Isa>& work, Index j)
{
    const CpuWalk& walk = work.walk;
    const CpuGroup& group = work.group;
    const tree::Body& body = walk.task.tree.bodies[j];
    const Box box{walk.side};
    const double x[3] = {body.x, body.y, body.z};
    double at[3][2];
    int images[3];
    for (int k = 0; k < 3; ++k) {
        at[k][0] = box.nearest(x[k] * walk.to_unit - group.origin[k]);
        at[k][1] = at[k][0] - __builtin_copysign(walk.side, at[k][0]);
        images[k] = __builtin_fabs(at[k][0]) + group.half[k] > walk.side / 2 ? 2 : 1;
    }
    for (int a = 0; a < images[0]; ++a)
        for (int b = 0; b < images[1]; ++b)
            for (int c = 0; c < images[2]; ++c) {
                const double place[3] = {at[0][a], at[1][b], at[2][c]};
                double gap2 = 0;
                for (int k = 0; k < 3; ++k) {
                    const double apart = gap(place[k], group.half[k]);
                    gap2 += apart * apart;
                }
                if (gap2 < walk.cut2) append_close(work, place, j);
            }
}

}  // namespace
}  // namespace aureole::gravity::treepm
