// The loops of phase_kernels.hpp for each set of instructions.
// Compiled without contraction. Sixteen points of a leaf, or 32 targets, lie in vector lanes together, and
// loops run over nodes and single sources.

#include <limits>

#include "halo/substructure/phase_kernels.hpp"
#include "sim/core/simd/instructions.hpp"
#include "sim/core/simd/pack.hpp"

namespace aureole::halo {
namespace {  // each instruction set keeps its own copy: a shared one could run where it must not

#define AUREOLE_INLINED __attribute__((always_inline)) inline

/// Sixteen numbers.
template <class Isa>
struct Sixteen {
    using P = Pack<Isa, float>;
    static constexpr int n = static_cast<int>(phase_leaf) / P::lanes;
    P part[n];
};

/// Sixteen points of phase space.
template <class Isa>
struct SixteenPoints {
    using P = Pack<Isa, float>;
    Sixteen<Isa> x[6];

    AUREOLE_INLINED void load(const PhaseTreeView& tree, Index first)
    {
        for (int axis = 0; axis < 6; ++axis)
            for (int k = 0; k < Sixteen<Isa>::n; ++k)
                x[axis].part[k] = P::load(tree.coordinate[axis] + first + k * P::lanes);
    }
    AUREOLE_INLINED P squared_to(const float (&p)[6], int k) const
    {
        P sum(0);
        for (int axis = 0; axis < 6; ++axis) {
            const P d = x[axis].part[k] - P(p[axis]);
            sum = sum + d * d;
        }
        return sum;
    }
    AUREOLE_INLINED P squared_gap(const PhaseBox& box, int k) const
    {
        P sum(0);
        for (int axis = 0; axis < 6; ++axis) {
            const P above = x[axis].part[k] - P(box.high[axis]), below = P(box.low[axis]) - x[axis].part[k];
            const P gap = max(max(above, below), P(0));
            sum = sum + gap * gap;
        }
        return sum;
    }
    /// One bit for each point that is near enough.
    AUREOLE_INLINED unsigned near(const float (&p)[6], float squared_length) const
    {
        unsigned bits = 0;
        for (int k = 0; k < Sixteen<Isa>::n; ++k)
            bits |= Isa::bits(squared_to(p, k) <= P(squared_length)) << (k * P::lanes);
        return bits;
    }
    AUREOLE_INLINED bool any_near(const PhaseBox& box, float squared_length) const
    {
        unsigned bits = 0;
        for (int k = 0; k < Sixteen<Isa>::n; ++k) bits |= Isa::bits(squared_gap(box, k) <= P(squared_length));
        return bits != 0;
    }
};

AUREOLE_INLINED void load_point(const PhaseTreeView& tree, Index place, float (&p)[6])
{
    for (int axis = 0; axis < 6; ++axis) p[axis] = tree.coordinate[axis][place];
}

/// Joins up to sixteen points to others.
template <class Isa>
struct LeafLinker {
    const PhaseTreeView& tree;
    UnionFind sets;
    Index begin, end;
    float squared_length;
    bool one_set;
    SixteenPoints<Isa> points{};

    AUREOLE_INLINED bool opens(Index node) const
    {
        return points.any_near(tree.box[node], squared_length) &&
               !(one_set && tree.friends[node] && sets.find(tree.shape.begin(node)) == sets.find(begin));
    }
    AUREOLE_INLINED void leaf(Index node) const { link(tree.shape.begin(node), tree.shape.end(node)); }

    AUREOLE_INLINED void link(Index from, Index to) const
    {
        const unsigned present = (1u << (end - begin)) - 1;
        for (Index place = from; place < to; ++place) {
            float p[6];
            load_point(tree, place, p);
            for (unsigned bits = points.near(p, squared_length) & present; bits != 0; bits &= bits - 1)
                sets.unite(begin + static_cast<Index>(__builtin_ctz(bits)), place);
        }
    }
};

template <class Isa>
void link_leaf(const PhaseTreeView& tree, Index leaf, UnionFind sets, float squared_length)
{
    LeafLinker<Isa> linker{
        tree, sets, tree.shape.begin(leaf), tree.shape.end(leaf), squared_length, tree.friends[leaf] != 0};
    if (linker.begin == linker.end) return;
    linker.points.load(tree, linker.begin);
    if (!linker.one_set) linker.link(linker.begin, linker.end);
    if (linker.end - linker.begin < phase_leaf) {  // lanes left over repeat the last point
        float p[6];
        load_point(tree, linker.end - 1, p);
        float padded[phase_leaf];
        for (int axis = 0; axis < 6; ++axis) {
            for (Index k = 0; k < phase_leaf; ++k)
                padded[k] = linker.begin + k < linker.end ? tree.coordinate[axis][linker.begin + k] : p[axis];
            for (int k = 0; k < Sixteen<Isa>::n; ++k)
                linker.points.x[axis].part[k] = Pack<Isa, float>::load(padded + k * Pack<Isa, float>::lanes);
        }
    }
    traverse(tree.shape, BalancedTree::after(leaf), linker);
}

template <class Isa>
void link_pairs(const PhaseTreeView& points, Index n, UnionFind sets, float squared_length)
{
    for (Index begin = 0; begin < n; begin += phase_leaf) {
        LeafLinker<Isa> linker{points,         sets, begin, begin + phase_leaf < n ? begin + phase_leaf : n,
                               squared_length, false};
        linker.points.load(points, begin);
        linker.link(begin, n);
    }
}

/// The least squared distance from one point to those in [begin, end), itself left out.
template <class Isa>
AUREOLE_INLINED float least_squared(const PhaseTreeView& tree, const float (&p)[6], Index own, Index begin,
                                    Index end)
{
    using P = Pack<Isa, float>;
    P least(std::numeric_limits<float>::infinity());
    Index first = begin;
    for (; first + phase_leaf <= end; first += phase_leaf) {
        if (own - first < phase_leaf) continue;
        SixteenPoints<Isa> points;
        points.load(tree, first);
        for (int k = 0; k < Sixteen<Isa>::n; ++k) least = min(points.squared_to(p, k), least);
    }
    float lanes[P::lanes];
    least.store(lanes);
    float result = lanes[0];
    for (int k = 1; k < P::lanes; ++k) result = lanes[k] < result ? lanes[k] : result;
    const auto compare = [&](Index from, Index to) {
        for (Index k = from; k < to; ++k) {
            float sum = 0;
            for (int axis = 0; axis < 6; ++axis) {
                const float d = tree.coordinate[axis][k] - p[axis];
                sum += d * d;
            }
            if (k != own && sum < result) result = sum;
        }
    };
    compare(first, end);
    if (own >= begin && own < first) {
        const Index block = begin + (own - begin) / phase_leaf * phase_leaf;
        compare(block, block + phase_leaf);
    }
    return result;
}

template <class Isa>
float squared_to_nearest_of(const PhaseTreeView& points, Index n, Index place)
{
    float p[6];
    load_point(points, place, p);
    return least_squared<Isa>(points, p, place, 0, n);
}

template <class Isa>
struct NearestVisitor {
    const PhaseTreeView& tree;
    Index own;
    float p[6];
    float nearest = std::numeric_limits<float>::infinity();

    float distance(Index node) const
    {
        const PhaseBox& box = tree.box[node];
        float sum = 0;
        for (int axis = 0; axis < 6; ++axis) {
            const float above = p[axis] - box.high[axis], below = box.low[axis] - p[axis];
            const float further = above > below ? above : below, gap = further > 0 ? further : 0;
            sum += gap * gap;
        }
        return sum;
    }
    bool reaches(float distance) const { return distance < nearest; }
    void leaf(Index node)
    {
        const float least = least_squared<Isa>(tree, p, own, tree.shape.begin(node), tree.shape.end(node));
        if (least < nearest) nearest = least;
    }
};

template <class Isa>
float squared_to_nearest(const PhaseTreeView& tree, Index place)
{
    NearestVisitor<Isa> visitor{tree, place, {}};
    load_point(tree, place, visitor.p);
    traverse_near_first(tree.shape, BalancedTree::root, visitor);
    return visitor.nearest;
}

// Potentials.

template <class Isa>
AUREOLE_INLINED Pack<Isa, float> inverse_root(Pack<Isa, float> x)
{
    using P = Pack<Isa, float>;
    using Integer = typename P::Mask;
    Integer bits;
    __builtin_memcpy(&bits, &x.v, sizeof bits);
    bits = 0x5f375a86 - (bits >> 1);  // x is positive, its top bit 0
    P y;
    __builtin_memcpy(&y.v, &bits, sizeof bits);
    const P half = P(0.5f) * x;
    y = y * (P(1.5f) - half * y * y);
    y = y * (P(1.5f) - half * y * y);
    return y * (P(1.5f) - half * y * y);
}

/// The targets of a bucket and their sums.
template <class Isa>
struct BucketTargets {
    using P = Pack<Isa, float>;
    static constexpr int n = static_cast<int>(force_bucket) / P::lanes;
    alignas(64) float x[force_bucket], y[force_bucket], z[force_bucket];
    alignas(64) std::int32_t number[force_bucket];  ///< which entry of the list each is
    alignas(64) double sum[force_bucket];
    float eps2;

    /// Members [from, to) of the list that begins with `body`: float sums over them, added in double.
    template <bool own>
    AUREOLE_INLINED void add_pairs(const ForceBody* body, Index from, Index to)
    {
        for (int k = 0; k < n; ++k) {
            const P tx = P::load(x + k * P::lanes), ty = P::load(y + k * P::lanes),
                    tz = P::load(z + k * P::lanes);
            P total(0);
            for (Index j = from; j < to; ++j) {
                const ForceBody& b = body[j];
                const P dx = P(b.x) - tx, dy = P(b.y) - ty, dz = P(b.z) - tz;
                const P squared = dx * dx + dy * dy + dz * dz + P(eps2);
                P mass(b.mass);
                if constexpr (own)
                    mass =
                        select(P::differs(number + k * P::lanes, static_cast<std::int32_t>(j)), mass, P(0));
                mass = select(squared < P(least_square), P(0), mass);
                total = total + mass * inverse_root<Isa>(max(squared, P(least_square)));
            }
            add_lanes(total, 1, sum + k * P::lanes);
        }
    }
    AUREOLE_INLINED void add_node(const ForceNode& node)
    {
        for (int k = 0; k < n; ++k) {
            const P dx = P::load(x + k * P::lanes) - P(node.x), dy = P::load(y + k * P::lanes) - P(node.y),
                    dz = P::load(z + k * P::lanes) - P(node.z);
            const P inverse = inverse_root<Isa>(dx * dx + dy * dy + dz * dz + P(eps2));
            add_lanes(node_potential<P>(node, dx, dy, dz, inverse), 1, sum + k * P::lanes);
        }
    }
};

/// The walk of a bucket down the tree of its list.
template <class Isa>
struct BucketWalk {
    struct Entry {
        int level;
        Index number;
    };

    const ForceLists& lists;
    Index list;
    const ForceBody* body;         ///< sources
    Index n_sources, first, last;  ///< `first` to `last`: the bucket among the sources, empty where it is not
    ForceBall ball;
    BucketTargets<Isa>& targets;
    Entry stack[8 * segments::max_levels + segments::most_start_nodes];
    int n_stack = 0;

    /// Adds those of up to 32 nodes that are far, then leaves that are not; the others wait.
    AUREOLE_INLINED void look_at(int level, Index from, Index to)
    {
        const ForceNode* const node = lists.node + lists.node_at(list, level, from);
        std::uint32_t near = 0;
        for (Index k = 0; k < to - from; ++k)
            if (is_far(node[k], ball))
                targets.add_node(node[k]);
            else
                near |= std::uint32_t{1} << k;
        for (; near != 0; near &= near - 1) {
            const Index number = from + static_cast<Index>(__builtin_ctz(near));
            if (level > 0)
                stack[n_stack++] = {level, number};
            else
                add_leaf(number);
        }
    }
    AUREOLE_INLINED void add_leaf(Index number)
    {
        const Index from = number * force_leaf, end = from + force_leaf,
                    to = end < n_sources ? end : n_sources;
        if (to <= first || from >= last)
            targets.template add_pairs<false>(body, from, to);
        else
            targets.template add_pairs<true>(body, from, to);
    }
    AUREOLE_INLINED void run()
    {
        const int start = lists.start_level(list);
        look_at(start, 0, lists.nodes_at(list, start));
        while (n_stack > 0) {
            const Entry at = stack[--n_stack];
            const Index n_below = lists.nodes_at(list, at.level - 1), from = 8 * at.number;
            look_at(at.level - 1, from, from + 8 < n_below ? from + 8 : n_below);
        }
    }
};

template <class Isa>
void bucket_potentials(const ForceLists& lists, Index bucket)
{
    const auto segment = segments::segment_at(lists.targets.lists, bucket, force_bucket);
    if (segment.begin == segment.end) return;
    const Index list = segment.list, n = lists.n_sources(list);
    const std::uint64_t begin = lists.targets.lists.begin[list];
    const ForceBody* const target = lists.targets.body + begin;
    const auto first = static_cast<Index>(segment.begin - begin),
               last = static_cast<Index>(segment.end - begin);
    BucketTargets<Isa> targets;
    targets.eps2 = lists.squared_softening[list];
    ForceBox box;
    for (Index t = 0; t < force_bucket; ++t) {
        const Index k = first + t < last ? first + t : last - 1;  // targets left over repeat the last
        targets.x[t] = target[k].x;
        targets.y[t] = target[k].y;
        targets.z[t] = target[k].z;
        targets.number[t] = static_cast<std::int32_t>(k);
        targets.sum[t] = 0;
        include(box, target[k], t == 0);
    }
    const ForceBody* const source = lists.sources.body + lists.sources.lists.begin[list];
    const bool among_sources = lists.is_renewed(list);
    BucketWalk<Isa> walk{
        lists,        list,    source, n, among_sources ? first : 0, among_sources ? last : 0,
        ball_of(box), targets, {}};
    if (lists.has_tree(list))
        walk.run();
    else
        for (Index leaf = 0; leaf * force_leaf < n; ++leaf) walk.add_leaf(leaf);
    for (Index t = 0; first + t < last; ++t) lists.put(list, segment.begin + t, targets.sum[t]);
}

template <class Isa>
const PhaseKernels& phase_kernels_of()
{
    static constexpr PhaseKernels kernels{link_leaf<Isa>, link_pairs<Isa>, squared_to_nearest<Isa>,
                                          squared_to_nearest_of<Isa>, bucket_potentials<Isa>};
    return kernels;
}

#undef AUREOLE_INLINED

}  // namespace

const PhaseKernels& AUREOLE_FOR_INSTRUCTIONS(phase_kernels)()
{
    return phase_kernels_of<simd::Instructions>();
}

}  // namespace aureole::halo
