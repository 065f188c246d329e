#include "halo/parts/head_loops.hpp"

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {
namespace {

constexpr std::uint8_t known_elsewhere = entry_ghost | entry_shared;

}  // namespace

void prepare_sets(Exec exec, const PartSets& s)
{
    for_each(exec, s.n, [=] AUREOLE_HD(Index k) {
        const Index e = s.order[k];
        if (s.role && s.role[e] == entry_stays_alone) s.set[k] = no_set;
        const std::uint8_t flags = s.entries.flags[e];
        s.known[k] = flags & known_elsewhere;
        s.own_set[k] = flags & entry_ghost ? no_set : s.set[k];
        s.index[k] = s.entries.index[e];
        s.n_members[k] = 0;
        s.row[k] = no_set;
        s.open[k] = 0;
    });
}

void mark_open_sets(Exec exec, const PartSets& s)
{
    for_each(exec, s.n, [=] AUREOLE_HD(Index k) {
        if (s.known[k] != 0 && s.set[k] != no_set) s.open[s.set[k]] = 1;
    });
}

void flag_heads(Exec exec, const PartSets& s, Index min_members)
{
    for_each(exec, s.n, [=] AUREOLE_HD(Index k) {
        const bool is_root = s.set[k] == k && s.n_members[k] > 0;
        s.flag[k] = is_root && (s.n_members[k] >= min_members || s.open[k]) ? 1 : 0;
    });
}

void start_heads(Exec exec, const PartSets& s, Index n_heads, const HeadArrays& heads)
{
    for_each(exec, n_heads, [=] AUREOLE_HD(Index slot) {
        const Index root = s.root[slot];
        heads.n_members[slot] = s.n_members[root];
        heads.smallest_id[slot] = ~std::uint64_t{0};
        heads.smallest_index[slot] = ~std::uint64_t{0};
        s.row[root] = slot;
    });
}

void write_heads(Exec exec, const PartSets& s, Index first_head, std::int32_t* label)
{
    const bool place_is_index = s.entries.place == s.entries.index;  // which is read in order
    for_each(exec, s.n, [=] AUREOLE_HD(Index k) {
        if (s.known[k] & entry_ghost) return;
        const Index set = s.own_set[k], row = set == no_set ? no_set : s.row[set];
        if (row == no_set) return;
        const Index place = place_is_index ? s.index[k] : s.entries.place_of(s.order[k]);
        label[place] = static_cast<std::int32_t>(first_head + row);
    });
}

void flag_shared_points(Exec exec, const PartSets& s)
{
    for_each(exec, s.n, [=] AUREOLE_HD(Index k) {
        s.flag[k] = s.known[k] != 0 && s.set[k] != no_set && s.row[s.set[k]] != no_set ? 1 : 0;
    });
}

void list_shared_points(Exec exec, const PartSets& s, const Index* list, Index n, Index first_head,
                        const SharedPoints& to)
{
    for_each(exec, n, [=] AUREOLE_HD(Index j) {
        const Index k = list[j];
        to.index[j] = s.index[k];
        to.head[j] = first_head + s.row[s.set[k]];
    });
}

void clear_labels(Exec exec, std::size_t n, std::int32_t* label)
{
    for_each(exec, static_cast<Index>(n), [=] AUREOLE_HD(Index place) { label[place] = -1; });
}

void unite_heads(Exec exec, Index n_shared, const std::uint64_t* index, const Index* head, Index n_heads,
                 Index* parent)
{
    const UnionFind sets{parent};
    for_each(exec, n_heads, [=] AUREOLE_HD(Index h) { parent[h] = h; });
    for_each(exec, n_shared, [=] AUREOLE_HD(Index k) {
        if (k > 0 && index[k] == index[k - 1] && head[k] != head[k - 1]) sets.unite(head[k], head[k - 1]);
    });
    for_each(exec, n_heads, [=] AUREOLE_HD(Index h) { sets.flatten(h); });
}

void add_to_roots(Exec exec, Index n_heads, const Index* parent, const HeadArrays& heads)
{
    for_each(exec, n_heads, [=] AUREOLE_HD(Index h) {
        const Index root = parent[h];
        if (root == h) return;
        atomic_add(&heads.n_members[root], heads.n_members[h]);
        atomic_min(&heads.smallest_id[root], heads.smallest_id[h]);
        atomic_min(&heads.smallest_index[root], heads.smallest_index[h]);
    });
}

void flag_groups(Exec exec, Index n_heads, const Index* parent, const Index* n_members, Index min_members,
                 std::uint8_t* flag, Index* row)
{
    for_each(exec, n_heads, [=] AUREOLE_HD(Index h) {
        flag[h] = parent[h] == h && n_members[h] >= min_members ? 1 : 0;
        row[h] = no_set;
    });
}

void take_keys(Exec exec, Index n, const Index* head, const std::uint64_t* number, std::uint64_t* key)
{
    for_each(exec, n, [=] AUREOLE_HD(Index g) { key[g] = number[head[g]]; });
}

void take_falling_keys(Exec exec, Index n, const Index* head, const Index* n_members, std::size_t most,
                       std::uint64_t* key)
{
    for_each(exec, n, [=] AUREOLE_HD(Index g) { key[g] = most - n_members[head[g]]; });
}

void number_rows(Exec exec, Index n, const Index* head, const Index* n_members, Index* row,
                 Index* group_members)
{
    for_each(exec, n, [=] AUREOLE_HD(Index g) {
        row[head[g]] = g;
        group_members[g] = n_members[head[g]];
    });
}

void shift_heads(Exec exec, Index n, Index first_head, Index* head)
{
    for_each(exec, n, [=] AUREOLE_HD(Index k) { head[k] += first_head; });
}

void write_rows(Exec exec, std::size_t n, Index first_head, const Index* parent, const Index* row,
                std::int32_t* label)
{
    for_each(exec, static_cast<Index>(n), [=] AUREOLE_HD(Index i) {
        const auto head = static_cast<Index>(label[i]);
        if (head != no_set) label[i] = static_cast<std::int32_t>(row[parent[first_head + head]]);
    });
}

}  // namespace aureole::halo
