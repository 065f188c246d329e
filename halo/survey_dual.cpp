#include "halo/survey.hpp"

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/ordered_bits.hpp"

namespace aureole::halo {
namespace {

constexpr Index particles_per_lane = 64;  // one lane's share, gathered before it touches the common result

AUREOLE_HD bool is_finite(Vec3 x) { return x.x - x.x == 0 && x.y - x.y == 0 && x.z - x.z == 0; }

struct Extent {
    double low, high;

    AUREOLE_HD void include(double x)
    {
        if (x < low) low = x;
        if (x > high) high = x;
    }
    AUREOLE_HD void merge_into(std::uint64_t* shared_low, std::uint64_t* shared_high) const
    {
        atomic_min(shared_low, ordered_bits(low));
        atomic_max(shared_high, ordered_bits(high));
    }
};

}  // namespace

Survey Survey::empty()
{
    return {{~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}}, {0, 0, 0}, none, 0};
}

Vec3 Survey::lowest() const
{
    return {from_ordered_bits(low[0]), from_ordered_bits(low[1]), from_ordered_bits(low[2])};
}

Vec3 Survey::highest() const
{
    return {from_ordered_bits(high[0]), from_ordered_bits(high[1]), from_ordered_bits(high[2])};
}

void survey_particles(Exec exec, const ParticlesView& p, const Box& box, std::uint8_t linking_types,
                      Survey* survey)
{
    if (p.n == 0) return;
    const Index n_lanes = (p.n - 1) / particles_per_lane + 1;
    for_each(exec, n_lanes, [=] AUREOLE_HD(Index lane) {
        const double huge = 1.7976931348623157e308;
        Extent x{huge, -huge}, y{huge, -huge}, z{huge, -huge};
        Index linking = 0;
        for (std::size_t i = lane; i < p.n; i += n_lanes) {  // neighbouring lanes read neighbouring particles
            const Vec3 at = p.position.load(static_cast<Index>(i));
            if (!is_finite(at)) {
                atomic_min(&survey->first_bad, static_cast<Index>(i));
                continue;
            }
            x.include(box.wrap(at.x));
            y.include(box.wrap(at.y));
            z.include(box.wrap(at.z));
            linking += type_links(linking_types, p.type[i]);
        }
        x.merge_into(&survey->low[0], &survey->high[0]);
        y.merge_into(&survey->low[1], &survey->high[1]);
        z.merge_into(&survey->low[2], &survey->high[2]);
        atomic_add(&survey->n_linking, linking);
    });
}

}  // namespace aureole::halo
