// One domain's share of the tree over all particles, and the top of that tree, which every domain has.
// A leaf belongs to the domain of its first body. Nodes whose bodies lie in one domain are made there; the
// largest of them, its branches, are gathered by all, who make their parents: equal bits everywhere.
#pragma once

#include "gravity/ranks/domains/distribution.hpp"
#include "gravity/tree/node.hpp"

namespace aureole::gravity::domains {

/// A node of another domain whose children or bodies are not here.
struct RemoteNode {
    Index slot;   ///< here
    Index first;  ///< its number, or its first body, in the tree of its owner
    int owner;
};

/// What came from another domain: pairs of children and bodies of leaves, by their numbers there, ascending.
struct Imported {
    int owner;
    Index first_pair;                       ///< here; they follow each other
    std::vector<Index> pairs;               ///< numbers there
    std::vector<Index> leaves, leaf_first;  ///< first bodies there and here
};

/// Pairs of slots by number: those of own nodes 0 to n_leaves, of the top, and imported ones. Bodies: own,
/// then those of the last leaf that are the next domain's, then imported ones.
struct DomainTree {
    int part = 0;
    Index n = 0;                    ///< own bodies
    Index n_with_leaf = 0;          ///< and those of the last leaf
    Index n_leaves = 0;             ///< that begin here
    Index top = 0, n_branches = 0;  ///< pairs of the top are top + 1 to top + n_branches - 1

    Untouched<tree::Body> bodies;
    Untouched<float> body_softening;  ///< empty where all are alike
    Untouched<ParticleType> type;
    Untouched<Index> order;  ///< a body's own number; that of the own body where it is a copy of one
    Untouched<Index> leaf_starts;
    Untouched<tree::NodeHead> heads;
    Untouched<tree::NodeTail> tails;
    Untouched<tree::NodeBox> boxes;
    Array<float> node_softening;
    std::vector<std::uint8_t> top_has_own;  ///< of each pair from top on: whether a branch below is own
    std::vector<RemoteNode> remote;
    std::vector<Imported> imported;
    std::size_t n_top_remote = 0;  ///< of remote, which belong to the top

    Index n_pairs() const { return static_cast<Index>(heads.size() / 2); }
    void resize_pairs(std::size_t pairs);
    /// Valid until something is added.
    tree::TreeView view(const tree::Frame& frame) const;
    void drop_imports();
};

/// Softening and leaves of a build.
struct TreeParams {
    tree::TypeSoftening softening;
    int leaf_size;
    Backend made_on = Backend::cpu;  ///< whose arithmetic makes the nodes
};

/// The trees of the domains held here, without imports. Two exchanges: bodies and likenesses with neighbours,
/// branches with all. Collective.
std::vector<DomainTree> build_trees(comm::Parts& parts, const Whole& whole,
                                    const std::vector<OrderedDomain>& domains, const TreeParams& params,
                                    PhaseClock& clock);

}  // namespace aureole::gravity::domains
