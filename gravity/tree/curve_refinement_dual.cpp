// The loops behind curve_refinement.hpp, written once for both backends.
#include "gravity/tree/curve_refinement.hpp"

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/ordered_bits.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::gravity::tree {
namespace {

/// Places that one thread adds to the extents of their runs, so that few share an address with others.
constexpr Index places_per_thread = 64;

constexpr std::uint64_t all_bits = ~std::uint64_t{0};

/// The extent of some places of a run.
struct Extent {
    std::uint64_t low[3] = {all_bits, all_bits, all_bits}, high[3] = {0, 0, 0};

    AUREOLE_HD void include(Vec3 x)
    {
        const std::uint64_t at[3] = {ordered_bits(x.x), ordered_bits(x.y), ordered_bits(x.z)};
        for (int k = 0; k < 3; ++k) {
            if (at[k] < low[k]) low[k] = at[k];
            if (at[k] > high[k]) high[k] = at[k];
        }
    }
    AUREOLE_HD void merge_into(CellRun& run)
    {
        for (int k = 0; k < 3; ++k) {
            atomic_min(&run.low[k], low[k]);
            atomic_max(&run.high[k], high[k]);
        }
        *this = Extent{};
    }
};

/// The last place, and one, that shares the cell of `begin`.
AUREOLE_HD Index end_of_cell(const std::uint64_t* high, const std::uint64_t* low, Index begin, Index n)
{
    Index least = begin + 1, most = n;
    while (least < most) {
        const Index middle = least + (most - least) / 2;
        if (high[middle] == high[begin] && low[middle] == low[begin])
            least = middle + 1;
        else
            most = middle;
    }
    return least;
}

void flag_starts(Exec exec, const ConstParticlesView& p, Index n, const Frame* frame,
                 const SortBuffers& pairs, std::uint64_t* low, std::uint8_t* flags)
{
    const std::uint64_t* const high = pairs.key;
    const Index* const order = pairs.value;
    for_each(exec, n,
             [=] AUREOLE_HD(Index k) { low[k] = deep_curve_key(p.position.load(order[k]), *frame).low; });
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        const auto alike = [=](Index a, Index b) { return high[a] == high[b] && low[a] == low[b]; };
        flags[k] = (k == 0 || !alike(k - 1, k)) && n - k > short_run && alike(k, k + short_run);
    });
}

void find_extents(Exec exec, const ConstParticlesView& p, Index n, const SortBuffers& pairs,
                  const CellRuns& runs)
{
    const Index* const order = pairs.value;
    for_each(exec, (n - 1) / places_per_thread + 1, [=] AUREOLE_HD(Index chunk) {
        const Index begin = chunk * places_per_thread;
        const Index end = n - begin > places_per_thread ? begin + places_per_thread : n;
        Index r = runs_until(runs, begin);
        if (r > 0) --r;
        Extent extent;
        for (Index k = begin; k < end && r < *runs.n;) {
            CellRun& run = runs.runs[r];
            if (k < run.begin) k = run.begin;
            for (; k < end && k < run.end; ++k) extent.include(p.position.load(order[k]));
            if (extent.low[0] != all_bits) extent.merge_into(run);
            ++r;
        }
    });
}

void make_frames(Exec exec, Index most, const CellRuns& runs, Index* n_to_order)
{
    for_each(exec, most, [=] AUREOLE_HD(Index r) {
        if (r >= *runs.n) return;
        CellRun& run = runs.runs[r];
        double low[3], extent = 0;
        for (int k = 0; k < 3; ++k) {
            low[k] = from_ordered_bits(run.low[k]);
            const double span = from_ordered_bits(run.high[k]) - low[k];
            if (span > extent) extent = span;
        }
        run.frame = {{low[0], low[1], low[2]}, cells_per_length(extent), 1, 1};
        if (run.frame.cells_per_length > 0) atomic_add(n_to_order, 1);
    });
}

}  // namespace

void find_cell_runs(Exec exec, const ConstParticlesView& p, Index n, const Frame* frame,
                    const SortBuffers& pairs, CellRuns& found, std::uint8_t* flags, std::byte* scratch,
                    Survey* survey)
{
    found.n = &survey->n_runs;
    const CellRuns runs = found;
    const std::uint64_t *high = pairs.key, *low = found.low_keys;
    const auto most = static_cast<Index>(most_cell_runs(n));
    flag_starts(exec, p, n, frame, pairs, found.low_keys, flags);
    select_flagged(exec, n, flags, found.starts, &survey->n_runs, scratch);
    for_each(exec, most, [=] AUREOLE_HD(Index r) {
        if (r >= *runs.n) return;
        const Index begin = runs.starts[r];
        runs.runs[r] = {begin, end_of_cell(high, low, begin, n), {all_bits, all_bits, all_bits}, {}, {}};
    });
    find_extents(exec, p, n, pairs, runs);
    make_frames(exec, most, runs, &survey->n_to_order);
}

void set_run_keys(Exec exec, const ConstParticlesView& p, Index n, const CellRuns& of,
                  const SortBuffers& pairs)
{
    const SortBuffers to = pairs;
    const CellRuns runs = of;
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        const CellRun* const run = run_at(runs, k);
        to.key[k] = run ? curve_key(p.position.load(to.value[k]), run->frame) : 0;
    });
}

}  // namespace aureole::gravity::tree
