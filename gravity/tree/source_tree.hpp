// A tree over a range of particles, with its memory: what the tree solver and others walk.
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

    struct Ranges {
        IndexRange sources;  ///< clipped, not empty
        IndexRange targets;  ///< clipped; ordered along the same curve
    };

    /// Any positions: coincident, on a line, with far outliers. Waits once for the number of leaves, twice
    /// when many particles share a cell of 2^-21 of the extent. Cost: that of sorting.
    void build(Exec exec, const ParticlesView& particles, const Ranges& ranges,
               const TypeSoftening& softening, int leaf_size);

    /// Of the last build; valid until the next.
    TreeView view() const;
    /// Particle indices of the targets along the curve.
    const Index* targets() const;
    /// Whether the targets had accelerations when the tree was built.
    bool accelerations_known() const;

    /// Bytes kept for `n` particles, all of them sources and targets, of a typical distribution.
    static std::size_t bytes(Backend where, std::size_t n, const TypeSoftening& softening, int leaf_size);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace aureole::gravity::tree
