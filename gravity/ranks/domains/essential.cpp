#include "gravity/ranks/domains/essential.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>

namespace aureole::gravity::domains {
namespace {

/// Roundings of coordinates, which are below 1, in units of the tree.
constexpr double least_gap = 0x1p-50;

struct Node {
    const tree::NodeHead& head;
    const tree::NodeBox& box;
    float softening;
};

/// Square of the distance from the box, less what roundings may take off.
double least_distance2(const Entry& entry, const tree::NodeHead& head, double margin)
{
    const double x[3] = {head.x, head.y, head.z};
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double outside = std::max(entry.low[axis] - x[axis], x[axis] - entry.high[axis]);
        if (!(outside > 0)) continue;
        const double size = entry.high[axis] - entry.low[axis];
        const double gap = std::max(outside - margin * (outside + size) - least_gap, 0.0);
        sum += gap * gap;
    }
    return sum;
}

bool is_exact_enough(const Entry& entry, double d2, double mass, double b2, double eps, double margin)
{
    if (!(d2 > tree::least_distance * tree::least_distance * b2)) return false;
    const double ratio2 = b2 / d2;
    return mass * (ratio2 * std::sqrt(ratio2)) <= (1 - margin) * entry.tolerance * (eps * eps + d2);
}

bool is_small_enough(double d2, double b2, const tree::NodeBox& box, const EntryParams& params)
{
    if (!(d2 > b2 * 1.0001)) return false;
    double side = 0, offset2 = 0;
    for (int axis = 0; axis < 3; ++axis) {
        side = std::max<double>(side, box.high[axis] - box.low[axis]);
        const double offset = 0.5 * (box.high[axis] + box.low[axis]);
        offset2 += offset * offset;
    }
    const double reach = side * params.rule.inverse_angle + std::sqrt(offset2);
    return d2 > reach * reach * (1 + params.margin);
}

/// The decisions of acceptance.hpp in double, for all groups of an entry: false wherever one may say no.
bool is_surely_taken(const Entry& entry, const Node& node, const EntryParams& params)
{
    const double margin = params.margin, b = node.head.radius, b2 = b * b * (1 + margin);
    const double d2 = least_distance2(entry, node.head, margin);
    if (d2 <= entry.opened_within * entry.opened_within) return false;
    if (node.head.mass == 0) return d2 > b2;
    const double largest = std::max(std::abs(node.softening), entry.most_softening);
    if (params.rule.spline) {
        const double reach = 2.8 * largest + b;
        if (!(d2 > reach * reach * (1 + margin))) return false;
    } else if (node.softening < 0) {
        if (!(1.5 * largest * largest <= (1 - margin) * params.rule.softening_error * d2)) return false;
    }
    const double eps = params.rule.spline ? 0 : std::max(node.softening, entry.least_softening);
    if (entry.by_error && !is_exact_enough(entry, d2, node.head.mass, b2, eps, margin)) return false;
    return !entry.by_angle || is_small_enough(d2, b2, node.box, params);
}

/// Of flags that many threads set, whether this one was the first.
bool is_first(std::uint8_t& flag)
{
    const std::atomic_ref<std::uint8_t> shared(flag);
    return !shared.load(std::memory_order_relaxed) && !shared.exchange(1, std::memory_order_relaxed);
}

/// Entries that follow each other, with one for all of them and one for some at a time: where these surely
/// take a node, none of theirs needs to be looked at.
class EntryBlock {
public:
    static constexpr std::size_t most = 64, some = 8;

    explicit EntryBlock(std::span<const Entry> entries) : entries_(entries), all_(entries[0])
    {
        for (std::size_t k = 0; k < entries.size(); ++k) {
            include(all_, entries[k]);
            if (k % some == 0)
                together_[k / some] = entries[k];
            else
                include(together_[k / some], entries[k]);
        }
    }

    /// Whether one of them may open the node.
    bool opens(const Node& node, const EntryParams& params)
    {
        if (is_surely_taken(entries_[last_], node, params)) {
            if (entries_.size() == 1 || is_surely_taken(all_, node, params)) return false;
            for (std::size_t first = 0; first < entries_.size(); first += some) {
                if (is_surely_taken(together_[first / some], node, params)) continue;
                const std::size_t end = std::min(first + some, entries_.size());
                for (std::size_t k = first; k < end; ++k)
                    if (!is_surely_taken(entries_[k], node, params)) {
                        last_ = k;
                        return true;
                    }
            }
            return false;
        }
        return true;
    }

private:
    std::span<const Entry> entries_;
    Entry all_, together_[most / some];
    std::size_t last_ = 0;  ///< the entry that opened a node last
};

class Marks {
public:
    Marks(const DomainTree& tree, const EntryParams& params)
        : tree_(tree), params_(params), pairs_(tree.top), leaves_(tree.n_with_leaf)
    {
    }

    /// What no entry before has opened is appended to `found`. `stack` is scratch.
    void add(EntryBlock entries, std::vector<Index>& stack, Essential& found)
    {
        stack.assign(1, tree::root_slot);
        while (!stack.empty()) {
            const Index slot = stack.back();
            stack.pop_back();
            const tree::NodeTail& tail = tree_.tails[slot];
            if (is_elsewhere(tail)) continue;
            const Node node{tree_.heads[slot], tree_.boxes[slot],
                            tree_.node_softening.empty() ? 0.0f : tree_.node_softening[slot]};
            if (tail.count > 0) {
                if ((tail.count <= tree::few_sources || entries.opens(node, params_)) &&
                    is_first(leaves_[tail.first]))
                    found.leaves.push_back(tail.first);
            } else if (entries.opens(node, params_)) {
                if (tail.first < tree_.top && is_first(pairs_[tail.first])) found.pairs.push_back(tail.first);
                stack.push_back(2 * tail.first);
                stack.push_back(2 * tail.first + 1);
            }
        }
    }

private:
    /// Nothing below the node is the domain's own.
    bool is_elsewhere(const tree::NodeTail& tail) const
    {
        if (tail.first == tree::not_here) return true;
        if (tail.count > 0) return tail.first >= tree_.n_with_leaf;
        if (tail.first < tree_.top) return false;
        const std::size_t of_top = tail.first - tree_.top;
        return of_top >= tree_.top_has_own.size() || !tree_.top_has_own[of_top];
    }

    const DomainTree& tree_;
    const EntryParams& params_;
    std::vector<std::uint8_t> pairs_, leaves_;
};

/// Where in ascending numbers one is, or their count.
std::size_t position(const std::vector<Index>& in, Index number)
{
    const auto found = std::ranges::lower_bound(in, number);
    return found != in.end() && *found == number ? static_cast<std::size_t>(found - in.begin()) : in.size();
}

}  // namespace

Essential essential_nodes(const DomainTree& tree, const std::vector<Entry>& entries,
                          const EntryParams& params)
{
    if (tree.n_leaves == 0 || entries.empty()) return {};
    Marks marks(tree, params);
    Essential all;
    const std::size_t n = entries.size(), block = EntryBlock::most;
#pragma omp parallel if (n > block)
    {
        std::vector<Index> stack;
        Essential found;
#pragma omp for schedule(dynamic)
        for (std::size_t k = 0; k < n; k += block)
            marks.add(EntryBlock(std::span(entries).subspan(k, std::min(block, n - k))), stack, found);
#pragma omp critical(essential_nodes_found)
        {
            all.pairs.insert(all.pairs.end(), found.pairs.begin(), found.pairs.end());
            all.leaves.insert(all.leaves.end(), found.leaves.begin(), found.leaves.end());
        }
    }
    std::ranges::sort(all.pairs);
    std::ranges::sort(all.leaves);
    return all;
}

Essential difference(const Essential& from, const Essential& without)
{
    Essential rest;
    std::ranges::set_difference(from.pairs, without.pairs, std::back_inserter(rest.pairs));
    std::ranges::set_difference(from.leaves, without.leaves, std::back_inserter(rest.leaves));
    return rest;
}

Essential both(const Essential& a, const Essential& b)
{
    Essential all;
    std::ranges::set_union(a.pairs, b.pairs, std::back_inserter(all.pairs));
    std::ranges::set_union(a.leaves, b.leaves, std::back_inserter(all.leaves));
    return all;
}

void put_essential(const DomainTree& tree, const Essential& nodes, Writer& to)
{
    std::vector<Index> counts;
    for (const Index first : nodes.leaves) {
        const auto next = std::ranges::upper_bound(tree.leaf_starts, first);
        counts.push_back((next == tree.leaf_starts.end() ? tree.n_with_leaf : *next) - first);
    }
    to.put(nodes.pairs);
    to.put(nodes.leaves);
    to.put(counts);
    const auto put_slots = [&](const auto& array) {
        std::vector<typename std::decay_t<decltype(array)>::value_type> picked;
        picked.reserve(2 * nodes.pairs.size());
        for (const Index pair : nodes.pairs)
            picked.insert(picked.end(), {array[2 * pair], array[2 * pair + 1]});
        to.put(picked);
    };
    put_slots(tree.heads);
    put_slots(tree.tails);
    put_slots(tree.boxes);
    if (!tree.node_softening.empty()) put_slots(tree.node_softening);
    const auto put_bodies = [&](const auto& array) {
        std::vector<typename std::decay_t<decltype(array)>::value_type> picked;
        for (std::size_t k = 0; k < counts.size(); ++k)
            picked.insert(picked.end(), array.data() + nodes.leaves[k],
                          array.data() + nodes.leaves[k] + counts[k]);
        to.put(picked);
    };
    put_bodies(tree.bodies);
    put_bodies(tree.type);
    if (!tree.body_softening.empty()) put_bodies(tree.body_softening);
}

void take_essential(Reader& from, int owner, std::uint64_t n_of_owner, bool is_before, DomainTree& to)
{
    AUREOLE_EXPECT(owner != to.part, "domain {} was sent its own nodes", owner);
    const Index first_slot = static_cast<Index>(to.heads.size());
    Imported block{owner, first_slot / 2, from.take<Index>(), from.take<Index>(), {}};
    const std::vector<Index> counts = from.take<Index>();
    from.take(to.heads);
    from.take(to.tails);
    from.take(to.boxes);
    if (!to.node_softening.empty()) from.take(to.node_softening);
    for (Index slot = first_slot; slot < to.tails.size(); ++slot) {
        to.remote.push_back({slot, to.tails[slot].first, owner});
        to.tails[slot].first = tree::not_here;
    }
    Index body = static_cast<Index>(to.bodies.size());
    from.take(to.bodies);
    from.take(to.type);
    if (!to.body_softening.empty()) from.take(to.body_softening);
    for (std::size_t k = 0; k < counts.size(); ++k) {
        block.leaf_first.push_back(body);
        for (Index j = 0; j < counts[k]; ++j, ++body) {
            const std::uint64_t at_owner = block.leaves[k] + std::uint64_t{j};
            const bool is_own = is_before && at_owner >= n_of_owner;
            to.order.push_back(is_own ? static_cast<Index>(at_owner - n_of_owner) : body);
        }
    }
    to.imported.push_back(std::move(block));
}

void reserve_for(const std::vector<comm::Parts::Box>& messages, DomainTree& to)
{
    std::size_t slots = to.heads.size(), bodies = to.bodies.size(), remote = to.remote.size();
    for (const comm::Parts::Box& message : messages) {
        if (message.empty()) continue;
        Reader from(message);
        const std::size_t came = 2 * from.take<Index>().size();
        slots += came;
        remote += came;
        static_cast<void>(from.take<Index>());
        for (const Index count : from.take<Index>()) bodies += count;
    }
    to.heads.reserve(slots);
    to.tails.reserve(slots);
    to.boxes.reserve(slots);
    if (!to.node_softening.empty()) to.node_softening.reserve(slots);
    to.bodies.reserve(bodies);
    to.type.reserve(bodies);
    to.order.reserve(bodies);
    if (!to.body_softening.empty()) to.body_softening.reserve(bodies);
    to.remote.reserve(remote);
}

void join_remote(DomainTree& to)
{
    const std::size_t n = to.remote.size();
#pragma omp parallel for if (n > parallel_threshold)
    for (std::size_t k = 0; k < n; ++k) {
        const RemoteNode& node = to.remote[k];
        tree::NodeTail& tail = to.tails[node.slot];
        if (tail.first != tree::not_here) continue;
        for (const Imported& from : to.imported) {
            if (from.owner != node.owner) continue;
            const std::vector<Index>& numbers = tail.count > 0 ? from.leaves : from.pairs;
            const std::size_t at = position(numbers, node.first);
            if (at == numbers.size()) continue;
            tail.first = tail.count > 0 ? from.leaf_first[at] : from.first_pair + static_cast<Index>(at);
        }
    }
}

std::size_t counted_bytes(const DomainTree& tree)
{
    const std::size_t pairs = tree.n_pairs() - (tree.top + std::size_t{tree.n_branches});
    return pairs * 2 * (sizeof(tree::NodeHead) + sizeof(tree::NodeTail)) +
           (tree.bodies.size() - tree.n_with_leaf) * sizeof(tree::Body);
}

}  // namespace aureole::gravity::domains
