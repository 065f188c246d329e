#include "gravity/ranks/domains/domain_tree.hpp"

#include <algorithm>
#include <numeric>

#include "gravity/ranks/domains/device_nodes.hpp"
#include "gravity/tree/walk_task.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::gravity::domains {
namespace {

using comm::Parts;
using tree::Likeness;
using tree::Node;

constexpr Exec exec{Backend::cpu};

/// Bodies beyond a cut that leaves of this side may ask for, and likenesses on either side.
constexpr Index reach = tree::largest_leaf;
static_assert(reach <= cut_unit);  // so that they are the next domain's, unless that is the last one

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// Likenesses of a domain with those beyond its cuts, zeros where there are none: entry `reach` is that of
/// its first particle.
using Window = Untouched<Likeness>;

void gather_own(const OrderedDomain& domain, const Whole& whole, const TreeParams& params, DomainTree& to)
{
    const DomainParticles& p = domain.particles;
    const Index n = to.n = static_cast<Index>(p.size());
    const bool by_body = !params.softening.uniform;
    // bodies of other domains follow
    const std::size_t capacity = n + reach + n / 4;
    to.bodies.reserve(capacity);
    to.type.reserve(capacity);
    to.order.reserve(capacity);
    to.bodies.resize(n);
    to.body_softening.resize(by_body ? n : 0);
    to.type.resize(n);
    to.order.resize(n);
#pragma omp parallel for if (n > parallel_threshold)
    for (Index i = 0; i < n; ++i) {
        to.type[i] = p.type[i];
        to.order[i] = i;
    }
    tree::gather_bodies(exec, p.view(), n, &whole.frame, to.order.data(), to.bodies.data(),
                        by_body ? to.body_softening.data() : nullptr, params.softening);
}

/// The first bodies go to the domain before, likenesses of the last to the one behind.
Parts::Boxes exchange_edges(Parts& parts, const Whole& whole, const std::vector<OrderedDomain>& domains,
                            const std::vector<DomainTree>& trees)
{
    Parts::Boxes out = parts.boxes();
    parts.phase([&](int part, int k) {
        const DomainTree& own = trees[at(k)];
        const Untouched<Likeness>& likeness = domains[at(k)].likeness;
        const int before = whole.neighbour(part, -1), behind = whole.neighbour(part, 1);
        const std::size_t n = std::min(own.n, reach);
        if (n == 0) return;
        if (before >= 0) {
            Writer to(out[at(k)][at(before)]);
            to.put(std::span<const Likeness>(likeness.data(), n));
            to.put(std::span<const tree::Body>(own.bodies.data(), n));
            to.put(std::span<const float>(own.body_softening.data(), own.body_softening.empty() ? 0 : n));
            to.put(std::span<const ParticleType>(own.type.data(), n));
        }
        if (behind >= 0)
            Writer(out[at(k)][at(behind)])
                .put(std::span<const Likeness>(likeness.data() + likeness.size() - n, n));
    });
    return parts.exchange(std::move(out));
}

/// Bodies of the domain behind, as many as came.
struct Beyond {
    std::vector<tree::Body> bodies;
    std::vector<float> softening;
    std::vector<ParticleType> type;
};

Window window_of(int part, const Whole& whole, const OrderedDomain& domain,
                 const std::vector<Parts::Box>& edges, Beyond& beyond)
{
    const std::size_t n = domain.likeness.size();
    Window window(reach + n + reach + 1);
    std::fill_n(window.begin(), reach, Likeness{0});
    std::fill_n(window.end() - (reach + 1), reach + 1, Likeness{0});
    if (n == 0) return window;
    std::memcpy(window.data() + reach, domain.likeness.data(), n);
    if (const int before = whole.neighbour(part, -1); before >= 0) {
        const auto last = Reader(edges[at(before)]).take<Likeness>();
        const std::size_t n_last = std::min<std::size_t>(last.size(), reach);
        std::memcpy(window.data() + (reach - n_last), last.data(), n_last);
        window[0] = 0;  // no leaf asks so far
    }
    if (const int behind = whole.neighbour(part, 1); behind >= 0) {
        Reader from(edges[at(behind)]);
        const auto first = from.take<Likeness>();
        std::memcpy(window.data() + reach + n, first.data(), std::min<std::size_t>(first.size(), reach));
        from.take(beyond.bodies);
        from.take(beyond.softening);
        from.take(beyond.type);
    }
    return window;
}

void find_own_leaves(const Window& window, Index leaf_size, DomainTree& to)
{
    Untouched<std::uint8_t> starts(reach + to.n);
    tree::find_leaves(exec, reach + to.n, leaf_size, window.data(), starts.data());
    to.n_with_leaf = to.n;
    if (to.n == 0) return;
    Untouched<Index> found(to.n);
    Array<std::byte> scratch(select_flagged_scratch_bytes(Backend::cpu, to.n));
    select_flagged(exec, to.n, starts.data() + reach, found.data(), &to.n_leaves, scratch.data());
    to.leaf_starts.assign(found.begin(), found.begin() + to.n_leaves);
    if (to.n_leaves == 0) return;
    const Index end =
        tree::leaf_from(reach + to.leaf_starts.back(), leaf_size, window.data()).last + 1 - reach;
    to.n_with_leaf = std::max(to.n, end);
}

void append_beyond(const Beyond& from, DomainTree& to)
{
    const std::size_t n = to.n_with_leaf - to.n;
    AUREOLE_EXPECT(n <= from.bodies.size(), "a leaf needs {} bodies of the next domain, found {}", n,
                   from.bodies.size());
    for (std::size_t j = 0; j < n; ++j) {
        to.bodies.push_back(from.bodies[j]);
        if (!from.softening.empty()) to.body_softening.push_back(from.softening[j]);
        to.type.push_back(from.type[j]);
        to.order.push_back(static_cast<Index>(to.order.size()));
    }
}

void build_own_nodes(const Window& window, const TreeParams& params, DomainTree& to)
{
    const bool by_body = !params.softening.uniform;
    // for imports that are as many; pages that are not written to take no memory, but the ledger counts them
    const std::size_t capacity = 4 * (to.n_leaves + std::size_t{1024});
    to.heads.reserve(capacity);
    to.tails.reserve(capacity);
    to.boxes.reserve(capacity);
    to.resize_pairs(to.n_leaves + std::size_t{1});
    if (by_body) to.node_softening.resize(to.heads.size());
    if (to.n_leaves == 0) return;
    if (params.made_on == Backend::cuda) return make_nodes_on_gpu(window.data() + reach, to);
    tree::Survey survey{};
    survey.n_leaves = to.n_leaves;
    Array<Index> meetings(to.n_leaves + std::size_t{1});
    const tree::NodeArrays nodes{to.heads.data(), to.tails.data(), to.boxes.data(),
                                 by_body ? to.node_softening.data() : nullptr, meetings.data()};
    tree::TreeView view{};
    view.n_bodies = to.n_with_leaf;
    view.bodies = to.bodies.data();
    view.body_softening = by_body ? to.body_softening.data() : nullptr;
    tree::build_nodes(exec, view, {&survey, to.n_leaves + 1, true}, to.leaf_starts.data(),
                      window.data() + reach, nodes);
}

/// A largest node of one domain.
struct Branch {
    tree::NodeHead head;
    tree::NodeTail tail;  ///< with the owner's numbers
    tree::NodeBox box;
    float softening;
    std::uint32_t left;  ///< likeness of its first body and the one before it
};

Node node_of(const Branch& branch) { return {branch.head, branch.tail, branch.box, branch.softening}; }

/// The branches, in the order of their bodies. The node that splits at a boundary between leaves has bodies
/// beyond a cut unless boundaries on both sides of it, likewise between leaves of this domain, are less
/// alike.
std::vector<Branch> branches_of(const Window& window, const DomainTree& of)
{
    const Index n = of.n_leaves;
    if (n == 0) return {};
    std::vector<Likeness> at_boundary;
    for (const Index start : of.leaf_starts) at_boundary.push_back(window[reach + start]);
    at_boundary.push_back(window[reach + of.n_with_leaf]);
    std::vector<std::uint8_t> is_cut(n + std::size_t{1});
    int least = 256;
    for (Index b = 0; b <= n; ++b)
        if (at_boundary[b] < least) least = at_boundary[b], is_cut[b] = 1;
    least = 256;
    for (Index b = n + 1; b-- > 0;)
        if (at_boundary[b] < least) least = at_boundary[b], is_cut[b] = 1;

    std::vector<Branch> branches;
    for (Index first = 0; first < n;) {
        Index end = first + 1;
        while (!is_cut[end]) ++end;
        const Likeness left = at_boundary[first], right = at_boundary[end];
        const bool is_right = left > right, is_root = left == 0 && right == 0;
        const Index slot = is_root ? tree::root_slot : 2 * (is_right ? first : end) + is_right;
        branches.push_back({of.heads[slot], of.tails[slot], of.boxes[slot],
                            of.node_softening.empty() ? 0.0f : of.node_softening[slot], left});
        first = end;
    }
    return branches;
}

/// Finishes the climb of all branches, as every domain does.
class Top {
public:
    Top(DomainTree& to, std::vector<Branch> branches, std::vector<int> owners)
        : to_(to), branches_(std::move(branches)), owners_(std::move(owners))
    {
    }

    void make()
    {
        const std::size_t n = branches_.size();
        to_.top = to_.n_pairs();
        to_.n_branches = static_cast<Index>(n);
        const bool by_body = !to_.node_softening.empty();
        to_.resize_pairs(to_.top + n);
        if (by_body) to_.node_softening.resize(to_.heads.size());
        to_.top_has_own.assign(n, 0);
        for (std::size_t j = 0; j < n; ++j) {
            const int owner = owners_[j];
            Climber climber{node_of(branches_[j]), static_cast<int>(j), j, branches_[j].left,
                            owner == to_.part};
            const std::uint32_t right = j + 1 < n ? branches_[j + 1].left : 0;
            while (climber.left > right) climber = joined(climber);
            if (climber.left == 0 && right == 0)
                store(tree::root_slot, climber);
            else
                waiting_.push_back(climber);
        }
        store_node(tree::empty_slot, Node{});
        to_.n_top_remote = to_.remote.size();
    }

private:
    struct Climber {
        Node node;
        int branch;  ///< -1: a parent
        std::size_t first;
        std::uint32_t left;
        bool has_own;
    };

    /// The parent of a right child and the sibling that waits for it.
    Climber joined(const Climber& right)
    {
        AUREOLE_EXPECT(!waiting_.empty(), "a branch of the domains' trees has no sibling");
        const Climber left = waiting_.back();
        waiting_.pop_back();
        const auto number = static_cast<Index>(to_.top + right.first);
        store(2 * number, left);
        store(2 * number + 1, right);
        const bool has_own = left.has_own || right.has_own;
        to_.top_has_own[right.first] = has_own;
        return {parent_of(left.node, right.node, number), -1, left.first, left.left, has_own};
    }

    void store(Index slot, const Climber& climber)
    {
        Node node = climber.node;
        if (climber.branch >= 0) {
            const int owner = owners_[static_cast<std::size_t>(climber.branch)];
            if (owner != to_.part) {
                to_.remote.push_back({slot, node.tail.first, owner});
                node.tail.first = tree::not_here;
            }
        }
        store_node(slot, node);
    }

    void store_node(Index slot, const Node& node)
    {
        to_.heads[slot] = node.head;
        to_.tails[slot] = node.tail;
        to_.boxes[slot] = node.box;
        if (!to_.node_softening.empty()) to_.node_softening[slot] = node.softening;
    }

    DomainTree& to_;
    std::vector<Branch> branches_;
    std::vector<int> owners_;
    std::vector<Climber> waiting_;
};

NodeRow row_of(const std::vector<Branch>& branches)
{
    NodeRow row;
    for (const Branch& branch : branches) {
        row.heads.push_back(branch.head);
        row.tails.push_back(branch.tail);
        row.boxes.push_back(branch.box);
        row.softening.push_back(branch.softening);
        row.left.push_back(static_cast<Likeness>(branch.left));
    }
    return row;
}

void build_tops(Parts& parts, const std::vector<Parts::Box>& of_part, Backend made_on,
                std::vector<DomainTree>& trees)
{
    const std::vector<Parts::Box> all = parts.all_gather(of_part);
    std::vector<Branch> branches;
    std::vector<int> owners;
    for (std::size_t part = 0; part < all.size(); ++part) {
        Reader(all[part]).take(branches);
        owners.resize(branches.size(), static_cast<int>(part));
    }
    parts.phase([&](int, int k) {
        Top(trees[at(k)], branches, owners).make();
        if (made_on == Backend::cuda) remake_top_on_gpu(row_of(branches), trees[at(k)]);
    });
}

}  // namespace

void DomainTree::resize_pairs(std::size_t pairs)
{
    heads.resize(2 * pairs);
    tails.resize(2 * pairs);
    boxes.resize(2 * pairs);
}

tree::TreeView DomainTree::view(const tree::Frame& frame) const
{
    return {static_cast<Index>(bodies.size()),
            n_leaves,
            &frame,
            bodies.data(),
            order.data(),
            heads.data(),
            tails.data(),
            boxes.data(),
            body_softening.empty() ? nullptr : body_softening.data(),
            node_softening.empty() ? nullptr : node_softening.data()};
}

void DomainTree::drop_imports()
{
    remote.resize(n_top_remote);
    for (const RemoteNode& node : remote) tails[node.slot].first = tree::not_here;
    imported.clear();
    resize_pairs(top + std::size_t{n_branches});
    if (!node_softening.empty()) node_softening.resize(heads.size());
    bodies.resize(n_with_leaf);
    if (!body_softening.empty()) body_softening.resize(n_with_leaf);
    type.resize(n_with_leaf);
    order.resize(n_with_leaf);
}

std::vector<DomainTree> build_trees(Parts& parts, const Whole& whole,
                                    const std::vector<OrderedDomain>& domains, const TreeParams& params,
                                    PhaseClock& clock)
{
    std::vector<DomainTree> trees(at(parts.held()));
    parts.phase([&](int part, int k) {
        trees[at(k)].part = part;
        gather_own(domains[at(k)], whole, params, trees[at(k)]);
    });
    clock.end("bodies");
    const Parts::Boxes edges = exchange_edges(parts, whole, domains, trees);
    std::vector<Parts::Box> branches(at(parts.held()));
    parts.phase([&](int part, int k) {
        DomainTree& own = trees[at(k)];
        Beyond beyond;
        const Window window = window_of(part, whole, domains[at(k)], edges[at(k)], beyond);
        find_own_leaves(window, static_cast<Index>(params.leaf_size), own);
        append_beyond(beyond, own);
        clock.end("leaves");
        build_own_nodes(window, params, own);
        clock.end("nodes");
        Writer(branches[at(k)]).put(branches_of(window, own));
    });
    clock.end("branches");
    build_tops(parts, branches, params.made_on, trees);
    clock.end("top");
    return trees;
}

}  // namespace aureole::gravity::domains
