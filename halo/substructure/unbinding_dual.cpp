// Loops of unbinding over the entries of all lists, on both backends.
#include "halo/substructure/unbinding.hpp"

#include <bit>

#include "halo/substructure/segment_sums_dual.hpp"
#include "sim/core/atomics.hpp"
#include "sim/core/spatial/bounding_box.hpp"
#include "sim/core/spatial/curve_keys.hpp"
#include "sim/core/spatial/ordered_bits.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {
namespace {

constexpr Index core_share = 10, least_core = 10;
/// Where more are unbound, only the worst leave at once: the others may be held by a core whose velocity is
/// not known yet.
constexpr Index leaving_share = 4;
constexpr int curve_bits = 14;  ///< an axis
constexpr Index per_lane = 32;

struct Extent {
    std::uint64_t low[3], high[3], heaviest;
};

AUREOLE_HD Index core_members(Index n)
{
    const Index share = n / core_share, wanted = share > least_core ? share : least_core;
    return wanted < n ? wanted : n;
}

AUREOLE_HD float energy_of(const UnbindingTask& task, const UnbindingState& state, Index k,
                           const Vec3& velocity, bool with_motion)
{
    const Index row = state.row[state.list[k]];
    const segments::ListFrame& frame = task.frame[row];
    const double phi = -(frame.length / frame.mass) * static_cast<double>(state.potential[k]);
    if (!with_motion) return static_cast<float>(phi);
    const Vec3 dv = task.points.velocity[state.point[k]] - velocity;
    return static_cast<float>(0.5 * dot(dv, dv) + phi);
}

}  // namespace

void find_frames(const UnbindingTask& task, double softening, Arena& arena)
{
    const Arena::Frame frame(arena);
    const PointLists lists = task.input;
    auto* const extent = arena.take<Extent>(lists.n_lists);
    for_each(task.exec, lists.n_lists, [=] AUREOLE_HD(Index l) {
        for (int k = 0; k < 3; ++k) {
            extent[l].low[k] = ~std::uint64_t{0};
            extent[l].high[k] = 0;
        }
        extent[l].heaviest = ordered_bits(0.0);
    });
    const MembersView view = lists.view();
    for_each(task.exec, static_cast<Index>(segments::most_segments(view, per_lane)),
             [=] AUREOLE_HD(Index number) {
                 const auto segment = segments::segment_at(view, number, per_lane);
                 if (segment.begin == segment.end) return;
                 auto box = BoundingBox<double>::at(task.points.position[lists.point[segment.begin]]);
                 double heaviest = 0;
                 for (std::uint64_t k = segment.begin; k < segment.end; ++k) {
                     const Index i = lists.point[k];
                     box.include(task.points.position[i]);
                     heaviest = larger(heaviest, task.points.mass[i]);
                 }
                 Extent& to = extent[segment.list];
                 const double low[3] = {box.low.x, box.low.y, box.low.z},
                              high[3] = {box.high.x, box.high.y, box.high.z};
                 for (int k = 0; k < 3; ++k) {
                     atomic_min(&to.low[k], ordered_bits(low[k]));
                     atomic_max(&to.high[k], ordered_bits(high[k]));
                 }
                 atomic_max(&to.heaviest, ordered_bits(heaviest));
             });
    for_each(task.exec, lists.n_lists, [=] AUREOLE_HD(Index l) {
        double low[3], high[3];
        for (int k = 0; k < 3; ++k) {
            low[k] = from_ordered_bits(extent[l].low[k]);
            high[k] = from_ordered_bits(extent[l].high[k]);
        }
        task.frame[l] = segments::frame_of(low, high, from_ordered_bits(extent[l].heaviest),
                                           lists.begin[l + 1] - lists.begin[l], softening, false);
        const double eps = task.frame[l].length * softening;
        task.squared_softening[l] = static_cast<float>(eps * eps);
    });
}

void order_along_curves(const UnbindingTask& task, const UnbindingState& state, Arena& arena)
{
    const Arena::Frame frame(arena);
    const PointLists lists = task.input;
    const Index n = lists.n;
    SortBuffers pairs{arena.take<std::uint64_t>(n), arena.take<std::uint64_t>(n), arena.take<Index>(n),
                      arena.take<Index>(n)};
    auto* const scratch = arena.take<std::byte>(sort_pairs_scratch_bytes(task.exec.backend, n));
    const MembersView view = lists.view();
    for_each(task.exec, n, [=] AUREOLE_HD(Index k) {
        const Index list = segments::list_of_entry(view, k);
        const segments::ListFrame& f = task.frame[list];
        const Vec3 d = task.points.position[lists.point[k]] - f.middle;
        const double cells = static_cast<double>(Index{1} << curve_bits);
        const double per = f.longest > 0 ? cells / f.longest : 0, half = 0.5 * cells;
        std::uint32_t cell[3] = {cell_number(half + per * d.x, curve_bits),
                                 cell_number(half + per * d.y, curve_bits),
                                 cell_number(half + per * d.z, curve_bits)};
        pairs.key[k] = std::uint64_t{list} << 3 * curve_bits | hilbert_key(cell, curve_bits);
        pairs.value[k] = k;
    });
    sort_pairs(task.exec, n, pairs, 3 * curve_bits + static_cast<int>(std::bit_width(lists.n_lists)),
               scratch);
    const Index* const order = pairs.value;
    const std::uint64_t* const key = pairs.key;
    for_each(task.exec, n, [=] AUREOLE_HD(Index k) {
        const auto list = static_cast<Index>(key[k] >> 3 * curve_bits);
        const Index i = lists.point[order[k]];
        const Vec3 x = task.points.position[i];
        const segments::Body b = segments::scaled({x.x, x.y, x.z, task.points.mass[i]}, task.frame[list]);
        state.slot[k] = order[k];
        state.list[k] = list;
        state.point[k] = i;
        state.body[k] = {static_cast<float>(b.x), static_cast<float>(b.y), static_cast<float>(b.z),
                         static_cast<float>(b.mass)};
    });
    for_each(task.exec, lists.n_lists, [=] AUREOLE_HD(Index l) { state.row[l] = l; });
}

void set_energies(const UnbindingTask& task, const UnbindingState& state, bool with_motion)
{
    for_each(task.exec, state.lists.n, [=] AUREOLE_HD(Index k) {
        const Vec3 velocity = task.centre[state.row[state.list[k]]].velocity;
        state.energy[k] = energy_of(task, state, k, velocity, with_motion);
    });
}

void find_cores(const UnbindingTask& task, const UnbindingState& state, Index* order, Arena& arena)
{
    const Arena::Frame frame(arena);
    const PointLists lists = state.lists;
    const Index n = lists.n;
    SortBuffers pairs{arena.take<std::uint64_t>(n), arena.take<std::uint64_t>(n), order,
                      arena.take<Index>(n)};
    auto* const scratch = arena.take<std::byte>(sort_pairs_scratch_bytes(task.exec.backend, n));
    for_each(task.exec, n, [=] AUREOLE_HD(Index k) {
        pairs.key[k] = std::uint64_t{state.list[k]} << 32 | ordered_bits_of(state.energy[k]);
        pairs.value[k] = k;
    });
    sort_pairs(task.exec, n, pairs, 32 + static_cast<int>(std::bit_width(lists.n_lists - 1)), scratch);
    if (pairs.value != order) {
        const Index* const sorted = pairs.value;
        for_each(task.exec, n, [=] AUREOLE_HD(Index k) { order[k] = sorted[k]; });
    }
    auto* const sums = arena.take<RowSums<13>>(lists.n_lists);
    const PhasePoints points = task.points;
    segment_sums<13>(task.exec, {lists.view(), lists.longest}, arena, sums,
                     [=] AUREOLE_HD(RowSums<13> & s, Index place, Index l) {
                         const auto begin = static_cast<Index>(lists.begin[l]);
                         const auto length = static_cast<Index>(lists.begin[l + 1]) - begin;
                         if (place - begin >= core_members(length)) return;
                         const Index i = lists.point[order[place]];
                         const double m = points.mass[i];
                         const Vec3 x = points.position[i], v = points.velocity[i];
                         const double term[6] = {x.x, x.y, x.z, v.x, v.y, v.z};
                         s.at[0] += m;
                         for (int t = 0; t < 6; ++t) {
                             s.at[1 + t] += m * term[t];
                             s.at[7 + t] += term[t];
                         }
                     });
    for_each(task.exec, lists.n_lists, [=] AUREOLE_HD(Index l) {
        const RowSums<13>& s = sums[l];
        const auto length = static_cast<Index>(lists.begin[l + 1] - lists.begin[l]);
        if (length == 0) return;
        const bool massive = s.at[0] > 0;
        const double per = 1 / (massive ? s.at[0] : static_cast<double>(core_members(length)));
        const double* const t = s.at + (massive ? 1 : 7);
        task.centre[state.row[l]] = {{per * t[0], per * t[1], per * t[2]},
                                     {per * t[3], per * t[4], per * t[5]}};
    });
}

void find_unbound(const UnbindingTask& task, const UnbindingState& state, const Index* order,
                  UnboundCount* count)
{
    const PointLists lists = state.lists;
    for_each(task.exec, lists.n_lists, [=] AUREOLE_HD(Index l) { count[l] = {0, 0}; });
    for_each(task.exec, lists.n, [=] AUREOLE_HD(Index k) {
        state.energy[k] = energy_of(task, state, k, task.centre[state.row[state.list[k]]].velocity, true);
    });
    const MembersView view = lists.view();
    const auto n_segments = static_cast<Index>(segments::most_segments(view, per_lane));
    for_each(task.exec, n_segments, [=] AUREOLE_HD(Index number) {
        const auto segment = segments::segment_at(view, number, per_lane);
        Index unbound = 0;
        for (std::uint64_t k = segment.begin; k < segment.end; ++k)
            if (state.energy[k] > 0) ++unbound;
        if (unbound > 0) atomic_add(&count[segment.list].unbound, unbound);
    });
    for_each(task.exec, n_segments, [=] AUREOLE_HD(Index number) {
        const auto segment = segments::segment_at(view, number, per_lane);
        if (segment.begin == segment.end) return;
        const auto begin = static_cast<Index>(lists.begin[segment.list]);
        const auto length = static_cast<Index>(lists.begin[segment.list + 1]) - begin;
        const Index most = length / leaving_share + 1;
        const bool all = count[segment.list].unbound <= most;
        Index leaving = 0;
        for (std::uint64_t place = segment.begin; place < segment.end; ++place) {
            const Index k = order[place];
            const bool worst = all || static_cast<Index>(place) - begin >= length - most;
            state.leaves[k] = worst && state.energy[k] > 0;
            leaving += state.leaves[k];
        }
        if (leaving > 0) atomic_add(&count[segment.list].leaving, leaving);
    });
}

void apply_verdicts(const UnbindingTask& task, const UnbindingState& state, const Verdicts& verdicts,
                    std::uint8_t* goes_on, std::uint8_t* is_source)
{
    for_each(task.exec, state.lists.n, [=] AUREOLE_HD(Index k) {
        const Index l = state.list[k];
        const bool leaves = verdicts.all_leave[l] ? state.energy[k] > 0 : state.leaves[k] != 0;
        const Verdict v = verdicts.verdict[l];
        goes_on[k] = v == Verdict::goes_on && !leaves;
        is_source[k] = v == Verdict::goes_on && leaves == (verdicts.renews[l] == 0);
        const bool kept = v == Verdict::keeps_all || (v == Verdict::ends_without && !leaves);
        if (v != Verdict::goes_on || leaves) task.result.kept[state.slot[k]] = kept;
        if (kept) task.result.energy[state.point[k]] = state.energy[k];
    });
}

void gather_sources(Exec exec, const UnbindingState& from, const Index* selected, const ForceSources& sources)
{
    for_each(exec, sources.lists.n, [=] AUREOLE_HD(Index k) { sources.body[k] = from.body[selected[k]]; });
}

void gather_rest(const UnbindingTask& task, const UnbindingState& from, const Index* selected,
                 const UnbindingState& to, const Index* new_list)
{
    for_each(task.exec, to.lists.n, [=] AUREOLE_HD(Index k) {
        const Index old = selected[k];
        to.slot[k] = from.slot[old];
        to.body[k] = from.body[old];
        to.potential[k] = from.potential[old];
        to.list[k] = new_list[from.list[old]];
        to.point[k] = from.point[old];
    });
    for_each(task.exec, from.lists.n_lists, [=] AUREOLE_HD(Index l) {
        if (new_list[l] != ~Index{0}) to.row[new_list[l]] = from.row[l];
    });
}

void gather_softening(const UnbindingTask& task, const UnbindingState& state, float* squared_softening)
{
    for_each(task.exec, state.lists.n_lists,
             [=] AUREOLE_HD(Index l) { squared_softening[l] = task.squared_softening[state.row[l]]; });
}

}  // namespace aureole::halo
