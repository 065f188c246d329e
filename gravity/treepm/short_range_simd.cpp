// The walk of one group that ends at the cut, for each set of instructions: what it meets goes to lists of
// bodies that are apart from all targets, of bodies in or at their box, and of cells, which are summed for
// all targets when full (short_range_lists.hpp, short_range_sums.hpp).
//
// A node whose images may lie on several sides of the group is opened; a body of such a leaf enters a list
// once for each image that a target may meet, of which the cut, at most half of the box, leaves one. The
// build compiles this file without contraction of products and sums: decisions are alike for all
// instructions.
#include "gravity/tree/build.hpp"
#include "gravity/treepm/short_range_lists.hpp"
#include "sim/core/simd/instructions.hpp"

namespace aureole::gravity::treepm {
namespace {  // each instruction set keeps its own copy

constexpr double least_distance = 1.3;  ///< of a cell, in its radii
constexpr Index few_bodies = 4;         ///< a leaf of so few is never taken as a cell

typedef std::int64_t Mask4 __attribute__((vector_size(32)));
typedef float Float4 __attribute__((vector_size(16)));

/// Where a node is for the group.
struct Sight {
    double at[4];     ///< its centre of mass, of the image whose box is nearest
    double shift[4];  ///< what was taken off for that
    bool is_near;     ///< within the cut
    bool one_image;   ///< no other image is within half a box of any target
};

inline Sight see(const CpuWalk& walk, const CpuGroup& group, Index slot)
{
    constexpr double to_integer = 0x1.8p52;  // added and taken off, it leaves the nearest integer
    const tree::NodeBox& box = walk.task.tree.boxes[slot];
    Double4 x, origin, half;
    Float4 low, end;
    __builtin_memcpy(&x, &walk.task.tree.heads[slot], sizeof x);
    __builtin_memcpy(&origin, group.origin, sizeof origin);
    __builtin_memcpy(&half, group.half, sizeof half);
    const auto* const numbers = reinterpret_cast<const char*>(&box);
    __builtin_memcpy(&low, numbers, sizeof low);
    __builtin_memcpy(&end, numbers + 2 * sizeof(float), sizeof end);
    static_assert(sizeof(tree::NodeBox) == 6 * sizeof(float));
    const Float4 high = __builtin_shufflevector(end, end, 1, 2, 3, 0);
    const Mask4 places{-1, -1, -1, 0};
    x = (Double4)((Mask4)x & places);
    const Double4 middle = __builtin_convertvector(low + high, Double4) * (0.5 * walk.to_unit);
    // boxes are floats about the centre: a part in 10^6 wider is safe
    const Double4 wide =
        __builtin_convertvector(high - low, Double4) * (0.5 * (1 + 1e-6) * walk.to_unit) + half;
    const Double4 from = x * walk.to_unit - origin;
    const Double4 turns = ((from + middle) / walk.side + to_integer) - to_integer;
    const Double4 shift = turns * walk.side, at = from - shift, offset = at + middle;
    const Double4 off = offset < 0.0 ? -offset : offset, over = off - wide, reach = off + wide;
    const Double4 apart = over > 0.0 ? over : 0 * over, square = apart * apart;
    const double most = 0.5 * (1 - 1e-12) * walk.side;
    return {{at[0], at[1], at[2], 0},
            {shift[0], shift[1], shift[2], 0},
            square[0] + square[1] + square[2] < walk.cut2,
            reach[0] < most && reach[1] < most && reach[2] < most};
}

/// Square of a distance from the group's box.
inline double squared_gap(const CpuGroup& group, const double* at)
{
    const double x = gap(at[0], group.half[0]), y = gap(at[1], group.half[1]), z = gap(at[2], group.half[2]);
    return x * x + y * y + z * z;
}

template <class Isa>
bool is_taken(const Work<Isa>& work, const tree::NodeHead& head, const tree::NodeTail& tail, const double* at,
              double distance2)
{
    const CpuWalk& walk = work.walk;
    if (!(work.tolerance > 0) || (tail.count > 0 && tail.count <= few_bodies)) return false;
    const double b = walk.to_unit * static_cast<double>(head.radius), m = static_cast<double>(head.mass);
    if (!(distance2 > least_distance * least_distance * b * b)) return false;
    double farthest2 = 0;
    for (int k = 0; k < 3; ++k) {
        const double far = __builtin_fabs(at[k]) + work.group.half[k];
        farthest2 += far * far;
    }
    if (!(farthest2 < walk.reach2)) return false;
    const double eps = walk.largest_eps, distance = __builtin_sqrt(distance2);
    if (walk.spline ? !(distance > b + spline_support * eps)
                    : 1.5 * eps * eps > walk.task.softening_error * distance2)
        return false;
    const double ratio = b / distance;
    return m * (ratio * ratio * ratio) <= work.tolerance * distance2;
}

template <class Isa, class T>
void append_cell(Work<Isa>& work, Lists<T>& lists, const tree::NodeHead& head, const tree::NodeTail& tail,
                 const double* at)
{
    if (lists.n_cells == Lists<T>::length) empty_cells(work, lists);
    const T b = static_cast<T>(work.walk.to_unit) * static_cast<T>(head.radius), unit = b * b;
    const T xx = unit * static_cast<T>(tail.xx), yy = unit * static_cast<T>(tail.yy),
            zz = unit * static_cast<T>(tail.zz);
    lists.cells[lists.n_cells++] = {static_cast<T>(at[0]),
                                    static_cast<T>(at[1]),
                                    static_cast<T>(at[2]),
                                    static_cast<T>(head.mass),
                                    xx,
                                    unit * static_cast<T>(tail.xy),
                                    unit * static_cast<T>(tail.xz),
                                    yy,
                                    unit * static_cast<T>(tail.yz),
                                    zz,
                                    xx + yy + zz,
                                    {}};
}

/// Nodes to be looked at: of two children one waits while the other is opened.
struct NodeStack {
    Index slots[tree::deepest_level + 2];
    int height = 0;
};

template <class Isa>
void visit(Work<Isa>& work, Index slot, NodeStack& stack)
{
    const tree::TreeView& tree = work.walk.task.tree;
    const Sight sight = see(work.walk, work.group, slot);
    if (!sight.is_near) return;
    const tree::NodeHead& head = tree.heads[slot];
    const tree::NodeTail& tail = tree.tails[slot];
    const double distance2 = squared_gap(work.group, sight.at);
    if (sight.one_image && is_taken(work, head, tail, sight.at, distance2)) {
        if (work.walk.full || distance2 < least_cell_distance * least_cell_distance)
            return append_cell(work, work.exact, head, tail, sight.at);
        return append_cell(work, work.lists, head, tail, sight.at);
    }
    if (tail.count == 0) {
        stack.slots[stack.height++] = 2 * tail.first;
        stack.slots[stack.height++] = 2 * tail.first + 1;
        return;
    }
    if (!sight.one_image)
        for (Index j = tail.first; j < tail.first + tail.count; ++j) append_images(work, j);
    else if (work.walk.full)
        append_leaf(work, work.exact, tail, sight.shift);
    else
        append_leaf(work, work.lists, tail, sight.shift);
}

template <class Isa>
void walk_group(const CpuWalk& walk, const CpuGroup& group, GroupSums& sums)
{
    sums = {};
    Work<Isa> work(walk, group, sums);
    load_targets(work);
    NodeStack stack;
    stack.slots[stack.height++] = tree::root_slot;
    while (stack.height > 0) visit(work, stack.slots[--stack.height], stack);
    empty_all(work, work.lists);
    empty_all(work, work.exact);
}

}  // namespace

ShortRangeKernel AUREOLE_FOR_INSTRUCTIONS(short_range)() { return walk_group<simd::Instructions>; }

}  // namespace aureole::gravity::treepm
