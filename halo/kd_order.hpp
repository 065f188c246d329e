// The order of the tree's points: along a Hilbert curve (hilbert.hpp) through a cube around all particles, of
// three dimensions, or of six in phase space. Within crowded cells, along a Morton curve (Morton 1966).
#pragma once

#include "halo/kd_tree.hpp"
#include "sim/core/box.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/sort_pairs.hpp"

namespace aureole::halo {

/// The cube that is cut into cells, and who comes first.
struct CurveTask {
    ParticlesView particles;
    Box box;
    Vec3 low;                    ///< corner of the cube
    double inverse_side;         ///< 1 / its edge, 0 when all particles share a point
    std::uint8_t linking_types;  ///< particles of these types come first
    Vec3 low_velocity{};
    double inverse_velocity_side = 0;  ///< 1 / edge, as velocities count it; 0 in space

    AUREOLE_HD bool in_phase_space() const { return inverse_velocity_side > 0; }
};

/// Cells are 2^-21 of the cube's edge wide after the first sort, 2^-10 in phase space; where more than a leaf
/// of distinct points share one, each refinement makes all of them 2^10 (2^5) times narrower.
inline constexpr int max_refinements = 3;

/// Keys by cell, values 0..n-1: what the first sort takes, by 64 bits.
void make_curve_keys(Exec exec, const CurveTask& task, const SortBuffers& pairs);

/// After a sort: sets *crowded when a run of equal keys among the first `n_linking` is longer than a leaf and
/// holds distinct points. *crowded starts at zero.
void find_crowded_cells(Exec exec, const CurveTask& task, const SortBuffers& pairs, Index n_linking,
                        Index* crowded);

/// New keys for the next sort, by refined_key_bits: the present order, then finer cells. `refinement` from 1.
void refine_curve_keys(Exec exec, const CurveTask& task, SortBuffers& pairs, int refinement);
inline constexpr int refined_key_bits = 62;

}  // namespace aureole::halo
