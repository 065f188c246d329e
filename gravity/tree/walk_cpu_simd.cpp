// The walk of one group, for each set of instructions.
//
// From the root down, up to eight pairs of siblings at a time from the top of a stack. Cells that are taken
// and bodies of opened leaves go to lists (walk_lists.hpp), which are summed for all targets when full,
// and distant cells go to one expansion for all (walk_sums.hpp).

#include "gravity/tree/build.hpp"
#include "gravity/tree/walk_lists.hpp"
#include "sim/core/simd/instructions.hpp"

namespace aureole::gravity::tree {
namespace {  // each instruction set keeps its own copy

/// Pairs of siblings to be looked at. Those of the last batch wait for one more, so that memory can bring
/// them, unless the stack has become high: of a plain stack that takes eight and gives sixteen, what a step
/// leaves behind is at most eight pairs a level.
constexpr int calm_height = 512;

struct PairStack {
    Index pairs[calm_height + 8 * deepest_level + 3 * batch_nodes];
    Index pending[batch_nodes];
    int height = 0, n_pending = 0;

    void push_pending()
    {
        for (int k = 0; k < n_pending; ++k) pairs[height++] = pending[k];
        n_pending = 0;
    }
};

/// Calls `act` with the number of every bit that is set, the lowest first.
template <class Action>
inline void for_each_bit(unsigned bits, Action act)
{
    for (; bits; bits &= bits - 1) act(__builtin_ctz(bits));
}

/// A node whose children or bodies are not here.
template <class Isa>
void note_missing(Work<Isa>& work, Index slot)
{
    work.sums.is_incomplete = true;
    const WalkRecord* const record = work.task.record;
    if (!record) return;
    const std::size_t at = record->n_missing->fetch_add(1, std::memory_order_relaxed);
    if (at < record->most_missing) record->missing[at] = slot;
}

/// Puts the nodes of a batch where they belong: into lists or, as pairs of children, on the stack.
template <class Isa, class T>
void sort_batch(Work<Isa>& work, Lists<T>& lists, DistantCells<T>& distant, const NodeBatch& batch,
                const Decisions& decisions, PairStack& stack)
{
    const TreeView& tree = work.task.tree;
    for_each_bit(decisions.opened, [&](int k) {
        const Index pair = static_cast<Index>(batch.first[k]);
        if (pair == not_here) return note_missing(work, batch.slot[k]);
        __builtin_prefetch(&tree.heads[2 * pair]);
        __builtin_prefetch(&tree.tails[2 * pair]);
        stack.pending[stack.n_pending++] = pair;
    });
    for_each_bit(decisions.leaves, [&](int k) {
        if (static_cast<Index>(batch.first[k]) == not_here) return;
        const Body* const bodies = tree.bodies + batch.first[k];
        for (int j = 0; j < batch.count[k]; j += 2) __builtin_prefetch(bodies + j);
    });
    for_each_bit(decisions.distant, [&](int k) { append_distant(work, distant, batch, k); });
    for_each_bit(decisions.cells, [&](int k) { append_cell(work, lists, batch, k); });
    for_each_bit(decisions.leaves, [&](int k) {
        const float reach = batch.b[k] + work.rules.far_above;
        const auto first = static_cast<Index>(batch.first[k]), count = static_cast<Index>(batch.count[k]);
        if (first == not_here) return note_missing(work, batch.slot[k]);
        work.sums.work += count;
        if (batch.d2[k] > bodies_beyond * bodies_beyond)
            append_bodies(work, work.exact, first, count, batch.d2[k] > reach * reach);
        else
            append_bodies(work, lists, first, count, batch.d2[k] > reach * reach);
    });
}

/// Moves up to 16 nodes from the stack to a batch.
inline void take_batch(const TreeView& tree, const Group& group, PairStack& stack, NodeBatch& batch)
{
    batch.n = 0;
    while (stack.height > 0 && batch.n < batch_nodes) {
        const Index pair = stack.pairs[--stack.height];
        append(tree, group, 2 * pair, batch);
        append(tree, group, 2 * pair + 1, batch);
    }
}

/// False, with sums of no use, when the group has to be split.
template <class Isa, class T>
bool walk_tree(Work<Isa>& work, Lists<T>& lists)
{
    const TreeView& tree = work.task.tree;
    const Group& group = work.targets.group;
    PairStack stack;
    NodeBatch batch{};
    DistantCells<T> distant;
    append(tree, group, root_slot, batch);
    unsigned n_close = 0;
    do {
        const Decisions decisions = decide<Isa>(group, batch);
        n_close += static_cast<unsigned>(__builtin_popcount(decisions.close));
        work.sums.work +=
            static_cast<unsigned>(batch.n + __builtin_popcount(decisions.cells | decisions.distant));
        if (n_close > most_nodes_close && work.targets.n > 1) return false;
        sort_batch(work, lists, distant, batch, decisions, stack);
        if (stack.height == 0 || stack.height > calm_height) stack.push_pending();
        take_batch(tree, group, stack, batch);
        stack.push_pending();
    } while (batch.n > 0);
    empty_all(work, lists);
    sum_distant<Isa>(distant, static_cast<T>(work.rules.local_eps2));
    add_expansion<Isa>(distant, work.targets, lanes_of(work, lists), work.sums);
    return true;
}

template <class Isa>
bool walk_group(const WalkTask& task, const GroupTargets& targets, GroupSums& sums)
{
    sums = {};
    Work<Isa> work(task, targets, sums);
    load_targets(targets, work);
    if (work.rules.full) return walk_tree(work, work.exact);
    if (!walk_tree(work, work.lists)) return false;
    empty_all(work, work.exact);
    return true;
}

}  // namespace

GroupKernel AUREOLE_FOR_INSTRUCTIONS(group_walk)() { return walk_group<simd::Instructions>; }

}  // namespace aureole::gravity::tree
