// Which of its particles a subhalo holds: those with v^2 / 2 + phi <= 0 relative to its core, phi the
// potential of the members themselves. What is not bound is removed, and the rest is tested again until all
// are bound. Subhalos inside do not count: their potential wells would hold the most bound particles of
// others. All lists are worked on together. Cost: in each iteration a potential and a sort of all that is
// left.
#pragma once

#include <vector>

#include "halo/substructure/list_forces.hpp"
#include "halo/substructure/phase_points.hpp"
#include "sim/core/progress.hpp"

namespace aureole::halo {

/// Where a halo is and how it moves.
struct PhaseCentre {
    Vec3 position{}, velocity{};
};

struct UnbindingConfig {
    double softening = 0;
    bool remove = true;     ///< false: all are members, and have energies all the same
    std::size_t least = 1;  ///< lists that keep fewer keep nothing
    /// Lists of which an iteration removes no larger part are not tested again. 0: until all are bound.
    double last_part = 0;
};

/// What a list keeps.
struct BoundList {
    Index n = 0;
    /// Means over the most bound members, a tenth and at least 10; energies are relative to this velocity.
    PhaseCentre centre{};
};

/// In the memory of a backend.
struct BoundEntries {
    std::uint8_t* kept;  ///< per entry of the lists
    float* energy;       ///< per point: v^2 / 2 + phi of those that are kept
};

/// One row for each of `lists`, whose points rise. Equal bit for bit on both backends.
std::vector<BoundList> unbind(Exec exec, const PhasePoints& points, const PointLists& lists,
                              const UnbindingConfig& config, const BoundEntries& result, Arena& arena,
                              const Progress& progress = {});

// The loops.

/// What is left of the lists, along their curves.
struct UnbindingState {
    PointLists lists;      ///< of those still tested: `begin` and `point`
    Index* point;          ///< per entry
    Index* slot;           ///< per entry: the entry of the input
    ForceBody* body;       ///< per entry, scaled
    float* potential;      ///< per entry: |phi|, scaled
    float* energy;         ///< per entry
    Index* list;           ///< per entry
    Index* row;            ///< per list: the list of the input
    std::uint8_t* leaves;  ///< per entry
};

/// Entries of a state whose lists go on, per list: who contributes to the potentials that change.
struct ForceSources {
    PointLists lists;  ///< `begin`
    ForceBody* body;
    std::uint8_t* renewed;  ///< per list: the members that stay, for new potentials; else those that leave
};

/// Of a list in an iteration.
struct UnboundCount {
    Index unbound, leaving;
};

/// What becomes of a list, and of those of its entries that leave.
enum class Verdict : std::uint8_t { keeps_all, keeps_nothing, ends_without, goes_on };

struct UnbindingTask {
    Exec exec;
    PhasePoints points;
    PointLists input;
    segments::ListFrame* frame;  ///< per list of the input
    float* squared_softening;    ///< per list of the input, scaled
    PhaseCentre* centre;         ///< per list of the input
    BoundEntries result;
};

void find_frames(const UnbindingTask& task, double softening, Arena& arena);
void order_along_curves(const UnbindingTask& task, const UnbindingState& state, Arena& arena);
void set_energies(const UnbindingTask& task, const UnbindingState& state, bool with_motion);
/// Centres of the tenth with the least energies; order[k] = entry at place k of its list by energy.
void find_cores(const UnbindingTask& task, const UnbindingState& state, Index* order, Arena& arena);
/// Energies about the new centres, who leaves, and how many per list.
void find_unbound(const UnbindingTask& task, const UnbindingState& state, const Index* order,
                  UnboundCount* count);
/// Per list.
struct Verdicts {
    Verdict* verdict;
    std::uint8_t* all_leave;  ///< whether all its unbound members leave
    std::uint8_t* renews;     ///< whether what stays gets new potentials
};

/// Writes results of lists that end; flags entries that go on, and those that are sources of potentials then.
void apply_verdicts(const UnbindingTask& task, const UnbindingState& state, const Verdicts& verdicts,
                    std::uint8_t* goes_on, std::uint8_t* is_source);
void gather_sources(Exec exec, const UnbindingState& from, const Index* selected,
                    const ForceSources& sources);
/// The entries that go on, into the arrays of another state, with the potentials of before.
void gather_rest(const UnbindingTask& task, const UnbindingState& from, const Index* selected,
                 const UnbindingState& to, const Index* new_list);
/// Per list that is left.
void gather_softening(const UnbindingTask& task, const UnbindingState& state, float* squared_softening);

}  // namespace aureole::halo
