#include "halo/fof/curve_order.hpp"
#include "halo/fof/linker.hpp"
#include "halo/fof/linking.hpp"

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
        if (tree.velocity) tree.velocity_box = w_.at<PaddedBox>(w_.memory().velocity_box);
        task_ = {w_.query(), tree, {w_.set()}};
        gather_points(w_.exec(), task_.query, w_.order(), w_.particles().n, tree);
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

}  // namespace aureole::halo
