// The order along the curve, as trees and domains have it: by key, deep key, key along the curve of a run
// where more than short_run share a cell, and id.
#pragma once

#include "gravity/tree/curve_refinement.hpp"

namespace aureole::gravity::tree {

/// Hands out 256-byte aligned pieces of a block; without one it only counts.
struct Carver {
    std::byte* base = nullptr;
    std::size_t used = 0;

    template <class T>
    void take(T*& piece, std::size_t n)
    {
        piece = base ? reinterpret_cast<T*>(base + used) : nullptr;
        used += (n * sizeof(T) + 255) / 256 * 256;
    }
};

/// Particles of a selection along the curve; long runs of equal keys keep the order of their indices and are
/// counted in `crowded`. `scratch` is that of sort_pairs().
void order_along_curve(Exec exec, const ConstParticlesView& particles, const Selection& selection,
                       const Frame* frame, SortBuffers& pairs, std::byte* scratch, Index* crowded);

/// The same on a GPU where pairs.key holds the keys of these or similar particles in their order, from
/// fewest_near_order to most_near_order of them. Counts in `crowded` where that did not help, too: then the
/// result is of no use. `bodies`: 32 bytes a particle, scratch.
void order_along_curve_again(Exec exec, const ConstParticlesView& particles, const Selection& selection,
                             const Frame* frame, SortBuffers& pairs, std::byte* bodies, Index* crowded);

/// What order_fully() works on: pairs that order_along_curve() left, memory for the runs as large as the
/// bodies (32 bytes a particle), a flag for each, scratch of select_flagged() and sort_pairs().
struct FullOrder {
    SortBuffers& pairs;
    std::byte* runs;
    std::uint8_t* flags;
    std::byte* scratch;
    Survey* survey;
};

/// By both keys and ids; where many still share a cell by a curve of their own too. The runs lie in
/// `work.runs`; there are none where their order needs no curve.
CellRuns order_fully(Exec exec, const ConstParticlesView& particles, Index n, const Frame* frame,
                     const FullOrder& work);

}  // namespace aureole::gravity::tree
