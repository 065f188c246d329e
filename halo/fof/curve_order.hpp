// The order of the tree's points: along a Hilbert curve (sim/core/spatial/curve_keys.hpp) through a cube
// around all particles, of three dimensions, or of six in phase space. Within crowded cells, along a Morton
// curve (Morton 1966).
#pragma once

#include "halo/link_tree.hpp"
#include "sim/core/backend.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"
#include "sim/core/spatial/curve_keys.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {

class FofWorkspace;

/// The cube that is cut into cells, and who comes first.
struct CurveTask {
    ConstParticlesView particles;
    Box box;
    Vec3 low;                    ///< corner of the cube
    double inverse_side;         ///< 1 / its edge, 0 when all particles share a point
    std::uint8_t linking_types;  ///< particles of these types come first
    Vec3 low_velocity{};
    double inverse_velocity_side = 0;  ///< 1 / edge, as velocities count it; 0 in space
    int bits = aureole::key_bits;      ///< of a coordinate in the first key
    int lead = 0;                      ///< of them, those that only the wider three of six have
    bool velocities_lead = false;

    AUREOLE_HD bool in_phase_space() const { return inverse_velocity_side > 0; }
    AUREOLE_HD int axes() const { return in_phase_space() ? 6 : 3; }
    /// Of a coordinate in each refinement.
    AUREOLE_HD int refined_bits() const { return in_phase_space() ? 5 : 10; }

    /// Of a key whose coordinates have `coordinate_bits`.
    int key_bits(int coordinate_bits) const
    {
        if (!in_phase_space()) return 3 * coordinate_bits;
        return coordinate_bits <= lead ? 3 * coordinate_bits : 3 * lead + 6 * (coordinate_bits - lead);
    }
    /// One bit of a key is for particles that do not link.
    bool holds(int coordinate_bits) const
    {
        const bool can_interleave = !in_phase_space() || coordinate_bits <= lead + phase_key_bits;
        return can_interleave && key_bits(coordinate_bits) < 64;
    }
};

/// Cells are 2^-bits of the cube's edge wide after the first sort; where more than a leaf of distinct points
/// share one, each refinement makes all of them 2^10 (2^5 in phase space) times narrower.
inline constexpr int max_refinements = 3;

/// Keys by cell, values 0..n-1: what the first sort takes, by one bit more than task.key_bits(task.bits).
void make_curve_keys(Exec exec, const CurveTask& task, const SortBuffers& pairs);

/// After a sort: raises *crowded above zero when a run of equal keys among the first `n_linking` is longer
/// than a leaf and holds distinct points. *crowded starts at zero.
void find_crowded_cells(Exec exec, const CurveTask& task, const SortBuffers& pairs, Index n_linking,
                        Index* crowded);

/// New keys for the next sort, by refined_key_bits: the present order, then finer cells. `refinement` from 1.
void refine_curve_keys(Exec exec, const CurveTask& task, SortBuffers& pairs, int refinement);
inline constexpr int refined_key_bits = 62;

/// A cube around everything, cut so finely that the points of a cell are friends; as finely as a key can hold
/// when particles also count friends or look for their nearest one, for which their order matters below the
/// linking length too.
class FofCurve {
public:
    FofCurve(const FofWorkspace& workspace, Index n_linking);

    const CurveTask& task() const { return task_; }
    /// Of the first sort.
    int key_bits() const;
    /// The order inside cells matters after so many refinements.
    bool wants_finer_cells(int refinements) const;

private:
    double cube_edge_;
    double linking_length_;
    bool only_links_;  ///< all particles link, and nothing else is asked
    CurveTask task_;
};

/// Arrays of `n`, in the memory of the backend. Nothing but `order` and `n_flagged` is of use afterwards.
struct FlaggedFirst {
    Index n;
    std::uint8_t* flag;  ///< by place in `order`
    Index* order;
    Index *selected, *spare;
    Index* n_flagged;
    std::byte* scratch;  ///< as select_flagged() wants it
};

/// Moves the flagged entries of `order` to its front; both parts keep their sequence.
void put_flagged_first(Exec exec, const FlaggedFirst& lists);

}  // namespace aureole::halo
