#include "halo/fof/curve_order.hpp"
#include "halo/fof/fof_workspace.hpp"
#include "halo/fof/linking.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

class TreeLinker : public Linker {
public:
    explicit TreeLinker(FofWorkspace& workspace) : w_(workspace) {}

    void order(Index n_linking) override
    {
        const FofMemory& memory = w_.memory();
        const std::size_t n = w_.particles().n;
        std::byte* const scratch = w_.at<std::byte>(memory.narrow + memory.wide_part);
        SortBuffers pairs{w_.at<std::uint64_t>(memory.wide),
                          w_.at<std::uint64_t>(memory.wide + 2 * memory.wide_part), w_.order(),
                          w_.at<Index>(memory.narrow)};
        const FofCurve curve(w_, n_linking);
        make_curve_keys(w_.exec(), curve.task(), pairs);
        sort_pairs(w_.exec(), n, pairs, curve.key_bits(), scratch);
        for (int refinement = 1; refinement <= max_refinements; ++refinement) {
            if (!curve.wants_finer_cells(refinement - 1)) break;
            const Index none = 0;
            w_.copy(w_.counters(), &none, sizeof none);
            find_crowded_cells(w_.exec(), curve.task(), pairs, n_linking, w_.counters());
            if (w_.fetched(w_.counters()) == 0) break;
            refine_curve_keys(w_.exec(), curve.task(), pairs, refinement);
            sort_pairs(w_.exec(), n, pairs, refined_key_bits, scratch);
        }
        if (pairs.value != w_.order()) w_.copy(w_.order(), pairs.value, n * sizeof(Index));
    }

    void build(Index n_core) override
    {
        LinkTree tree = w_.points(n_core);
        tree.node = w_.at<LinkNode>(w_.memory().narrow);
        if (w_.exec().backend == Backend::cuda) tree.fill_leaves(w_.config().leaf_size);
        if (tree.velocity) tree.velocity_box = w_.at<PaddedBox>(w_.memory().velocity_box);
        task_ = {w_.query(), tree, {w_.set()}};
        auto* const unordered =
            w_.exec().backend == Backend::cpu ? nullptr : w_.at<TreePoint>(w_.memory().unordered_point);
        gather_points(w_.exec(), task_.query, w_.order(), w_.particles().n, tree, unordered);
        if (n_core > 0) build_link_nodes(w_.exec(), tree, task_.query.band);
    }

    void flag_core(Index min_friends, std::uint8_t* flag) override
    {
        flag_core_points(w_.exec(), task_, min_friends, flag);
    }

    void link() override
    {
        if (w_.config().method == Method::brute_force) {
            start_alone(w_.exec(), task_);
            link_all_pairs(w_.exec(), task_);
        } else {
            link_tree(w_.exec(), task_);
        }
        flatten_sets(w_.exec(), task_.sets, task_.tree.n);
    }

    void join(IndexRange points) override { join_nearest(w_.exec(), task_, points); }

private:
    FofWorkspace& w_;
    LinkTask task_{};
};

}  // namespace

std::unique_ptr<Linker> make_tree_linker(FofWorkspace& workspace)
{
    return std::make_unique<TreeLinker>(workspace);
}

// Linking by a tree. On the CPU, every leaf traverses the part of the tree behind it, so that each pair is
// met once.

namespace {
/// Joins the points of one leaf to all their friends in the part of the tree that is walked.
template <bool periodic, bool phase>
struct LinkVisitor {
    const LinkTask& task;
    Bounds<phase> own;
    Index begin, end;  ///< the leaf's points
    Index root;        ///< when the leaf's points are all friends: of their set, when last asked

    LinkMetric<periodic, phase> metric() const { return task.query.template metric<periodic, phase>(); }

    bool opens(Index k)
    {
        const Bounds<phase> node = bounds_of<phase>(task.tree, k);
        return metric().squared(own, node) <= task.query.band.possible &&
               !(own.box.friends && node.box.friends && shares_set(k));
    }

    void leaf(Index k)
    {
        const Bounds<phase> node = bounds_of<phase>(task.tree, k);
        const Index first = task.tree.begin(k), last = task.tree.end(k);
        for (Index i = begin; i < end; ++i) {
            const Site<phase> site = site_of<phase>(task.tree, i);
            if (metric().squared(site, node) > task.query.band.possible) continue;
            if (node.box.friends && task.sets.find(i) == task.sets.find(first)) continue;
            if (link_to(i, site, first, last, node.box.friends) && own.box.friends && node.box.friends)
                return;
        }
    }

    /// Joins point i to its friends among [first, last), or to one of them; returns whether there was any.
    bool link_to(Index i, const Site<phase>& site, Index first, Index last, bool one_is_enough)
    {
        bool any = false;
        for (Index j = first; j < last && !(any && one_is_enough); ++j)
            if (task.query.template linked<periodic, phase>(site, site_of<phase>(task.tree, j))) {
                root = task.sets.unite(i, j);
                any = true;
            }
        return any;
    }

    /// For two nodes of friends: all members of either have one root.
    bool shares_set(Index k)
    {
        const Index theirs = task.sets.find(task.tree.begin(k));
        if (theirs == root) return true;
        root = task.sets.find(begin);
        return theirs == root;
    }
};

/// Pairs inside a leaf, then of the leaf with what comes after it in the tree: every pair once.
template <bool periodic, bool phase>
void link_leaf(const LinkTask& task, Index leaf)
{
    const LinkTree& tree = task.tree;
    const Index begin = tree.begin(leaf), end = tree.end(leaf);
    LinkVisitor<periodic, phase> visitor{task, bounds_of<phase>(tree, leaf), begin, end,
                                         task.sets.find(begin)};
    if (visitor.own.box.friends) {
        traverse(tree, LinkTree::after(tree.friendly_node(leaf)), visitor);
    } else {
        for (Index i = begin; i < end; ++i) visitor.link_to(i, site_of<phase>(tree, i), i + 1, end, false);
        traverse(tree, LinkTree::after(leaf), visitor);
    }
}

template <bool periodic, bool phase>
void link_leaves(const LinkTask& task)
{
    const Index first = task.tree.n_leaves();
#pragma omp parallel for schedule(dynamic, 64) if (first > parallel_threshold)
    for (Index m = 0; m < first; ++m) link_leaf<periodic, phase>(task, first + m);
}

/// Every point starts in the set of the largest node around it whose members are all friends, or alone.
void start_sets(const LinkTask& task)
{
    const LinkTree& tree = task.tree;
#pragma omp parallel for if (tree.n > parallel_threshold)
    for (Index i = 0; i < tree.n; ++i) {
        const Index leaf = tree.leaf_of(i);
        task.sets.parent[i] = tree.node[leaf].friends ? tree.begin(tree.friendly_node(leaf)) : i;
    }
}

}  // namespace

void link_tree(Exec exec, const LinkTask& task)
{
    AUREOLE_EXPECT(task.tree.n > 0 && task.tree.node, "a tree of {} points without nodes cannot be linked",
                   task.tree.n);
    if (exec.backend == Backend::cpu) {
        start_sets(task);
        return dispatch(task.query, [&]<bool periodic, bool phase> { link_leaves<periodic, phase>(task); });
    }
    if constexpr (with_cuda)
        detail::link_tree_cuda(exec.stream, task);
    else
        throw_not_built(exec.backend);
}

}  // namespace aureole::halo
