// A tree over some particles, with its memory: the tree solver and others walk it.
#pragma once

#include <memory>

#include "gravity/tree/tree_view.hpp"

namespace aureole::gravity::tree {

/// Buffers are kept between builds, so that a steady run allocates nothing.
class SourceTree {
public:
    SourceTree();
    ~SourceTree();
    SourceTree(SourceTree&&) noexcept;
    SourceTree& operator=(SourceTree&&) noexcept;

    /// Any positions: coincident, on a line, with far outliers. Selections are clipped, that of the sources
    /// is not empty; the curve fills the extent of sources and expected targets. Waits for the number of
    /// leaves, on a GPU while that makes the nodes; again when many particles share a cell of 2^-21 of the
    /// extent. Cost: that of sorting.
    void build(Exec exec, const ConstParticlesView& particles, const Selection& sources,
               const TargetRequest& expected, const TypeSoftening& softening, int leaf_size);

    /// Of the last build; valid until the next.
    TreeView view() const;

    /// Whether one of the expected targets had a previous acceleration other than zero.
    bool accelerations_known() const;

    /// The same for other targets, which lie within the extent. Waits for the result.
    bool has_accelerations(Exec exec, const ConstParticlesView& particles, const TargetRequest& request);

    /// The particle indices of some targets along the curve; valid until the next call or build. Cost: that
    /// of sorting, none where they are the sources.
    const Index* ordered(Exec exec, const ConstParticlesView& particles, const Selection& targets);

    /// Bytes kept for `n` particles, all of them sources and targets, of a typical distribution.
    static std::size_t bytes(Backend where, std::size_t n, const TypeSoftening& softening, int leaf_size);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace aureole::gravity::tree
