// A finer order where the curve's keys end. Most particles of a system can share a cell of 2^-42 of its
// extent: beside an outlier a million million times farther out than the rest, or in the middle of a cusp.
// Where more than short_run of them do so at different places, a curve of its own, with 2^21 cells a
// dimension, fills the box around each such run.
#pragma once

#include "gravity/tree/curve_order.hpp"

namespace aureole::gravity::tree {

/// Particles that follow each other along the curve and share a cell of 2^-42: more than short_run.
struct CellRun {
    Index begin, end;
    std::uint64_t low[3], high[3];  ///< ordered_bits of their extent
    Frame frame;                    ///< of their curve; cells_per_length is 0 where all share one place
};

/// In the memory of the backend.
struct CellRuns {
    CellRun* runs;             ///< [most_cell_runs()], in the order of the curve
    Index* starts;             ///< [particles] where the runs begin
    std::uint64_t* low_keys;   ///< [particles] along the curve
    const Index* n = nullptr;  ///< how many runs there are; null: none has been looked for
};

constexpr std::size_t most_cell_runs(std::size_t n_particles) { return n_particles / (short_run + 1) + 1; }

/// Finds the runs of n particles in full order, pairs.key being the first of their two keys. Adds up in the
/// survey how many there are and how many of them have more than one place. `flags` has n elements, `scratch`
/// is that of select_flagged(). O(N).
void find_cell_runs(Exec exec, const ConstParticlesView& particles, Index n, const Frame* frame,
                    const SortBuffers& pairs, CellRuns& runs, std::uint8_t* flags, std::byte* scratch,
                    Survey* survey);

/// Sets the keys along the curves of the runs, 0 for all other particles.
void set_run_keys(Exec exec, const ConstParticlesView& particles, Index n, const CellRuns& runs,
                  const SortBuffers& pairs);

/// How many runs begin at place k or before.
AUREOLE_HD inline Index runs_until(const CellRuns& of, Index k)
{
    Index least = 0, most = *of.n;
    while (least < most) {
        const Index middle = least + (most - least) / 2;
        if (of.starts[middle] <= k)
            least = middle + 1;
        else
            most = middle;
    }
    return least;
}

/// The run of the particle at place k, or nullptr.
AUREOLE_HD inline const CellRun* run_at(const CellRuns& of, Index k)
{
    if (!of.n) return nullptr;
    const Index until = runs_until(of, k);
    return until > 0 && k < of.runs[until - 1].end ? &of.runs[until - 1] : nullptr;
}

}  // namespace aureole::gravity::tree
