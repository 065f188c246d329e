// Linking on a GPU, by groups of at most 32 neighbouring points, one warp each: first the points of a group
// among themselves, in registers; then the group walks the part of the tree behind it, so that each pair is
// met once, and joins sets by compare-and-swap. A group or node that is one set already is passed over as
// soon as both are the same set: nearly all of what is dense costs no comparison of points.
#include "halo/fof/linking.hpp"
#include "halo/fof/point_groups.hpp"
#include "halo/fof/warp_walk.cuh"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo::detail {
namespace {

constexpr unsigned warps_per_block = 4;
constexpr int blocks = 8;  ///< at once on a multiprocessor: 10, with less registers, are slower

/// The group's points, where all lanes can read them.
template <bool phase>
struct GroupPoints {
    Site<phase> site[PointGroups::largest];
    Index set[PointGroups::largest];         ///< an element of its set, the root when last asked
    unsigned sharing[PointGroups::largest];  ///< points that were then in the same set
};

/// One lane's point of a group.
template <bool phase>
struct Member {
    Index begin, end;  ///< of the group
    Index i;
    bool present;
    Site<phase> site;

    __device__ static Member of(const LinkTree& tree, const PointGroups& groups, Index g)
    {
        return of_run(tree, groups.begin(tree, g), groups.end(tree, g));
    }
    __device__ static Member of_run(const LinkTree& tree, Index begin, Index end)
    {
        Member m{};
        m.begin = begin;
        m.end = end;
        m.i = m.begin + this_lane();
        m.present = m.i < m.end;
        if (m.begin < m.end) m.site = site_of<phase>(tree, m.present ? m.i : m.begin);
        return m;
    }
    __device__ Index size() const { return end - begin; }
};

/// For the few pairs that float does not tell; apart, so that what it needs takes no registers of the rest.
__device__ __noinline__ bool friends_in_double(const LinkQuery& query, Index p, Index q)
{
    return query.squared_between(p, q) <= query.squared_length;
}

/// Bit k: this lane's point and the group's k-th are friends.
template <bool periodic, bool phase>
__device__ unsigned friends_in(const LinkQuery& query, const GroupPoints<phase>& group, Index size,
                               const Site<phase>& site)
{
    const LinkMetric<periodic, phase> metric = query.template metric<periodic, phase>();
    unsigned possible = 0, certain = 0;
    for (Index k = 0; k < size; ++k) {
        const float squared = metric.squared(site, group.site[k]);
        if (squared <= query.band.possible) possible |= 1u << k;
        if (squared <= query.band.certain) certain |= 1u << k;
    }
    for (unsigned open = possible & ~certain; open != 0; open &= open - 1) {
        const unsigned k = __ffs(open) - 1;
        const Index other = group.site[k].point.particle;
        if (friends_in_double(query, site.point.particle, other)) certain |= 1u << k;
    }
    return certain;
}

/// The lanes that this one is connected with, itself among them. `friends` of all lanes are symmetric.
__device__ unsigned component_of_lane(unsigned friends)
{
    unsigned own = 1u << this_lane();
    unsigned left = __ballot_sync(all_lanes, (friends & ~own) != 0);
    while (left != 0) {
        unsigned component = left & -left, before;
        do {
            before = component;
            component |= __ballot_sync(all_lanes, (friends & before) != 0);
        } while (component != before);
        if (component >> this_lane() & 1) own = component;
        left &= ~component;
    }
    return own;
}

/// One warp per group: sets start as the largest nodes of friends, or as what is connected within the group.
template <bool periodic, bool phase>
__global__ void __launch_bounds__(warps_per_block* lanes)
    start_groups_kernel(const __grid_constant__ LinkTask task, const __grid_constant__ PointGroups groups)
{
    __shared__ GroupPoints<phase> shared[warps_per_block];
    const Index g = blockIdx.x * warps_per_block + threadIdx.x / lanes;
    if (g >= groups.size()) return;
    const Member<phase> m = Member<phase>::of(task.tree, groups, g);
    if (m.begin >= m.end) return;
    const Index node = groups.node(g);
    if (task.tree.node[node].friends) {
        if (m.present) task.sets.parent[m.i] = task.tree.begin(task.tree.friendly_node(node));
        return;
    }
    GroupPoints<phase>& group = shared[threadIdx.x / lanes];
    group.site[this_lane()] = m.site;
    __syncwarp();
    const unsigned friends = friends_in<periodic, phase>(task.query, group, m.size(), m.site);
    const unsigned component = component_of_lane(m.present ? friends : 0);
    if (m.present) task.sets.parent[m.i] = m.begin + __ffs(component) - 1;
    const bool connected = __all_sync(all_lanes, !m.present || component == all_lanes >> (lanes - m.size()));
    if (connected && groups.per_node == 1 && this_lane() == 0) task.tree.node[node].united = 1;
}

/// Joins a group to the points that its walk shows.
template <bool periodic, bool phase>
class JoinGroup {
public:
    __device__ JoinGroup(const LinkTask& task, GroupPoints<phase>& group, const Member<phase>& m)
        : task_(task),
          sets_(task.sets),
          group_(group),
          begin_(m.begin),
          size_(m.size()),
          i_(m.present ? m.i : m.begin)
    {
        group_.site[this_lane()] = m.site;
        ask_sets();
    }

    __device__ bool wants_node(Index k, const LinkNode& node)
    {
        return !(one_set_ && node.united && shares_set(task_.tree.begin(k)));
    }

    __device__ bool wants_point(bool near, Index j) { return near && !(one_set_ && shares_set(j)); }

    __device__ void see(bool present, const Site<phase>& site, Index j)
    {
        unsigned friends = friends_in<periodic, phase>(task_.query, group_, present ? size_ : 0, site);
        if (!__any_sync(all_lanes, friends != 0)) return;
        const Index theirs = friends != 0 ? sets_.find(j) : no_set;
        while (__any_sync(all_lanes, friends != 0)) {
            Index ours = no_set;
            if (friends != 0) {
                const unsigned k = __ffs(friends) - 1;
                ours = group_.set[k];
                friends &= ~group_.sharing[k];
            }
            unite_once(ours, theirs);
        }
        __syncwarp();
        ask_sets();
    }

private:
    /// For a group that is one set.
    __device__ bool shares_set(Index j)
    {
        Index theirs = sets_.glance(j);
        if (theirs == root_) return true;
        theirs = sets_.find(j);
        if (theirs == root_) return true;
        root_ = sets_.find(begin_);
        return theirs == root_;
    }

    /// Most lanes that have friends name the same two sets: one of them joins these. Atomics of many lanes on
    /// one root would wait for each other.
    __device__ void unite_once(Index ours, Index theirs)
    {
        const auto pair = static_cast<unsigned long long>(ours) << 32 | theirs;
        const unsigned alike = __match_any_sync(all_lanes, pair);
        const bool first = this_lane() == static_cast<unsigned>(__ffs(alike)) - 1;
        if (first && ours != no_set && ours != theirs) sets_.unite(ours, theirs);
        __syncwarp();
    }

    __device__ void ask_sets()
    {
        root_ = sets_.find(i_);
        group_.set[this_lane()] = root_;
        group_.sharing[this_lane()] = __match_any_sync(all_lanes, root_);
        one_set_ = one_set_ || __all_sync(all_lanes, root_ == __shfl_sync(all_lanes, root_, 0));
        __syncwarp();
    }

    const LinkTask& task_;
    const UnionFind& sets_;
    GroupPoints<phase>& group_;
    Index begin_, size_, i_;
    Index root_ = no_set;   ///< of this lane's point, when last asked
    bool one_set_ = false;  ///< all points of the group are one set
};

/// Many times as wide as the reach of a point: among its points there may lie far more than near them. Such
/// are the groups of what belongs to other parts of space (halo/parts), which surrounds all that is linked.
template <bool phase>
__device__ bool is_wide(const Bounds<phase>& bounds, const Band& band)
{
    constexpr float times = 8;
    float squared = bounds.box.box().squared_diagonal();
    if constexpr (phase)
        squared += BoundingBox<float>{bounds.velocities.low, bounds.velocities.high}.squared_diagonal();
    return squared > times * times * band.possible;
}

/// Whether all that is within reach of a box lies in the periodic box with it, where no image is nearer.
template <bool phase>
__device__ bool is_inside(const Bounds<phase>& bounds, const LinkQuery& query)
{
    constexpr float rounding = 0x1p-18f;  // of places in the frame, with some to spare
    const double side = query.box.side;
    const float reach = sqrtf(query.band.possible) * (1 + rounding) + rounding;
    const Vec3f first = query.frame.to_frame({0, 0, 0}), last = query.frame.to_frame({side, side, side});
    const Vec3f low = bounds.box.low, high = bounds.box.high;
    return low.x - reach > first.x && low.y - reach > first.y && low.z - reach > first.z &&
           high.x + reach < last.x && high.y + reach < last.y && high.z + reach < last.z;
}

/// Joins some points of a group to those that follow the group; false after about so many steps, with some
/// left.
template <bool periodic, bool phase>
__device__ bool join_run(const LinkTask& task, WarpLists<phase>& lists, GroupPoints<phase>& points,
                         const Member<phase>& m, const Bounds<phase>& own, Index group_end,
                         unsigned most_steps)
{
    using Visitor = JoinGroup<periodic, phase>;
    Visitor neighbours(task, points, m);
    WarpWalk<periodic, phase, Visitor> walk(task, lists, own, neighbours);
    return walk.run(group_end, most_steps);
}

/// Of a walk of a wide group; each of its points then walks alone. Most walks take about thirty.
constexpr unsigned most_steps_together = 256;

/// One warp per group.
template <bool periodic, bool phase>
__global__ void __launch_bounds__(warps_per_block* lanes, blocks)
    join_groups_kernel(const __grid_constant__ LinkTask task, const __grid_constant__ PointGroups groups)
{
    __shared__ WarpLists<phase> lists[warps_per_block];
    __shared__ GroupPoints<phase> shared[warps_per_block];
    const Index warp = threadIdx.x / lanes, g = blockIdx.x * warps_per_block + warp;
    if (g >= groups.size()) return;
    const Index begin = groups.begin(task.tree, g), end = groups.end(task.tree, g);
    bool together = true;  // or point by point
    for (Index first = begin; first < end;) {
        const Member<phase> m = Member<phase>::of_run(task.tree, first, together ? end : first + 1);
        const Bounds<phase> own = bounds_of_warp<phase>(m.site);
        const bool may_part = together && is_wide(own, task.query.band);
        const unsigned most = may_part ? most_steps_together : ~0u;
        const bool done = periodic && !is_inside(own, task.query)
                              ? join_run<periodic, phase>(task, lists[warp], shared[warp], m, own, end, most)
                              : join_run<false, phase>(task, lists[warp], shared[warp], m, own, end, most);
        if (together && done) return;
        if (!together) ++first;
        together = false;
        __syncwarp();
    }
}

template <bool periodic, bool phase>
void link_groups(CUstream_st* stream, LinkTask task)
{
    const PointGroups groups = PointGroups::of(task.tree);
    task.tree.cut_off_below(groups.level);  // 32 lanes look at 32 points as fast as at the box of 8
    const Index n_blocks = (groups.size() - 1) / warps_per_block + 1;
    start_groups_kernel<periodic, phase><<<n_blocks, warps_per_block * lanes, 0, stream>>>(task, groups);
    AUREOLE_CUDA_LAUNCHED("start_groups_kernel");
    join_groups_kernel<periodic, phase><<<n_blocks, warps_per_block * lanes, 0, stream>>>(task, groups);
    AUREOLE_CUDA_LAUNCHED("join_groups_kernel");
}

}  // namespace

void link_tree_cuda(CUstream_st* stream, const LinkTask& task)
{
    dispatch(task.query, [&]<bool periodic, bool phase> { link_groups<periodic, phase>(stream, task); });
}

}  // namespace aureole::halo::detail
