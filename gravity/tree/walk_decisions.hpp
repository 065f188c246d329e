// The decisions of acceptance.hpp for a batch of nodes at once, bit by bit the same: correctly rounded
// operations and explicit fma in the same order. Included by walk_cpu_simd.cpp only; tree_cpu_test.cpp
// compares the two.
#pragma once

#include "gravity/tree/walk_task.hpp"
#include "sim/core/simd/pack.hpp"

namespace aureole::gravity::tree {
namespace {  // each instruction set keeps its own copy

inline constexpr int batch_nodes = 16;

/// Nodes side by side; the last two lines are results.
struct NodeBatch {
    int n = 0;
    alignas(64) Index slot[batch_nodes];
    alignas(64) std::int32_t first[batch_nodes], count[batch_nodes];  ///< as in NodeTail
    alignas(64) double x[batch_nodes], y[batch_nodes], z[batch_nodes];
    alignas(64) float mass[batch_nodes], radius[batch_nodes], eps[batch_nodes], angle_reach2[batch_nodes];
    alignas(64) float place_x[batch_nodes], place_y[batch_nodes], place_z[batch_nodes];
    alignas(64) float d2[batch_nodes], b[batch_nodes];
};

/// Square of how far a node has to be when angles decide; see is_small_enough().
inline float angle_reach2_of(const Group& group, const NodeBox& box)
{
    float side = 0, offset2 = 0;
    for (int k = 0; k < 3; ++k) {
        const float across = box.high[k] - box.low[k];
        side = across > side ? across : side;
        const float offset = 0.5f * (box.high[k] + box.low[k]);
        offset2 = __builtin_fmaf(offset, offset, offset2);
    }
    const float reach =
        static_cast<float>(group.scale) * __builtin_fmaf(side, group.inverse_angle, __builtin_sqrtf(offset2));
    return reach * reach;
}

inline void append(const TreeView& tree, const Group& group, Index slot, NodeBatch& to)
{
    const NodeHead& head = tree.heads[slot];
    const int at = to.n++;
    to.slot[at] = slot;
    to.x[at] = head.x;
    to.y[at] = head.y;
    to.z[at] = head.z;
    to.mass[at] = head.mass;
    to.radius[at] = head.radius;
    to.first[at] = static_cast<std::int32_t>(tree.tails[slot].first);
    to.count[at] = static_cast<std::int32_t>(tree.tails[slot].count);
    to.eps[at] = tree.node_softening ? tree.node_softening[slot] : 0;
    if (!(group.tolerance > 0)) to.angle_reach2[at] = angle_reach2_of(group, tree.boxes[slot]);
}

template <class Isa>
void find_places(const double* from, double origin, double scale, float* place)
{
    using D = Pack<Isa, double>;
    typedef float Half __attribute__((vector_size(Isa::bytes / 2)));
    for (int at = 0; at < batch_nodes; at += D::lanes) {
        const Half rounded = __builtin_convertvector(((D::load(from + at) - D(origin)) * D(scale)).v, Half);
        __builtin_memcpy(place + at, &rounded, sizeof rounded);
    }
}

template <class Isa>
using Floats = Pack<Isa, float>;

/// Distance from the box of the group along one axis.
template <class Isa>
Floats<Isa> gap(Floats<Isa> x, float half)
{
    const Floats<Isa> zero(0), outside = max(x, zero - x) - Floats<Isa>(half);
    return max(outside, zero);
}

template <class Isa>
typename Floats<Isa>::Mask softened_alike(const Group& group, Floats<Isa> d2, Floats<Isa> b, Floats<Isa> eps)
{
    using P = Floats<Isa>;
    const P zero(0), largest = max(max(eps, zero - eps), P(group.softening));
    if (group.spline) {
        const P reach = Isa::exact_fma(P(2.8f).v, largest.v, b.v);
        return reach * reach < d2;
    }
    return (zero <= eps) | (P(1.5f) * (largest * largest) <= P(group.softening_error) * d2);
}

/// One bit per node, in one of these.
struct Decisions {
    unsigned distant;  ///< taken, and as is_far() says
    unsigned cells;    ///< taken, and not so
    unsigned leaves;   ///< to be summed body by body: not taken, or of few bodies
    unsigned opened;
    unsigned close;  ///< of any kind, as is_close() says
};

template <class Isa>
typename Floats<Isa>::Mask far(const Group& group, Floats<Isa> x, Floats<Isa> y, Floats<Isa> z,
                               Floats<Isa> mass, Floats<Isa> radius)
{
    using P = Floats<Isa>;
    const P d2 = Isa::exact_fma(x.v, x.v, Isa::exact_fma(y.v, y.v, (z * z).v));
    const P reach = Isa::exact_fma(radius.v, P(static_cast<float>(group.scale)).v, P(group.radius).v);
    const P reach2 = reach * reach, ratio2 = reach2 / d2, tolerance(group.tolerance);
    return (P(cells_beyond * cells_beyond) < d2) |
           ((P(2.25f) * reach2 < d2) & (P(group.far2) < d2) & (P(0) < tolerance) &
            (mass * (ratio2 * ratio2) <= P(far_part * group.tolerance) * d2));
}

/// By error or by angle: what is_taken() asks besides softening.
template <class Isa>
typename Floats<Isa>::Mask multipoles_serve(const Group& group, const NodeBatch& batch, int at,
                                            Floats<Isa> d2, Floats<Isa> b, Floats<Isa> mass, Floats<Isa> eps)
{
    using P = Floats<Isa>;
    if (!(group.tolerance > 0)) return (b * b * P(1.0001f) < d2) & (P::load(batch.angle_reach2 + at) < d2);
    constexpr float apart = least_distance * least_distance;
    const P largest = group.spline ? P(0) : max(eps, P(group.softening));
    const P ratio2 = b * b / d2, soft2 = Isa::exact_fma(largest.v, largest.v, d2.v);
    return (P(apart) * b * b < d2) & (mass * (ratio2 * P(Isa::sqrt(ratio2.v))) <= P(group.tolerance) * soft2);
}

template <class Isa>
Decisions decide(const Group& group, NodeBatch& batch)
{
    using P = Floats<Isa>;
    find_places<Isa>(batch.x, group.x, group.scale, batch.place_x);
    find_places<Isa>(batch.y, group.y, group.scale, batch.place_y);
    find_places<Isa>(batch.z, group.z, group.scale, batch.place_z);
    const P scale(static_cast<float>(group.scale)), zero(0);
    const P margin_x(group.half[0] + close_margin), margin_y(group.half[1] + close_margin),
        margin_z(group.half[2] + close_margin);
    unsigned taken = 0, distant = 0, leaves = 0, few = 0, close = 0;
    for (int at = 0; at < batch_nodes; at += P::lanes) {
        const P x = P::load(batch.place_x + at), y = P::load(batch.place_y + at),
                z = P::load(batch.place_z + at);
        const P dx = gap<Isa>(x, group.half[0]), dy = gap<Isa>(y, group.half[1]),
                dz = gap<Isa>(z, group.half[2]);
        const P d2 = Isa::exact_fma(dx.v, dx.v, Isa::exact_fma(dy.v, dy.v, (dz * dz).v));
        const P mass = P::load(batch.mass + at), radius = P::load(batch.radius + at), b = radius * scale;
        const P eps = P::load(batch.eps + at) * scale;
        d2.store(batch.d2 + at);
        b.store(batch.b + at);
        const auto yes = softened_alike<Isa>(group, d2, b, eps) &
                         multipoles_serve<Isa>(group, batch, at, d2, b, mass, eps);
        typename P::Mask count;
        __builtin_memcpy(&count, batch.count + at, sizeof count);
        taken |= Isa::bits((mass.v == zero.v) ? (b * b < d2) : yes) << at;
        close |= Isa::bits((max(x, zero - x) <= margin_x) & (max(y, zero - y) <= margin_y) &
                           (max(z, zero - z) <= margin_z))
                 << at;
        distant |= Isa::bits(far<Isa>(group, x, y, z, mass, radius)) << at;
        leaves |= Isa::bits(count > 0) << at;
        few |= Isa::bits((count > 0) & (count <= static_cast<std::int32_t>(few_sources))) << at;
    }
    const unsigned there = (1u << batch.n) - 1;
    const unsigned cells = there & taken & ~few, rest = there & ~cells;
    return {cells & distant, cells & ~distant, rest & leaves, rest & ~leaves, there & close};
}

}  // namespace
}  // namespace aureole::gravity::tree
