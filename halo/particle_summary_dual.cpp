#include "halo/particle_summary.hpp"

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/extent.hpp"

namespace aureole::halo {
namespace {

constexpr Index particles_per_lane = 64;  // one lane's share, gathered before it touches the common result

/// Extents along the axes, and the first vector that is not finite.
struct Extents {
    Extent x, y, z;

    /// Notes `vector` of particle i; returns whether it is finite.
    AUREOLE_HD bool include(Vec3 vector, Index i, Index* first_bad)
    {
        if (!finite(vector)) {
            atomic_min(first_bad, i);
            return false;
        }
        x.include(vector.x);
        y.include(vector.y);
        z.include(vector.z);
        return true;
    }
    AUREOLE_HD void merge_into(std::uint64_t* low, std::uint64_t* high) const
    {
        x.merge_into(low, high);
        y.merge_into(low + 1, high + 1);
        z.merge_into(low + 2, high + 2);
    }
};

/// Whole warps, as atomics of a warp require.
Index lanes_for(Index n) { return ((n - 1) / particles_per_lane / 32 + 1) * 32; }

Vec3 vector_of(const std::uint64_t* bits)
{
    return {from_ordered_bits(bits[0]), from_ordered_bits(bits[1]), from_ordered_bits(bits[2])};
}

}  // namespace

ParticleSummary ParticleSummary::empty()
{
    constexpr std::uint64_t most = ~std::uint64_t{0};
    return {{most, most, most}, {0, 0, 0}, {most, most, most}, {0, 0, 0}, none, none, 0, 0};
}

Vec3 ParticleSummary::lowest() const { return vector_of(low); }
Vec3 ParticleSummary::highest() const { return vector_of(high); }
Vec3 ParticleSummary::lowest_velocity() const { return vector_of(slowest); }
Vec3 ParticleSummary::highest_velocity() const { return vector_of(fastest); }

// neighbouring lanes read neighbouring particles
void summarize_particles(Exec exec, const ConstParticlesView& p, const Box& box, std::uint8_t linking_types,
                         ParticleSummary* summary)
{
    if (p.n == 0) return;
    const Index n_lanes = lanes_for(p.n);
    for_each(exec, n_lanes, [=] AUREOLE_HD(Index lane) {
        Extents extents;
        Index linking = 0;
        std::uint64_t largest_id = 0;
        for (std::size_t k = lane; k < p.n; k += n_lanes) {
            const Index i = static_cast<Index>(k);
            const Vec3 at = p.position.load(i);
            // wrapped only when finite; NaN wraps to 0
            if (extents.include(finite(at) ? box.wrap(at) : at, i, &summary->first_bad))
                linking += type_links(linking_types, p.type_of(i));
            largest_id = p.id_of(i) > largest_id ? p.id_of(i) : largest_id;
        }
        extents.merge_into(summary->low, summary->high);
        atomic_max_of_warp(&summary->largest_id, largest_id);
        atomic_add_of_warp(&summary->n_linking, linking);
    });
}

void summarize_velocities(Exec exec, const ConstParticlesView& p, ParticleSummary* summary)
{
    if (p.n == 0) return;
    const Index n_lanes = lanes_for(p.n);
    for_each(exec, n_lanes, [=] AUREOLE_HD(Index lane) {
        Extents extents;
        for (std::size_t k = lane; k < p.n; k += n_lanes) {
            const Index i = static_cast<Index>(k);
            extents.include(p.velocity.load(i), i, &summary->first_bad_velocity);
        }
        extents.merge_into(summary->slowest, summary->fastest);
    });
}

}  // namespace aureole::halo
