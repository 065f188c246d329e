#include "gravity/tree/full_order.hpp"

#include <initializer_list>

#include "sim/core/error.hpp"
#include "sim/core/memory/device_transfer.hpp"

namespace aureole::gravity::tree {
namespace {

/// Runs of particles that share a finest cell are found in the memory of the bodies, which come later.
void carve(std::size_t n, std::byte* bodies, CellRuns& runs)
{
    Carver carver{bodies};
    carver.take(runs.runs, most_cell_runs(n));
    carver.take(runs.starts, n);
    carver.take(runs.low_keys, n);
    AUREOLE_EXPECT(carver.used <= (n * sizeof(Body) + 255) / 256 * 256,
                   "the runs of {} particles do not fit into their bodies", n);
}

/// Least significant first.
void sort_by(Exec exec, const ConstParticlesView& p, Index n, const Frame* frame, const FullOrder& work,
             std::initializer_list<KeyPart> parts)
{
    for (const KeyPart part : parts) {
        set_keys(exec, p, n, frame, part, work.pairs);
        sort_pairs(exec, n, work.pairs, part == KeyPart::id ? 64 : 3 * key_bits, work.scratch);
    }
}

Index runs_to_order(Backend where, const Survey* survey)
{
    if (where == Backend::cpu) return survey->n_to_order;
    Survey found;
    device::copy(&found, survey, sizeof found);
    return found.n_to_order;
}

}  // namespace

void order_along_curve(Exec exec, const ConstParticlesView& p, const Selection& selection, const Frame* frame,
                       SortBuffers& pairs, std::byte* scratch, Index* crowded)
{
    make_keys(exec, p, selection, frame, pairs);
    sort_pairs(exec, selection.size(), pairs, 3 * key_bits, scratch);
    order_short_runs(exec, p, selection.size(), frame, pairs, crowded);
}

void order_along_curve_again(Exec exec, const ConstParticlesView& p, const Selection& selection,
                             const Frame* frame, SortBuffers& pairs, std::byte* bodies, Index* crowded)
{
    pairs.swap_keys();
    make_keys(exec, p, selection, frame, pairs);
    sort_near_order(exec, selection.size(), pairs, bodies, crowded);
    order_short_runs(exec, p, selection.size(), frame, pairs, crowded);
}

CellRuns order_fully(Exec exec, const ConstParticlesView& p, Index n, const Frame* frame,
                     const FullOrder& work)
{
    sort_by(exec, p, n, frame, work, {KeyPart::id, KeyPart::low, KeyPart::high});
    CellRuns runs;
    carve(n, work.runs, runs);
    find_cell_runs(exec, p, n, frame, work.pairs, runs, work.flags, work.scratch, work.survey);
    if (runs_to_order(exec.backend, work.survey) == 0) return {};
    set_run_keys(exec, p, n, runs, work.pairs);
    sort_pairs(exec, n, work.pairs, 3 * key_bits, work.scratch);
    sort_by(exec, p, n, frame, work, {KeyPart::low, KeyPart::high});
    return runs;
}

}  // namespace aureole::gravity::tree
