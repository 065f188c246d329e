#include "halo/fof/labels.hpp"

#include <algorithm>
#include <bit>

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo {
namespace {

// Members of a group are neighbours in the tree: one lane gathers a run of them before it touches the common
// result, or a group of millions would queue at one address.
constexpr Index elements_per_lane = 16;

AUREOLE_HD Index lane_end(Index n, Index first)
{
    return n - first < elements_per_lane ? n : first + elements_per_lane;
}

AUREOLE_HD void count_run_members(const SetArrays& sets, Index first)
{
    const Index end = lane_end(sets.n, first);
    for (Index k = first; k < end;) {
        const Index set = sets.set[k];
        Index run = k + 1;
        while (run < end && sets.set[run] == set) ++run;
        if (set != no_set) atomic_add(&sets.n_members[set], run - k);
        k = run;
    }
}

AUREOLE_HD void find_smallest_ids_of_runs(const SetArrays& sets, const Ids& ids, std::uint64_t* smallest,
                                          Index first)
{
    const Index end = lane_end(sets.n, first);
    for (Index k = first; k < end;) {
        const Index set = sets.set[k];
        const Index slot = set == no_set ? no_set : sets.row[set];
        std::uint64_t least = ~std::uint64_t{0};
        for (; k < end && sets.set[k] == set; ++k)
            if (slot != no_set && ids.of(sets.order[k]) < least) least = ids.of(sets.order[k]);
        if (slot != no_set) atomic_min(&smallest[slot], least);
    }
}

Index lanes_for(Index n) { return n == 0 ? 0 : (n - 1) / elements_per_lane + 1; }

int bits_of(std::uint64_t largest) { return std::max(1, static_cast<int>(std::bit_width(largest))); }

}  // namespace

void count_members(Exec exec, const SetArrays& sets)
{
    if constexpr (with_cuda)
        if (exec.backend == Backend::cuda) return count_members_cuda(exec, sets);
    for_each(exec, lanes_for(sets.n),
             [=] AUREOLE_HD(Index lane) { count_run_members(sets, lane * elements_per_lane); });
}

void find_smallest_ids(Exec exec, const SetArrays& sets, const Ids& ids, std::uint64_t* smallest)
{
    if constexpr (with_cuda)
        if (exec.backend == Backend::cuda) return find_smallest_ids_cuda(exec, sets, ids, smallest);
    for_each(exec, lanes_for(sets.n), [=] AUREOLE_HD(Index lane) {
        find_smallest_ids_of_runs(sets, ids, smallest, lane * elements_per_lane);
    });
}

void select_groups(Exec exec, const SetArrays& sets, Index min_members, Index* n_groups,
                   SelectScratch scratch)
{
    for_each(exec, sets.n, [=] AUREOLE_HD(Index k) {
        sets.n_members[k] = 0;
        sets.row[k] = no_set;
    });
    count_members(exec, sets);
    for_each(exec, sets.n, [=] AUREOLE_HD(Index k) {
        scratch.flag[k] = sets.set[k] == k && sets.n_members[k] >= min_members;
    });
    select_flagged(exec, sets.n, scratch.flag, sets.root_of_slot, n_groups, scratch.scratch);
}

void sort_groups(Exec exec, const SetArrays& sets, const Ids& ids, GroupArrays& groups)
{
    std::uint64_t* const smallest = groups.pairs.key;
    for_each(exec, groups.n, [=] AUREOLE_HD(Index slot) {
        smallest[slot] = ~std::uint64_t{0};
        sets.row[sets.root_of_slot[slot]] = slot;
    });
    find_smallest_ids(exec, sets, ids, smallest);

    // stable sorts, the last key first: slots rise with their roots, then smallest id, falling number of
    // members
    SortBuffers pairs = groups.pairs;
    for_each(exec, groups.n, [=] AUREOLE_HD(Index slot) { pairs.value[slot] = slot; });
    sort_pairs(exec, groups.n, pairs, bits_of(ids.largest), groups.sort_scratch);
    for_each(exec, groups.n, [=] AUREOLE_HD(Index g) {
        pairs.key[g] = sets.n - sets.n_members[sets.root_of_slot[pairs.value[g]]];
    });
    sort_pairs(exec, groups.n, pairs, bits_of(sets.n), groups.sort_scratch);

    Index* const n_members = groups.n_members;
    for_each(exec, groups.n, [=] AUREOLE_HD(Index g) {
        const Index root = sets.root_of_slot[pairs.value[g]];
        sets.row[root] = g;
        n_members[g] = sets.n_members[root];
    });
    groups.pairs = pairs;
}

void write_labels(Exec exec, const SetArrays& sets, std::int32_t* label)
{
    for_each(exec, sets.n, [=] AUREOLE_HD(Index i) { label[i] = -1; });
    for_each(exec, sets.n, [=] AUREOLE_HD(Index k) {
        const Index set = sets.set[k];
        const Index row = set == no_set ? no_set : sets.row[set];
        if (row != no_set) label[sets.order[k]] = static_cast<std::int32_t>(row);
    });
}

void write_core_flags(Exec exec, const SetArrays& sets, Index n_core, std::uint8_t* core)
{
    for_each(exec, sets.n, [=] AUREOLE_HD(Index k) { core[sets.order[k]] = k < n_core ? 1 : 0; });
}

}  // namespace aureole::halo
