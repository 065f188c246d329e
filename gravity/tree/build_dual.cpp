// The loops behind build.hpp, written once for both backends.
#include "gravity/tree/build.hpp"

#include "gravity/tree/curve_order.hpp"
#include "gravity/tree/node.hpp"
#include "sim/core/atomics.hpp"
#include "sim/core/for_each_chained_dual.hpp"

namespace aureole::gravity::tree {

namespace {

constexpr int long_key_bits = 3 * key_bits;

AUREOLE_HD int leading_zeros(std::uint64_t x)
{
#if defined(__CUDA_ARCH__)
    return __clzll(static_cast<long long>(x));
#else
    return __builtin_clzll(x);
#endif
}

/// Equal leading bits of two keys of 63 bits that differ.
AUREOLE_HD int common_bits(std::uint64_t a, std::uint64_t b) { return leading_zeros(a ^ b) - 1; }

/// Of the bodies i - 1 and i, whose keys and deep keys are equal; body 0 is at place `first` of all.
AUREOLE_HD int common_bits_beyond(Vec3 a, Vec3 b, Index i, Index first, const CellRuns& runs)
{
    const int of_places = leading_zeros((first + i - 1) ^ (first + i)) - 32;
    const CellRun* const run = run_at(runs, i);
    if (!run) return of_places;
    const std::uint64_t key_a = curve_key(a, run->frame), key_b = curve_key(b, run->frame);
    return key_a != key_b ? common_bits(key_a, key_b) : long_key_bits + of_places;
}

/// A node on its way up: the leaves it holds and what it is.
struct Climber {
    Index first, last;
    Node node;
};

/// From the leaves of `tree`, or from `given` nodes where there are some.
void climb(Exec exec, const TreeView& tree, const LeafCount& leaves, const Index* leaf_starts,
           const Likeness* likeness, const NodeArrays& nodes, const NodeArrays& given)
{
    const LeafCount count = leaves;
    for_each_chained(exec, count.most, [=] AUREOLE_HD(Index leaf) { nodes.meetings[leaf] = 0; });
    const auto from_leaf = [=] AUREOLE_HD(Index leaf) {
        const Index n_leaves = count.get();
        if (leaf >= n_leaves) return;
        const auto boundary = [=](Index k) { return k < n_leaves ? leaf_starts[k] : tree.n_bodies; };
        const Index begin = boundary(leaf);
        Climber at{leaf, leaf,
                   given.heads ? load_node(given, leaf) : make_leaf(tree, begin, boundary(leaf + 1) - begin)};
        Likeness left = likeness[begin], right = likeness[boundary(leaf + 1)];
        for (;;) {
            if (left == 0 && right == 0) {
                store_node(nodes, root_slot, at.node);
                store_node(nodes, empty_slot, Node{});
                return;
            }
            const bool is_right = left > right;  // the node splits from its left neighbour last
            const Index parent = is_right ? at.first : at.last + 1;
            store_node(nodes, 2 * parent + is_right, at.node);
            const Index other_end = is_right ? at.last : at.first;
            const Index met = atomic_exchange_published(&nodes.meetings[parent], other_end + 1);
            if (met == 0) return;  // the sibling will come by
            const Node sibling = load_node(nodes, 2 * parent + !is_right);
            (is_right ? at.first : at.last) = met - 1;
            // asked for here, so that memory works beside the arithmetic
            const Likeness beyond = likeness[is_right ? boundary(at.first) : boundary(at.last + 1)];
            at.node = is_right ? parent_of(sibling, at.node, parent) : parent_of(at.node, sibling, parent);
            (is_right ? left : right) = beyond;
        }
    };
    constexpr Index block = 64;  // few leaves on many multiprocessors
    if (exec.backend == Backend::cpu)
        for_each_uneven(exec, count.most, from_leaf);
    else
        for_each_chained(exec, count.most, from_leaf, block);
}

}  // namespace

void compare_neighbours(Exec exec, const ConstParticlesView& p, Index n, const Frame* frame,
                        const std::uint64_t* keys, const Index* order, const CellRuns& of, Likeness* likeness,
                        Index first)
{
    const CellRuns runs = of;
    for_each_chained(exec, n + 1, [=] AUREOLE_HD(Index i) {
        int common = -1;
        if (i > 0 && i < n) {
            const std::uint64_t a = keys[i - 1], b = keys[i];
            if (a != b) {
                common = common_bits(a, b);
            } else {
                const Vec3 x_a = p.position.load(order[i - 1]), x_b = p.position.load(order[i]);
                const std::uint64_t low_a = deep_curve_key(x_a, *frame).low;
                const std::uint64_t low_b = deep_curve_key(x_b, *frame).low;
                common = low_a != low_b ? long_key_bits + common_bits(low_a, low_b)
                                        : 2 * long_key_bits + common_bits_beyond(x_a, x_b, i, first, runs);
            }
        }
        likeness[i] = static_cast<Likeness>(1 + common);
    });
}

void find_leaves(Exec exec, Index n, Index leaf_size, const Likeness* likeness, std::uint8_t* starts)
{
    for_each_chained(exec, n, [=] AUREOLE_HD(Index i) {
        starts[i] = leaf_from(i, leaf_size, likeness).first == i ? 1 : 0;
    });
}

void gather_bodies(Exec exec, const ConstParticlesView& p, Index n, const Frame* frame, const Index* order,
                   Body* bodies, float* softening, const TypeSoftening& given)
{
    const TypeSoftening lengths = given;
    for_each_chained(exec, n, [=] AUREOLE_HD(Index k) {
        const Index i = order[k];
        const double length = frame->length_scale;
        const Vec3 x = p.position.load(i);
        bodies[k] = {length * x.x, length * x.y, length * x.z, frame->mass_scale * p.mass[i]};
        if (softening) softening[k] = static_cast<float>(length * lengths.length[p.type_of(i)]);
    });
}

void build_nodes(Exec exec, const TreeView& tree, const LeafCount& leaves, const Index* leaf_starts,
                 const Likeness* likeness, const NodeArrays& nodes)
{
    climb(exec, tree, leaves, leaf_starts, likeness, nodes, {});
}

void join_nodes(Exec exec, const NodeArrays& given, const LeafCount& count, const Index* numbers,
                const Likeness* likeness, const NodeArrays& nodes)
{
    TreeView none{};
    none.n_bodies = count.most;
    climb(exec, none, count, numbers, likeness, nodes, given);
}

}  // namespace aureole::gravity::tree
