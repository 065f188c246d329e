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
std::size_t most_heads(std::size_t n, std::size_t n_ghosts, const FofConfig& config)
{
    return std::min(n, n / std::max<std::size_t>(1, config.min_members) + 2 * n_ghosts);
}

std::size_t sort_bytes(Backend where, std::size_t n)
{
    return 2 * n * (sizeof(std::uint64_t) + sizeof(Index)) + sort_pairs_scratch_bytes(where, n) + 1024;
}

}  // namespace

GroupHeads::GroupHeads(Exec exec, std::size_t n, std::size_t n_ghosts, const FofConfig& config, Ids ids)
    : exec_(exec),
      n_(n),
      min_members_(config.min_members),
      ids_(ids),
      most_heads_(most_heads(n, n_ghosts, config)),
      most_shared_(2 * n_ghosts),
      label_(exec.backend, n),
      n_members_(exec.backend, most_heads_),
      shared_head_(exec.backend, 2 * most_shared_),
      counter_(exec.backend, 1),
      smallest_id_(exec.backend, most_heads_),
      smallest_index_(exec.backend, most_heads_),
      shared_index_(exec.backend, 2 * most_shared_)
{
}

std::size_t GroupHeads::bytes(Backend where, std::size_t n, std::size_t n_ghosts, std::size_t n_part,
                              const FofConfig& config)
{
    const std::size_t heads = most_heads(n, n_ghosts, config);
    constexpr std::size_t of_head = 2 * sizeof(std::uint64_t) + 5 * sizeof(Index) + 1, of_place = 10;
    return n * sizeof(std::int32_t) + heads * of_head + 48 * n_ghosts + n_part * of_place +
           std::max(sort_bytes(where, heads) - 12 * heads, select_flagged_scratch_bytes(where, n_part));
}

void GroupHeads::leave_alone(const EntryArrays& entries, Index n)
{
    halo::leave_alone(exec_, entries, n, label_.data());
}

void GroupHeads::add(const LinkedPart& part)
{
    const Index n = part.n;
    by_place_.require(exec_.backend, 2 * std::size_t{n});
    flags_.require(exec_.backend, 2 * std::size_t{n});
    scratch_.require(exec_.backend, select_flagged_scratch_bytes(exec_.backend, n));
    const PartSets s{n,
                     part.entries,
                     part.order,
                     part.set,
                     part.role,
                     by_place_.data(),
                     by_place_.data() + n,
                     part.wide[0],
                     part.wide[1],
                     part.wide[2],
                     flags_.data(),
                     flags_.data() + n};
    const auto selected = [&](Index* list) {
        select_flagged(exec_, n, s.flag, list, counter_.data(), scratch_.data());
        Index count = 0;
        fetch_in_order(exec_, &count, counter_.data(), sizeof count);
        return count;
    };
    prepare_sets(exec_, s);
    const SetArrays own{n, s.own_set, s.order, s.n_members, s.row, s.root};
    count_members(exec_, own);
    mark_open_sets(exec_, s);
    flag_heads(exec_, s, min_members_);
    const Index n_new = selected(s.root);
    AUREOLE_EXPECT(n_heads_ + std::size_t{n_new} <= most_heads_, "{} sets of friends, expected at most {}",
                   n_heads_ + std::size_t{n_new}, most_heads_);
    const HeadArrays all = heads();
    const HeadArrays first{all.n_members + n_heads_, all.smallest_id + n_heads_,
                           all.smallest_index + n_heads_};
    start_heads(exec_, s, n_new, first);
    SetArrays by_index = own;
    by_index.order = s.index;
    find_smallest_ids(exec_, by_index, {nullptr, 0}, first.smallest_index);
    if (part.entries.id)
        find_smallest_ids(exec_, own, {part.entries.id, ids_.largest}, first.smallest_id);
    else if (ids_.id)
        find_smallest_ids(exec_, by_index, ids_, first.smallest_id);
    write_heads(exec_, s, n_heads_, label_.data());

    if (most_shared_ > 0) {
        flag_shared_points(exec_, s);
        const Index n_here = selected(part.wide[3]);
        list_shared_points(exec_, s, part.wide[3], n_here, n_heads_,
                           {shared_index_.data() + n_shared_, shared_head_.data() + n_shared_});
        n_shared_ += n_here;
    }
    n_heads_ += n_new;
}

void GroupHeads::join_heads()
{
    parent_.require(exec_.backend, n_heads_);
    row_.require(exec_.backend, n_heads_);
    scratch_.require(exec_.backend, sort_pairs_scratch_bytes(exec_.backend, n_shared_));
    SortBuffers pairs{shared_index_.data(), shared_index_.data() + most_shared_, shared_head_.data(),
                      shared_head_.data() + most_shared_};
    if (n_shared_ > 0) sort_pairs(exec_, n_shared_, pairs, bits_of(n_), scratch_.data());
    unite_heads(exec_, n_shared_, pairs.key, pairs.value, n_heads_, parent_.data());
    add_to_roots(exec_, n_heads_, parent_.data(), heads());
}

Index GroupHeads::select_groups()
{
    flags_.require(exec_.backend, n_heads_);
    group_.require(exec_.backend, 2 * std::size_t{n_heads_});
    scratch_.require(exec_.backend, select_flagged_scratch_bytes(exec_.backend, n_heads_));
    flag_groups(exec_, n_heads_, parent_.data(), n_members_.data(), min_members_, flags_.data(), row_.data());
    select_flagged(exec_, n_heads_, flags_.data(), group_.data(), counter_.data(), scratch_.data());
    Index n_groups = 0;
    fetch_in_order(exec_, &n_groups, counter_.data(), sizeof n_groups);
    AUREOLE_EXPECT(n_groups <= std::numeric_limits<std::int32_t>::max(),
                   "{} groups are more than a label can number: ask for more members than {}", n_groups,
                   min_members_);
    return n_groups;
}

void GroupHeads::sort_groups(Index n_groups)
{
    Buffer<std::uint64_t> keys(exec_.backend, 2 * std::size_t{n_groups});
    scratch_.require(exec_.backend, sort_pairs_scratch_bytes(exec_.backend, n_groups));
    SortBuffers pairs{keys.data(), keys.data() + n_groups, group_.data(), group_.data() + n_heads_};
    const auto sort = [&](std::uint64_t largest) {
        sort_pairs(exec_, n_groups, pairs, bits_of(largest), scratch_.data());
    };
    // stable sorts, the last key first
    take_keys(exec_, n_groups, pairs.value, smallest_index_.data(), pairs.key);
    sort(n_);
    if (ids_.largest > 0) {
        take_keys(exec_, n_groups, pairs.value, smallest_id_.data(), pairs.key);
        sort(ids_.largest);
    }
    take_falling_keys(exec_, n_groups, pairs.value, n_members_.data(), n_, pairs.key);
    sort(n_);
    group_members_.require(exec_.backend, n_groups);
    number_rows(exec_, n_groups, pairs.value, n_members_.data(), row_.data(), group_members_.data());
    if (exec_.backend == Backend::cuda) device::wait(exec_.stream);  // keys are given back
}

GroupsView GroupHeads::finish()
{
    Index n_groups = 0;
    if (n_heads_ > 0) {
        join_heads();
        n_groups = select_groups();
        if (n_groups > 0) sort_groups(n_groups);
        write_rows(exec_, n_, parent_.data(), row_.data(), label_.data());
    }
    return {static_cast<Index>(n_), n_groups, label_.data(), group_members_.data()};
}

}  // namespace aureole::halo
