// One pass that surveys, one that makes keys and packs every particle into one 32-byte sector (a gather from
// four arrays would touch four), one that gathers, and boxes and masses of nodes from the leaves up.
#include "halo/overdensity/overdensity_tree.hpp"

#include <cstring>

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/build_nodes_dual.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::halo {
namespace {

/// Bits that sort like a mass above 0.
AUREOLE_HD std::uint64_t bits_of_mass(double mass)
{
    std::uint64_t bits;
    std::memcpy(&bits, &mass, sizeof bits);
    return bits;
}

/// What one lane has seen.
struct Extremes {
    std::uint64_t low[3], high[3], largest_mass = 0;
    Index first_bad = MassSummary::none;

    AUREOLE_HD Extremes()
    {
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = ~std::uint64_t{0};
            high[axis] = 0;
        }
    }
    AUREOLE_HD void include(Index i, Vec3 at, double mass, const Box& box)
    {
        if (!finite(at)) {
            first_bad = smaller(first_bad, i);
            return;
        }
        const Vec3 x = box.wrap(at);
        const std::uint64_t bits[3] = {ordered_bits(x.x), ordered_bits(x.y), ordered_bits(x.z)};
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = smaller(low[axis], bits[axis]);
            high[axis] = larger(high[axis], bits[axis]);
        }
        if (mass > 0) largest_mass = larger(largest_mass, bits_of_mass(mass));
    }
    AUREOLE_HD void merge_into(MassSummary* summary) const
    {
        for (int axis = 0; axis < 3; ++axis) {
            atomic_min_of_warp(&summary->low[axis], low[axis]);
            atomic_max_of_warp(&summary->high[axis], high[axis]);
        }
        atomic_max_of_warp(&summary->largest_mass, largest_mass);
        if (first_bad != MassSummary::none) atomic_min(&summary->first_bad, first_bad);
    }
};

/// A sum of masses, no less than the true one.
AUREOLE_HD float rounded_up(float mass) { return mass * (1 + 0x1p-22f); }

struct NodeBuilder : DeviceMassTree {
    AUREOLE_HD static MassNode merge(const MassNode& left, const MassNode& right)
    {
        const BoundingBox<float> both = left.box().around(right.box());
        return {both.low, rounded_up(left.mass + right.mass), both.high, 0};
    }
    /// A coordinate is rounded once in double, by far less than one step of float.
    AUREOLE_HD MassNode leaf(Index k) const
    {
        const Index first = begin(k), last = end(k);
        MassPoint p = point[first];
        auto b = BoundingBox<double>::at({p.x, p.y, p.z});
        double mass = 0;
        for (Index i = first; i < last; ++i) {
            p = point[i];
            b.include({p.x, p.y, p.z});
            if (p.mass > 0) mass += p.mass;
        }
        const BoundingBox<float> outward =
            rounded_outward({frame.scale * (b.low - frame.centre), frame.scale * (b.high - frame.centre)});
        return {outward.low, rounded_up(static_cast<float>(scalbn(mass, mass_exponent))), outward.high, 0};
    }
};

/// Lanes of a summary, whole warps: enough to keep a GPU's memory busy, few enough for atomics at the end.
Index summary_lanes(Index n)
{
    constexpr Index most = 1u << 18, per_lane = 16, warp = 32;
    return n / per_lane < most ? (n / per_lane / warp + 1) * warp : most;
}

}  // namespace

void summarize_masses(Exec exec, const ConstParticlesView& particles, const Box& box, MassSummary* summary)
{
    for_each(exec, 1, [=] AUREOLE_HD(Index) {
        const std::uint64_t all = ~std::uint64_t{0};
        *summary = {{all, all, all}, {0, 0, 0}, 0, MassSummary::none};
    });
    const Index n_lanes = summary_lanes(particles.n);
    for_each(exec, n_lanes, [=] AUREOLE_HD(Index lane) {
        Extremes seen;
        for (std::size_t k = lane; k < particles.n; k += n_lanes) {
            const auto i = static_cast<Index>(k);
            seen.include(i, particles.position.load(i), particles.mass[i], box);
        }
        seen.merge_into(summary);
    });
}

void make_mass_keys(Exec exec, const ConstParticlesView& particles, const Box& box, const MassCurve& curve,
                    const SortBuffers& pairs, MassPoint* unordered)
{
    for_each(exec, particles.n, [=] AUREOLE_HD(Index i) {
        const Vec3 x = box.wrap(particles.position.load(i));
        pairs.key[i] = curve.key(x);
        pairs.value[i] = i;
        unordered[i] = {x.x, x.y, x.z, particles.mass[i]};
    });
}

void build_mass_tree(Exec exec, const MassPoint* unordered, const Index* order, const DeviceMassTree& tree)
{
    for_each(exec, tree.n, [=] AUREOLE_HD(Index k) { tree.point[k] = unordered[order[k]]; });
    build_nodes(exec, tree, NodeBuilder{tree});
}

}  // namespace aureole::halo
