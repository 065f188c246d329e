// The part of a find that methods differ in: how particles are ordered and how friends meet.
#pragma once

#include <memory>

#include "halo/fof/fof_workspace.hpp"

namespace aureole::halo {

class Linker {
public:
    virtual ~Linker() = default;

    /// Fills workspace.order(): all particles, those of linking types first.
    virtual void order(Index n_linking) = 0;
    /// Gathers all points, the first `n_core` of the order as those that link.
    virtual void build(Index n_core) = 0;
    /// flag[k] = 1 for linking points with at least `min_friends` friends, itself not counted.
    virtual void flag_core(Index min_friends, std::uint8_t* flag) = 0;
    /// workspace.set() of every core point: the root of its set.
    virtual void link() = 0;
    /// set() of the others: that of their nearest core point within the linking length, or no_set.
    virtual void join(IndexRange points) = 0;
};

/// Walks over a tree; brute force is a tree of one leaf.
std::unique_ptr<Linker> make_tree_linker(FofWorkspace& workspace);

/// Cells; nothing where the extent does not suit them.
std::unique_ptr<Linker> make_cell_linker(FofWorkspace& workspace);

}  // namespace aureole::halo
