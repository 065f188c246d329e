// A tree copied to the host, and the sources below each of its nodes.
#pragma once

#include <optional>

#include "gravity/tree/tree.hpp"
#include "sim/core/particles.hpp"

namespace aureole::test {

template <class T>
std::vector<T> host_copy(Backend where, const T* from, std::size_t n)
{
    if (!from) return {};
    std::vector<T> result(n);
    if (where == Backend::cpu)
        std::copy(from, from + n, result.begin());
    else if (n > 0)
        device::copy(result.data(), from, n * sizeof(T));
    return result;
}

struct HostTree {
    gravity::tree::Frame frame;
    std::vector<gravity::tree::Body> bodies;
    std::vector<Index> order;
    std::vector<gravity::tree::NodeHead> heads;
    std::vector<gravity::tree::NodeTail> tails;
    std::vector<gravity::tree::NodeBox> boxes;
    std::vector<float> body_softening, node_softening;  ///< empty when all lengths are alike
    std::vector<Index> targets;                         ///< along the curve

    std::size_t n_leaves() const { return heads.size() / 2; }
};

inline HostTree to_host(Backend where, const gravity::tree::SourceTree& tree, const Index* targets,
                        std::size_t n_targets)
{
    const gravity::tree::TreeView view = tree.view();
    const std::size_t n = view.n_bodies, n_slots = 2 * std::size_t{view.n_leaves};
    return {host_copy(where, view.frame, 1)[0],       host_copy(where, view.bodies, n),
            host_copy(where, view.order, n),          host_copy(where, view.heads, n_slots),
            host_copy(where, view.tails, n_slots),    host_copy(where, view.boxes, n_slots),
            host_copy(where, view.body_softening, n), host_copy(where, view.node_softening, n_slots),
            host_copy(where, targets, n_targets)};
}

/// The tree over `sources` of `host`, built on the backend.
inline HostTree built_tree(Exec exec, const Particles& host, int leaf_size,
                           const gravity::Softening& softening = {},
                           const gravity::Selection& all_sources = {},
                           const gravity::Selection& all_targets = {})
{
    Particles particles = host.copy_to(exec.backend);
    const auto n = static_cast<Index>(host.size());
    gravity::tree::SourceTree tree;
    const gravity::Selection sources = all_sources.clipped(n), targets = all_targets.clipped(n);
    tree.build(exec, particles.view(), sources, {targets, particles.acceleration.view()},
               gravity::tree::type_softening(softening), leaf_size);
    return to_host(exec.backend, tree, tree.ordered(exec, particles.view(), targets), targets.size());
}

/// A node with the run of bodies below it, the leaves among those, and how many levels are below it.
struct NodeRun {
    Index slot, first_body, end_body, first_leaf, end_leaf;
    int height;
    bool is_leaf;
};

/// Depth first, children before their parent. Empty when the slots do not form a binary tree of n_leaves
/// leaves whose bodies follow one another.
inline std::vector<NodeRun> node_runs(const HostTree& tree)
{
    using gravity::tree::root_slot;
    std::vector<NodeRun> runs;
    std::vector<char> seen(tree.heads.size(), 0);
    Index body = 0, leaf = 0;
    const auto visit = [&](const auto& self, Index slot) -> std::optional<int> {
        if (slot >= tree.heads.size() || seen[slot]) return {};
        seen[slot] = 1;
        const gravity::tree::NodeTail& tail = tree.tails[slot];
        NodeRun run{slot, body, body, leaf, leaf, 0, tail.count > 0};
        if (run.is_leaf) {
            if (tail.first != body || tail.count > tree.bodies.size() - body) return {};
            body += tail.count;
            ++leaf;
        } else {
            const auto left = self(self, 2 * tail.first);
            if (!left || leaf != tail.first) return {};  // inner nodes are numbered by where they split
            const auto right = self(self, 2 * tail.first + 1);
            if (!right) return {};
            run.height = 1 + std::max(*left, *right);
        }
        run.end_body = body;
        run.end_leaf = leaf;
        runs.push_back(run);
        return run.height;
    };
    const bool whole = visit(visit, root_slot).has_value();
    if (!whole || body != tree.bodies.size() || leaf != tree.n_leaves()) return {};
    return runs;
}

}  // namespace aureole::test
