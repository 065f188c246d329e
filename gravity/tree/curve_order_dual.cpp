// The loops behind curve_order.hpp, written once for both backends.
#include "gravity/tree/curve_order.hpp"

#include <cmath>

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_chained_dual.hpp"
#include "sim/core/spatial/extent.hpp"

namespace aureole::gravity::tree {
namespace {

/// Lanes that survey a set: enough to keep a GPU's memory busy, few enough for atomics at the end. A small
/// set gives each fewer particles, which it would read one after the other.
Index n_survey_lanes(Index n)
{
    constexpr Index most = 1u << 18, per_lane = 4, usual = 1u << 12, warp = 32;
    const Index wanted = n / per_lane < most ? n / per_lane + 1 : most;
    const Index least = n < usual ? n : usual;
    return ((wanted < least ? least : wanted) + warp - 1) / warp * warp;
}

/// The exponent e with 2^e <= x < 2^(e + 1), within what a scale can take.
AUREOLE_HD int exponent_of(double x)
{
    const int e = ilogb(x);
    return e < -900 ? -900 : e > 900 ? 900 : e;
}

/// Whether particle a comes before b, whose keys are equal.
AUREOLE_HD bool comes_first(const ConstParticlesView& p, const Frame& frame, Index a, Index b)
{
    const std::uint64_t key_a = deep_curve_key(p.position.load(a), frame).low;
    const std::uint64_t key_b = deep_curve_key(p.position.load(b), frame).low;
    return key_a != key_b ? key_a < key_b : p.id_of(a) != p.id_of(b) ? p.id_of(a) < p.id_of(b) : a < b;
}

}  // namespace

void clear_survey(Exec exec, Survey* survey)
{
    for_each_chained(exec, 1, [=] AUREOLE_HD(Index) {
        const std::uint64_t all = ~std::uint64_t{0};
        *survey = {{all, all, all}, {0, 0, 0}, 0, 0, 0, 0, 0, 0};
    });
}

void survey_particles(Exec exec, const ConstParticlesView& particles, const Selection& selection,
                      bool sources, const ConstVec3View& previous, Survey* survey)
{
    const ConstParticlesView p = particles;
    const Selection of = selection;
    const ConstVec3View accelerations = previous;
    const bool targets = !previous.absent();
    const Index n_lanes = n_survey_lanes(selection.size());
    for_each_chained(exec, n_lanes, [=] AUREOLE_HD(Index lane) {
        Extent x, y, z, mass{0, 0};
        bool moving = false;
        for (std::size_t k = lane; k < of.size(); k += n_lanes) {
            const Index i = of[static_cast<Index>(k)];
            const Vec3 at = p.position.load(i);
            x.include(at.x);
            y.include(at.y);
            z.include(at.z);
            if (sources) mass.include(p.mass[i]);
            if (targets) {
                const Vec3 a = accelerations.load(i);
                moving = moving || a.x != 0 || a.y != 0 || a.z != 0;
            }
        }
        x.merge_into(&survey->low[0], &survey->high[0]);
        y.merge_into(&survey->low[1], &survey->high[1]);
        z.merge_into(&survey->low[2], &survey->high[2]);
        if (sources) atomic_max_of_warp(&survey->largest_mass, ordered_bits(mass.high));
        if (targets) atomic_max_of_warp(&survey->any_acceleration, std::uint64_t{moving});
    });
}

void make_frame(Exec exec, const Survey* survey, Frame* frame)
{
    for_each_chained(exec, 1, [=] AUREOLE_HD(Index) {
        double low[3], extent = 0;
        for (int k = 0; k < 3; ++k) {
            low[k] = from_ordered_bits(survey->low[k]);
            const double span = from_ordered_bits(survey->high[k]) - low[k];
            if (span > extent) extent = span;
        }
        const double largest = from_ordered_bits(survey->largest_mass);
        frame->low = {low[0], low[1], low[2]};
        frame->cells_per_length = cells_per_length(extent);
        frame->length_scale = extent > 0 ? ldexp(1.0, -1 - exponent_of(extent)) : 1;
        frame->mass_scale = largest > 0 ? ldexp(1.0, -1 - exponent_of(largest)) : 1;
    });
}

void make_keys(Exec exec, const ConstParticlesView& particles, const Selection& selection, const Frame* frame,
               const SortBuffers& pairs)
{
    if (exec.backend == Backend::cpu) return make_keys_cpu(particles, selection, *frame, pairs);
    const ConstParticlesView p = particles;
    const Selection of = selection;
    const SortBuffers to = pairs;
    for_each_chained(exec, of.size(), [=] AUREOLE_HD(Index k) {
        const Index i = of[k];
        to.key[k] = curve_key(p.position.load(i), *frame);
        to.value[k] = i;
    });
}

void order_short_runs(Exec exec, const ConstParticlesView& p, Index n, const Frame* frame,
                      const SortBuffers& sorted, Index* crowded)
{
    const SortBuffers pairs = sorted;
    for_each_chained(exec, n, [=] AUREOLE_HD(Index begin) {
        const std::uint64_t key = pairs.key[begin];
        if (begin + 1 >= n || pairs.key[begin + 1] != key || (begin > 0 && pairs.key[begin - 1] == key))
            return;
        Index end = begin + 2;
        while (end < n && end - begin <= short_run && pairs.key[end] == key) ++end;
        if (end - begin > short_run) {
            atomic_add(crowded, 1);
            return;
        }
        for (Index k = begin + 1; k < end; ++k) {  // insertion
            const Index particle = pairs.value[k];
            Index place = k;
            for (; place > begin && comes_first(p, *frame, particle, pairs.value[place - 1]); --place)
                pairs.value[place] = pairs.value[place - 1];
            pairs.value[place] = particle;
        }
    });
}

void set_keys(Exec exec, const ConstParticlesView& p, Index n, const Frame* frame, KeyPart part,
              const SortBuffers& pairs)
{
    const SortBuffers to = pairs;
    for_each_chained(exec, n, [=] AUREOLE_HD(Index k) {
        const Index i = to.value[k];
        if (part == KeyPart::id) {
            to.key[k] = p.id_of(i);
            return;
        }
        const DeepKey key = deep_curve_key(p.position.load(i), *frame);
        to.key[k] = part == KeyPart::low ? key.low : key.high;
    });
}

}  // namespace aureole::gravity::tree
