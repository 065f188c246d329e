#include "halo/parts/group_heads.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "halo/copy_bytes.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo {
namespace {

int bits_of(std::uint64_t largest) { return std::max(1, static_cast<int>(std::bit_width(largest))); }

/// Each head has min_members points of its own, or one that is shared: a ghost or its original.
std::size_t most_heads(std::size_t n, std::size_t n_shared, const FofConfig& config)
{
    return std::min(n, n / std::max<std::size_t>(1, config.min_members) + n_shared);
}

std::size_t sort_bytes(Backend where, std::size_t n)
{
    return 2 * n * (sizeof(std::uint64_t) + sizeof(Index)) + sort_pairs_scratch_bytes(where, n) + 1024;
}

}  // namespace

void HeadSet::empty(Backend where, std::size_t heads, std::size_t of_shared)
{
    most_heads = heads;
    most_shared = of_shared;
    n_heads = n_shared = 0;
    n_members.require(where, heads);
    smallest_id.require(where, heads);
    smallest_index.require(where, heads);
    shared_index.require(where, 2 * of_shared);
    shared_head.require(where, 2 * of_shared);
}

HeadArrays HeadSet::arrays(std::size_t first)
{
    return {n_members.data() + first, smallest_id.data() + first, smallest_index.data() + first};
}

SharedPoints HeadSet::shared(std::size_t first)
{
    return {shared_index.data() + first, shared_head.data() + first};
}

GroupHeads::GroupHeads(Exec exec, const HeadSizes& sizes, const FofConfig& config, Ids ids, Scratch& scratch)
    : exec_(exec),
      sizes_(sizes),
      min_members_(config.min_members),
      ids_(ids),
      scratch_(scratch),
      heads_(&scratch.own)
{
    heads_->empty(exec.backend, most_heads(sizes.n_points, sizes.n_shared, config), sizes.n_shared);
    scratch_.label.require(exec.backend, sizes.n_places);
    scratch_.counter.require(exec.backend, 1);
    clear_labels(exec, sizes.n_places, scratch_.label.data());
}

void GroupHeads::take_all(HeadSet& all, Index first_head)
{
    heads_ = &all;
    first_head_ = first_head;
}

std::size_t GroupHeads::bytes(Backend where, std::size_t n, std::size_t n_ghosts, std::size_t n_part,
                              const FofConfig& config)
{
    const std::size_t heads = most_heads(n, 2 * n_ghosts, config);
    constexpr std::size_t of_head = 2 * sizeof(std::uint64_t) + 5 * sizeof(Index) + 1, of_place = 11;
    return n * sizeof(std::int32_t) + heads * of_head + 48 * n_ghosts + n_part * of_place +
           std::max(sort_bytes(where, heads) - 12 * heads, select_flagged_scratch_bytes(where, n_part));
}

void GroupHeads::add(const LinkedPart& part)
{
    const Index n = part.n;
    scratch_.by_place.require(exec_.backend, 2 * std::size_t{n});
    scratch_.flags.require(exec_.backend, 3 * std::size_t{n});
    scratch_.bytes.require(exec_.backend, select_flagged_scratch_bytes(exec_.backend, n));
    const PartSets s{n,
                     part.entries,
                     part.order,
                     part.set,
                     part.role,
                     scratch_.by_place.data(),
                     scratch_.by_place.data() + n,
                     part.wide[0],
                     part.wide[1],
                     part.wide[2],
                     scratch_.flags.data(),
                     scratch_.flags.data() + n,
                     scratch_.flags.data() + 2 * std::size_t{n}};
    const auto selected = [&](Index* list) {
        select_flagged(exec_, n, s.flag, list, scratch_.counter.data(), scratch_.bytes.data());
        Index count = 0;
        fetch_in_order(exec_, &count, scratch_.counter.data(), sizeof count);
        return count;
    };
    prepare_sets(exec_, s);
    const SetArrays own{n, s.own_set, s.order, s.n_members, s.row, s.root};
    count_members(exec_, own);
    mark_open_sets(exec_, s);
    flag_heads(exec_, s, min_members_);
    const Index n_new = selected(s.root);
    const Index first_head = heads_->n_heads;
    AUREOLE_EXPECT(first_head + std::size_t{n_new} <= heads_->most_heads,
                   "{} sets of friends, expected at most {}", first_head + std::size_t{n_new},
                   heads_->most_heads);
    const HeadArrays first = heads_->arrays(first_head);
    start_heads(exec_, s, n_new, first);
    SetArrays by_index = own;
    by_index.order = s.index;
    find_smallest_ids(exec_, by_index, {nullptr, 0}, first.smallest_index);
    if (part.entries.id)
        find_smallest_ids(exec_, own, {part.entries.id, ids_.largest}, first.smallest_id);
    else if (ids_.id)
        find_smallest_ids(exec_, by_index, ids_, first.smallest_id);
    write_heads(exec_, s, first_head, scratch_.label.data());

    if (heads_->most_shared > 0) {
        flag_shared_points(exec_, s);
        const Index n_here = selected(part.wide[3]);
        list_shared_points(exec_, s, part.wide[3], n_here, first_head, heads_->shared(heads_->n_shared));
        heads_->n_shared += n_here;
    }
    heads_->n_heads += n_new;
}

void GroupHeads::join_heads()
{
    const Index n = heads_->n_heads, n_shared = heads_->n_shared;
    scratch_.parent.require(exec_.backend, n);
    scratch_.row.require(exec_.backend, n);
    scratch_.bytes.require(exec_.backend, sort_pairs_scratch_bytes(exec_.backend, n_shared));
    const SharedPoints shared = heads_->shared(), spare = heads_->shared(heads_->most_shared);
    SortBuffers pairs{shared.index, spare.index, shared.head, spare.head};
    if (n_shared > 0) sort_pairs(exec_, n_shared, pairs, bits_of(sizes_.n_particles), scratch_.bytes.data());
    unite_heads(exec_, n_shared, pairs.key, pairs.value, n, scratch_.parent.data());
    add_to_roots(exec_, n, scratch_.parent.data(), heads_->arrays());
}

Index GroupHeads::select_groups()
{
    scratch_.flags.require(exec_.backend, heads_->n_heads);
    scratch_.group.require(exec_.backend, 2 * std::size_t{heads_->n_heads});
    scratch_.bytes.require(exec_.backend, select_flagged_scratch_bytes(exec_.backend, heads_->n_heads));
    flag_groups(exec_, heads_->n_heads, scratch_.parent.data(), heads_->n_members.data(), min_members_,
                scratch_.flags.data(), scratch_.row.data());
    select_flagged(exec_, heads_->n_heads, scratch_.flags.data(), scratch_.group.data(),
                   scratch_.counter.data(), scratch_.bytes.data());
    Index n_groups = 0;
    fetch_in_order(exec_, &n_groups, scratch_.counter.data(), sizeof n_groups);
    AUREOLE_EXPECT(n_groups <= std::numeric_limits<std::int32_t>::max(),
                   "{} groups are more than a label can number: ask for more members than {}", n_groups,
                   min_members_);
    return n_groups;
}

void GroupHeads::sort_groups(Index n_groups)
{
    scratch_.key.require(exec_.backend, 2 * std::size_t{n_groups});
    std::uint64_t* const keys = scratch_.key.data();
    scratch_.bytes.require(exec_.backend, sort_pairs_scratch_bytes(exec_.backend, n_groups));
    SortBuffers pairs{keys, keys + n_groups, scratch_.group.data(), scratch_.group.data() + heads_->n_heads};
    const auto sort = [&](std::uint64_t largest) {
        sort_pairs(exec_, n_groups, pairs, bits_of(largest), scratch_.bytes.data());
    };
    // stable sorts, the last key first
    take_keys(exec_, n_groups, pairs.value, heads_->smallest_index.data(), pairs.key);
    sort(sizes_.n_particles);
    if (ids_.largest > 0) {
        take_keys(exec_, n_groups, pairs.value, heads_->smallest_id.data(), pairs.key);
        sort(ids_.largest);
    }
    take_falling_keys(exec_, n_groups, pairs.value, heads_->n_members.data(), sizes_.n_particles, pairs.key);
    sort(sizes_.n_particles);
    scratch_.group_members.require(exec_.backend, n_groups);
    number_rows(exec_, n_groups, pairs.value, heads_->n_members.data(), scratch_.row.data(),
                scratch_.group_members.data());
}

GroupsView GroupHeads::finish()
{
    Index n_groups = 0;
    if (heads_->n_heads > 0) {
        join_heads();
        n_groups = select_groups();
        if (n_groups > 0) sort_groups(n_groups);
        write_rows(exec_, sizes_.n_places, first_head_, scratch_.parent.data(), scratch_.row.data(),
                   scratch_.label.data());
    }
    return {static_cast<Index>(sizes_.n_places), n_groups, scratch_.label.data(),
            scratch_.group_members.data()};
}

}  // namespace aureole::halo
